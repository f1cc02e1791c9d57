//! Splits the body of a LIST.

use bytes::Bytes;
use informer_protobuf::BadFrame;

use super::object::{ObjectReader, known};
use super::watch::is_part_of;
use crate::object::ResourceVersion;
use crate::wire::kind::Kind;
use crate::wire::refusals::Refusals;
use crate::wire::split::{SplitError, SplitOptions, SplitStats, Splitter};
use crate::wire::{ListMeta, RawObject, Rejected};

#[derive(Debug)]
pub(in crate::wire) struct ListSplitter {
    splitter: informer_protobuf::ListSplitter,
    reader: ObjectReader,
    refusals: Refusals,
    /// Kind of the items; known from the first item on.
    kind: Option<&'static Kind>,
}

// === impl ListSplitter ===

impl ListSplitter {
    pub(in crate::wire) fn new(options: &SplitOptions) -> Self {
        let splitter = informer_protobuf::ListSplitter::new();
        Self {
            splitter: splitter.max_item_bytes(options.max_object_bytes as u64),
            reader: ObjectReader::new(options),
            refusals: Refusals::default(),
            kind: None,
        }
    }
}

impl Splitter<Result<RawObject, Rejected>, ListMeta> for ListSplitter {
    fn push(
        &mut self,
        frame: &Bytes,
        out: &mut Vec<Result<RawObject, Rejected>>,
    ) -> Result<(), SplitError> {
        let mut items = Vec::new();
        let pushed = self.splitter.push(frame, &mut items);
        for item in items {
            let item = self.read(item, frame)?;
            self.refusals.pass(item, out);
        }
        self.refusals.end_frame(out);
        pushed.map_err(SplitError::from)
    }

    fn finish(self: Box<Self>) -> Result<ListMeta, SplitError> {
        let meta = self.splitter.finish()?;
        Ok(ListMeta {
            resource_version: ResourceVersion::new(&meta.resource_version),
            continue_token: Some(meta.continue_token).filter(|token| !token.is_empty()),
            remaining_item_count: meta
                .remaining_item_count
                .and_then(|count| u64::try_from(count).ok()),
            shard_selector: Some(meta.shard_selector).filter(|selector| !selector.is_empty()),
        })
    }

    fn stats(&self) -> SplitStats {
        SplitStats {
            bytes: self.splitter.bytes(),
            ..self.reader.stats
        }
    }
}

impl ListSplitter {
    /// Turns an item into an object. Fails if the body should be requested in JSON.
    fn read(
        &mut self,
        item: Result<Bytes, BadFrame>,
        frame: &Bytes,
    ) -> Result<Result<RawObject, Rejected>, SplitError> {
        self.reader.stats.objects += 1;
        let item = match item {
            Ok(item) => item,
            Err(bad) => return self.reader.bad(&bad).rejected().map(Err),
        };
        let read = self.kind().and_then(|kind| {
            if let Some(reason) = self.reader.wrong_type(kind.api_version, kind.name) {
                return Ok(Err(Rejected::without_key(reason)));
            }
            let read = self.reader.read(kind, &item, !is_part_of(&item, frame));
            read.map(Ok)
        });
        read.or_else(|refusal| refusal.rejected().map(Err))
    }

    /// Returns the kind of the items. Items do not contain their type, so it follows from the type
    /// of the list.
    fn kind(&mut self) -> Result<&'static Kind, super::Refusal> {
        if let Some(kind) = self.kind {
            return Ok(kind);
        }
        let (api_version, list) = self.splitter.type_meta().unwrap_or_default();
        let kind = known(api_version, list.strip_suffix("List").unwrap_or(list))?;
        self.kind = Some(kind);
        Ok(kind)
    }
}

impl From<informer_protobuf::SplitError> for SplitError {
    fn from(error: informer_protobuf::SplitError) -> Self {
        use informer_protobuf::SplitError as Error;
        let kind = match &error {
            Error::Malformed { offset, expected } => {
                return Self::Malformed {
                    offset: *offset,
                    expected,
                };
            }
            Error::Truncated { bytes } => return Self::Truncated { bytes: *bytes },
            Error::NotAList { kind, .. } => kind.as_str(),
            // Covers errors that a later version of `informer-protobuf` may add.
            _ => "",
        };
        Self::not_a_list(kind)
    }
}

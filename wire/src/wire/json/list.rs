//! Splits the body of a LIST.

use bytes::Bytes;
use kube::core::TypeMeta;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::header::{self, Extent};
use super::object::ObjectReader;
use super::walk::{Token, ValueMode, Walker};
use crate::object::ResourceVersion;
use crate::wire::refusals::Refusals;
use crate::wire::split::{SplitError, SplitOptions, SplitStats, Splitter};
use crate::wire::{ListMeta, RawObject, Rejected};

#[derive(Debug)]
pub(in crate::wire) struct ListSplitter {
    walker: Walker,
    reader: ObjectReader,
    refusals: Refusals,
    member: Member,
    kind: Option<String>,
    api_version: Option<String>,
    /// Type of the items, once the type of the list is known.
    item_type: Option<TypeMeta>,
    meta: ListMeta,
    /// `true` if the metadata are those of an object.
    has_name: bool,
    /// `true` if the body has `items`, which may be null.
    has_items: bool,
    /// `true` after the end of the list.
    is_complete: bool,
}

/// Member of the list that is being read.
#[derive(Debug, Clone, Copy)]
enum Member {
    Kind,
    ApiVersion,
    Metadata,
    Items,
    Other,
}

/// `meta/v1.ListMeta`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMeta {
    resource_version: Option<String>,
    #[serde(rename = "continue")]
    continue_token: Option<String>,
    remaining_item_count: Option<i64>,
    shard_info: Option<ShardInfo>,
    /// Name of an object; lists have none.
    name: Option<IgnoredAny>,
}

/// `meta/v1.ShardInfo`.
#[derive(Deserialize)]
struct ShardInfo {
    selector: String,
}

// === impl ListSplitter ===

impl ListSplitter {
    pub(in crate::wire) fn new(options: SplitOptions) -> Self {
        Self {
            walker: Walker::new(options.max_object_bytes),
            reader: ObjectReader::new(options),
            refusals: Refusals::default(),
            member: Member::Other,
            kind: None,
            api_version: None,
            item_type: None,
            meta: ListMeta::default(),
            has_name: false,
            has_items: false,
            is_complete: false,
        }
    }
}

impl Splitter<Result<RawObject, Rejected>, ListMeta> for ListSplitter {
    fn push(
        &mut self,
        frame: &Bytes,
        out: &mut Vec<Result<RawObject, Rejected>>,
    ) -> Result<(), SplitError> {
        let mut at = 0;
        let mut found = None;
        while let Some(token) = self.walker.next(frame, &mut at)? {
            match token {
                Token::Begin if self.is_complete => {
                    return Err(self.malformed("one list only", at.saturating_sub(1)));
                }
                Token::Begin => {}
                Token::Key => self.on_key(),
                Token::Small => self.on_small(at)?,
                Token::Start => {
                    let text = frame.get(at..);
                    let walker = &mut self.walker;
                    found = self.reader.begin(text, Extent::Metadata, walker);
                }
                Token::Object(piece) => {
                    self.reader.count(&piece);
                    let list_type = self.item_type.as_ref();
                    let found = found.take();
                    let item = self.reader.read(piece, found, Extent::Metadata, list_type);
                    self.refusals.pass(item, out);
                }
                Token::End => {
                    self.is_complete = true;
                    self.check_is_list()?;
                }
            }
        }
        self.refusals.end_frame(out);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<ListMeta, SplitError> {
        self.walker.finish(self.is_complete)?;
        Ok(self.meta)
    }

    fn stats(&self) -> SplitStats {
        SplitStats {
            bytes: self.walker.bytes(),
            ..self.reader.stats
        }
    }
}

impl ListSplitter {
    fn on_key(&mut self) {
        let key = self.walker.key();
        let name = header::text(key, &(0..key.len())).unwrap_or_default();
        let (member, mode) = match name.as_ref() {
            "kind" => (Member::Kind, ValueMode::Small),
            "apiVersion" => (Member::ApiVersion, ValueMode::Small),
            "metadata" => (Member::Metadata, ValueMode::Small),
            "items" => (Member::Items, ValueMode::Objects),
            _ => (Member::Other, ValueMode::Skip),
        };
        self.has_items |= matches!(member, Member::Items);
        self.member = member;
        self.walker.set_mode(mode);
    }

    fn on_small(&mut self, at: usize) -> Result<(), SplitError> {
        let small = self.walker.small();
        match self.member {
            Member::Kind => self.kind = text(small).filter(|kind| !kind.is_empty()),
            Member::ApiVersion => self.api_version = text(small),
            Member::Metadata => {
                let wire = serde_json::from_slice::<Option<WireMeta>>(small)
                    .map_err(|_| self.malformed("a list's metadata first", at))?
                    .unwrap_or_default();
                self.has_name = wire.name.is_some();
                self.meta = wire.into();
                return Ok(());
            }
            Member::Items | Member::Other => return Ok(()),
        }
        self.item_type = self.item_type();
        Ok(())
    }

    /// Rejects other responses, which would look like an empty list. The kind alone says little: a
    /// definition may name its list as it likes.
    fn check_is_list(&self) -> Result<(), SplitError> {
        match self.kind.as_deref() {
            Some(kind @ ("Status" | "Table")) => Err(SplitError::not_a_list(kind)),
            _ if self.has_name => Err(SplitError::NotAList("a single object")),
            Some(kind) if !self.has_items && !kind.ends_with("List") => {
                Err(SplitError::not_a_list(kind))
            }
            None if self.meta.resource_version.is_unset() => Err(SplitError::NotAList(
                "an object without kind and resourceVersion",
            )),
            _ => Ok(()),
        }
    }

    fn item_type(&self) -> Option<TypeMeta> {
        let kind = self.kind.as_deref()?.strip_suffix("List")?;
        Some(TypeMeta {
            api_version: self.api_version.clone()?,
            kind: kind.to_owned(),
        })
    }

    fn malformed(&self, expected: &'static str, at: usize) -> SplitError {
        SplitError::Malformed {
            offset: self.walker.bytes() + at as u64,
            expected,
        }
    }
}

fn text(quoted: &[u8]) -> Option<String> {
    header::text(quoted, &(0..quoted.len())).map(Into::into)
}

// === impl WireMeta ===

impl From<WireMeta> for ListMeta {
    fn from(wire: WireMeta) -> Self {
        let resource_version = wire.resource_version.as_deref().unwrap_or_default();
        Self {
            resource_version: ResourceVersion::new(resource_version),
            continue_token: wire.continue_token.filter(|token| !token.is_empty()),
            remaining_item_count: wire
                .remaining_item_count
                .and_then(|count| u64::try_from(count).ok()),
            shard_selector: wire.shard_info.map(|info| info.selector),
        }
    }
}

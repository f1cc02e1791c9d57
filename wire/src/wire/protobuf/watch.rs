//! Splits the body of a WATCH: frames that consist of a length and a `WatchEvent`.

use std::mem;

use bytes::Bytes;
use informer_protobuf::{BadFrame, Envelope, Event, Header};

use super::object::{ENCODED, ObjectReader, Refusal, known};
use crate::object::ResourceVersion;
use crate::wire::kind::Kind;
use crate::wire::split::{SplitError, SplitOptions, SplitStats, Splitter};
use crate::wire::{ApiStatus, RawEvent, RawObject, Rejected, text};

/// Maximum length of an unknown event type, in bytes.
const MAX_TYPE: usize = 64;
/// Maximum overhead of an event around its object, in bytes: type, envelope and lengths.
const MAX_AROUND: u64 = 4 << 10;
/// Annotation that ends the initial events of a streaming list.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

#[derive(Debug)]
pub(in crate::wire) struct EventSplitter {
    splitter: informer_protobuf::EventSplitter,
    reader: ObjectReader,
    /// Events of the current frame; empty between frames.
    events: Vec<Result<Event, BadFrame>>,
    /// Kind of the last object; usually all objects have the same kind.
    kind: Option<&'static Kind>,
}

// === impl EventSplitter ===

impl EventSplitter {
    pub(in crate::wire) fn new(options: &SplitOptions) -> Self {
        let limit = (options.max_object_bytes as u64).saturating_add(MAX_AROUND);
        Self {
            splitter: informer_protobuf::EventSplitter::new().max_frame_bytes(limit),
            reader: ObjectReader::new(options),
            events: Vec::new(),
            kind: None,
        }
    }
}

impl Splitter<RawEvent, ()> for EventSplitter {
    fn push(&mut self, frame: &Bytes, out: &mut Vec<RawEvent>) -> Result<(), SplitError> {
        let mut events = mem::take(&mut self.events);
        let pushed = self.splitter.push(frame, &mut events);
        for event in events.drain(..) {
            self.reader.stats.objects += 1;
            let event = match self.event(event, frame) {
                Ok(event) => event,
                Err(refusal) => RawEvent::Rejected(refusal.rejected()?),
            };
            out.push(event);
        }
        self.events = events;
        Ok(pushed?)
    }

    fn finish(self: Box<Self>) -> Result<(), SplitError> {
        Ok(self.splitter.finish()?)
    }

    fn stats(&self) -> SplitStats {
        SplitStats {
            bytes: self.splitter.bytes(),
            ..self.reader.stats
        }
    }
}

impl EventSplitter {
    fn event(
        &mut self,
        event: Result<Event, BadFrame>,
        frame: &Bytes,
    ) -> Result<RawEvent, Refusal> {
        let event = event.map_err(|bad| self.reader.bad(&bad))?;
        Ok(match &*event.event_type {
            "ADDED" => RawEvent::Added(self.object(&event.object, frame)?),
            "MODIFIED" => RawEvent::Modified(self.object(&event.object, frame)?),
            "DELETED" => RawEvent::Deleted(self.object(&event.object, frame)?),
            "BOOKMARK" => self.bookmark(&event.object)?,
            "ERROR" => RawEvent::Error(ApiStatus::from_error_event(&event.object)),
            other => RawEvent::Unknown {
                event_type: text::printable(other, MAX_TYPE),
                resource_version: version(&Header::read(self.envelope(&event.object)?.raw)?),
            },
        })
    }

    fn object(&mut self, object: &Bytes, frame: &Bytes) -> Result<RawObject, Refusal> {
        let envelope = self.envelope(object)?;
        let matches =
            |kind: &&Kind| kind.name == envelope.kind && kind.api_version == envelope.api_version;
        let kind = match self.kind.filter(matches) {
            Some(kind) => kind,
            None => known(envelope.api_version, envelope.kind)?,
        };
        let raw = envelope.raw_of(object);
        self.kind = Some(kind);
        self.reader.read(kind, &raw, !is_part_of(&raw, frame))
    }

    fn bookmark(&self, object: &Bytes) -> Result<RawEvent, Refusal> {
        let header = Header::read(self.envelope(object)?.raw)?;
        let resource_version = version(&header);
        if resource_version.is_unset() {
            let rejected = Rejected::without_key("a bookmark without a resourceVersion");
            return Err(Refusal::Rejected(rejected));
        }
        Ok(RawEvent::Bookmark {
            resource_version,
            initial_events_end: header.annotations.get(INITIAL_EVENTS_END).as_deref()
                == Some("true"),
        })
    }

    /// Opens an envelope, and checks the type of its object.
    fn envelope<'a>(&self, object: &'a Bytes) -> Result<Envelope<'a>, Refusal> {
        let envelope = Envelope::parse(object).map_err(informer_protobuf::Error::from)?;
        if envelope.is_encoded() {
            return Err(Refusal::Unusual(ENCODED.to_owned()));
        }
        let Some(reason) = self.reader.wrong_type(envelope.api_version, envelope.kind) else {
            return Ok(envelope);
        };
        let key = super::read_header(envelope.raw).ok();
        Err(Refusal::Rejected(Rejected {
            key: key.map(|header| header.key),
            reason,
        }))
    }
}

fn version(header: &Header<'_>) -> ResourceVersion {
    ResourceVersion::new(header.resource_version)
}

/// Returns `true` if `part` is a slice of `frame`, not a copy.
pub(super) fn is_part_of(part: &Bytes, frame: &Bytes) -> bool {
    part.is_empty() || frame.as_ptr_range().contains(&part.as_ptr())
}

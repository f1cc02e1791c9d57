//! Splits the body of a WATCH: a sequence of objects with `type` and `object`.

use bytes::Bytes;
use serde::Deserialize;

use super::header::{self, Extent, Found};
use super::object::ObjectReader;
use super::walk::{Piece, Token, ValueMode, Walker};
use crate::wire::split::{SplitError, SplitOptions, SplitStats, Splitter};
use crate::wire::{ApiStatus, RawEvent, RawObject, Rejected, text};

/// Maximum length of an unknown event type, in bytes.
const MAX_TYPE: usize = 64;

#[derive(Debug)]
pub(in crate::wire) struct EventSplitter {
    walker: Walker,
    reader: ObjectReader,
    event_type: Option<String>,
    /// Object of the event; kept until the end of the event, because `type` may follow it.
    object: Option<Piece>,
}

// === impl EventSplitter ===

impl EventSplitter {
    pub(in crate::wire) fn new(options: SplitOptions) -> Self {
        Self {
            walker: Walker::new(options.max_object_bytes),
            reader: ObjectReader::new(options),
            event_type: None,
            object: None,
        }
    }
}

impl Splitter<RawEvent, ()> for EventSplitter {
    fn push(&mut self, frame: &Bytes, out: &mut Vec<RawEvent>) -> Result<(), SplitError> {
        let mut at = 0;
        let mut found = None;
        while let Some(token) = self.walker.next(frame, &mut at)? {
            match token {
                Token::Begin => {
                    self.event_type = None;
                    self.object = None;
                    found = None;
                }
                Token::Key => self.on_key(),
                // The only small value is `type`.
                Token::Small => {
                    let small = self.walker.small();
                    self.event_type = header::text(small, &(0..small.len())).map(Into::into);
                }
                Token::Start => {
                    let text = frame.get(at..);
                    let walker = &mut self.walker;
                    found = self.reader.begin(text, Extent::TypeMeta, walker);
                }
                Token::Object(piece) => {
                    self.reader.count(&piece);
                    self.object = Some(piece);
                }
                Token::End => {
                    let read = self.event(found.take());
                    out.push(read.unwrap_or_else(RawEvent::Rejected));
                }
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SplitError> {
        self.walker.finish(true)
    }

    fn stats(&self) -> SplitStats {
        SplitStats {
            bytes: self.walker.bytes(),
            ..self.reader.stats
        }
    }
}

impl EventSplitter {
    fn on_key(&mut self) {
        let key = self.walker.key();
        let name = header::text(key, &(0..key.len())).unwrap_or_default();
        let mode = match name.as_ref() {
            "type" => ValueMode::Small,
            "object" => ValueMode::Object,
            _ => ValueMode::Skip,
        };
        self.walker.set_mode(mode);
    }

    /// Builds an event from its members; `found` is the header of the object, if this frame holds
    /// the whole object.
    fn event(&mut self, found: Option<Found<'_>>) -> Result<RawEvent, Rejected> {
        let Some(event_type) = self.event_type.take() else {
            return Err(rejected("an event without a type"));
        };
        let Some(object) = self.object.take() else {
            return Err(rejected("an event without an object"));
        };
        Ok(match event_type.as_str() {
            "ADDED" => RawEvent::Added(self.object(object, found)?),
            "MODIFIED" => RawEvent::Modified(self.object(object, found)?),
            "DELETED" => RawEvent::Deleted(self.object(object, found)?),
            "BOOKMARK" => self.bookmark(&object)?,
            "ERROR" => RawEvent::Error(ApiStatus::from_error_event(object.as_bytes())),
            other => RawEvent::Unknown {
                event_type: text::printable(other, MAX_TYPE),
                resource_version: self
                    .reader
                    .examine(&object, Extent::TypeMeta)?
                    .resource_version(),
            },
        })
    }

    fn object(&mut self, piece: Piece, found: Option<Found<'_>>) -> Result<RawObject, Rejected> {
        // In a watch, servers write the object's type first; if it is missing, the header reader
        // reads the whole object.
        self.reader.read(piece, found, Extent::TypeMeta, None)
    }

    fn bookmark(&self, piece: &Piece) -> Result<RawEvent, Rejected> {
        let found = self.reader.examine(piece, Extent::TypeMeta)?;
        let resource_version = found.resource_version();
        if resource_version.is_unset() {
            return Err(rejected("a bookmark without a resourceVersion"));
        }
        Ok(RawEvent::Bookmark {
            resource_version,
            initial_events_end: ends_initial_events(piece.as_bytes()),
        })
    }
}

fn rejected(reason: &'static str) -> Rejected {
    Rejected {
        key: None,
        reason: reason.to_owned(),
    }
}

/// Returns `true` if the annotation that ends a streaming list exists and is `"true"`.
fn ends_initial_events(object: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Object {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        annotations: Annotations,
    }
    #[derive(Deserialize)]
    struct Annotations {
        #[serde(rename = "k8s.io/initial-events-end")]
        initial_events_end: String,
    }
    serde_json::from_slice::<Object>(object)
        .is_ok_and(|object| object.metadata.annotations.initial_events_end == "true")
}

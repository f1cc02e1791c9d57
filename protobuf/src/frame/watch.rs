//! Splits the body of a WATCH incrementally.

use std::borrow::Cow;

use bytes::Bytes;

use super::SplitError;
use super::envelope::text;
use super::list::{FieldBody, MAX_ITEM_BYTES};
use crate::wire::{Malformed, Payload, Reader};

/// Splits the body of a WATCH into events as the body arrives.
///
/// Buffers at most one incomplete event.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// use informer_protobuf::{Envelope, EventSplitter};
///
/// let pod = informer_protobuf::wrap("v1", "Pod", b"");
/// let body = informer_protobuf::watch_frame("ADDED", &pod);
/// let mut splitter = EventSplitter::new();
/// let mut events = Vec::new();
/// splitter.push(&Bytes::from(body), &mut events)?;
/// let event = events.remove(0)?;
/// assert_eq!(event.event_type, "ADDED");
/// assert_eq!(Envelope::parse(&event.object)?.kind, "Pod");
/// splitter.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct EventSplitter {
    state: WatchState,
    max_frame_bytes: u64,
    bytes: u64,
    copies: u64,
}

/// One event of a watch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR`, or a type of a newer server.
    pub event_type: Cow<'static, str>,
    /// The object in its [`Envelope`](super::Envelope); for an `ERROR`, a `v1 Status`.
    pub object: Bytes,
}

/// An item or event that was rejected without being decoded; the others are not affected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadFrame {
    /// The item or event is too large.
    #[error("the object has {bytes} bytes, which exceeds the limit")]
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
    },
    /// The item or event is malformed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

#[derive(Debug)]
enum WatchState {
    /// Bytes of a length that have arrived, and their number.
    Length(u32, u8),
    Body(FieldBody),
    Skip(u64),
}

/// Smallest invalid length: no server stores such an object, and the first bytes of any text form
/// at least this number.
const NO_LENGTH: u64 = 0x2000_0000;

// === impl EventSplitter ===

impl Default for EventSplitter {
    fn default() -> Self {
        Self {
            state: WatchState::Length(0, 0),
            max_frame_bytes: MAX_ITEM_BYTES,
            bytes: 0,
            copies: 0,
        }
    }
}

impl EventSplitter {
    /// Creates a splitter for one body.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum size of an event, in bytes; larger events are rejected individually.
    /// Default: 64 MiB.
    #[must_use]
    pub fn max_frame_bytes(mut self, bytes: u64) -> Self {
        self.max_frame_bytes = bytes;
        self
    }

    /// Processes the next frame of the body, and appends the events that it completes to `out`.
    ///
    /// # Errors
    ///
    /// The body does not continue with events in protobuf, but with text, for example. Earlier
    /// events are in `out`.
    pub fn push(
        &mut self,
        frame: &Bytes,
        out: &mut Vec<Result<Event, BadFrame>>,
    ) -> Result<(), SplitError> {
        let before = self.bytes;
        self.bytes += frame.len() as u64;
        let mut at = 0;
        while at < frame.len() {
            match &mut self.state {
                WatchState::Length(length, count) => {
                    let byte = frame.get(at).copied().unwrap_or_default();
                    at += 1;
                    *length = (*length << 8) | u32::from(byte);
                    *count += 1;
                    if *count == 4 {
                        let event_bytes = u64::from(*length);
                        if event_bytes >= NO_LENGTH {
                            return Err(SplitError::Malformed {
                                offset: before + at as u64,
                                expected: "the length of an event",
                            });
                        }
                        self.on_length(event_bytes, out);
                    }
                }
                WatchState::Skip(left) => {
                    let read = left.to_owned().min((frame.len() - at) as u64);
                    *left -= read;
                    at += usize::try_from(read).unwrap_or_default();
                    if *left == 0 {
                        self.state = WatchState::Length(0, 0);
                    }
                }
                WatchState::Body(body) => {
                    let is_copied = !body.buffer.is_empty();
                    if let Some(event) = body.take(frame, &mut at) {
                        self.copies += u64::from(is_copied);
                        self.state = WatchState::Length(0, 0);
                        out.push(Event::read(&event).map_err(BadFrame::from));
                    }
                }
            }
        }
        Ok(())
    }

    /// Finishes the body.
    ///
    /// # Errors
    ///
    /// The body ends inside an event.
    pub fn finish(self) -> Result<(), SplitError> {
        match self.state {
            WatchState::Length(_, 0) => Ok(()),
            _ => Err(SplitError::Truncated { bytes: self.bytes }),
        }
    }

    /// Returns the number of bytes that have arrived.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of events that were copied because they span frames.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.copies
    }

    fn on_length(&mut self, length: u64, out: &mut Vec<Result<Event, BadFrame>>) {
        self.state = if length > self.max_frame_bytes {
            out.push(Err(BadFrame::TooLarge { bytes: length }));
            WatchState::Skip(length)
        } else if length == 0 {
            out.push(Err(Malformed("an event's type").into()));
            WatchState::Length(0, 0)
        } else {
            WatchState::Body(FieldBody::new(length))
        };
    }
}

// === impl Event ===

impl Event {
    /// Parses a `WatchEvent`, which has no envelope of its own.
    ///
    /// # Errors
    ///
    /// The bytes are not a `WatchEvent`.
    pub fn read(bytes: &Bytes) -> Result<Self, Malformed> {
        let mut event_type = None;
        let mut range = None;
        let mut reader = Reader::new(bytes);
        while let Some((number, payload)) = reader.record()? {
            match (number, payload) {
                (1, Payload::Bytes(bytes)) => event_type = Some(event_type_of(bytes)?),
                (2, Payload::Bytes(extension)) => {
                    let raw = raw_extension(extension)?;
                    // The object is the extension's first record; further records may follow.
                    let trailing = reader.rest().len() + raw.trailing;
                    let end = bytes.len() - trailing;
                    range = Some(end - raw.length..end);
                }
                (1 | 2, _) => return Err(Malformed("an event")),
                _ => {}
            }
        }
        let object = range.ok_or(Malformed("an event's object"))?;
        Ok(Self {
            event_type: event_type.ok_or(Malformed("an event's type"))?,
            object: bytes.slice(object),
        })
    }
}

/// Returns the type; known types need no allocation.
fn event_type_of(bytes: &[u8]) -> Result<Cow<'static, str>, Malformed> {
    Ok(Cow::Borrowed(match bytes {
        b"ADDED" => "ADDED",
        b"MODIFIED" => "MODIFIED",
        b"DELETED" => "DELETED",
        b"BOOKMARK" => "BOOKMARK",
        b"ERROR" => "ERROR",
        other => return Ok(Cow::Owned(text(other)?.to_owned())),
    }))
}

/// Position of the content of a `RawExtension`.
struct Raw {
    length: usize,
    trailing: usize,
}

fn raw_extension(bytes: &[u8]) -> Result<Raw, Malformed> {
    let mut reader = Reader::new(bytes);
    match reader.record()? {
        Some((1, Payload::Bytes(raw))) => Ok(Raw {
            length: raw.len(),
            trailing: reader.rest().len(),
        }),
        _ => Err(Malformed("an event's object")),
    }
}

//! Splits the body of a LIST incrementally.

use bytes::Bytes;

use super::envelope::{PREFIX, text, type_meta};
use super::{BadFrame, MAX_RESERVE};
use crate::wire::{Malformed, Payload, Reader, Tag, Varint, WireType};

/// Splits the body of a LIST into the messages of its items as the body arrives.
///
/// Buffers at most one incomplete item, and the list's metadata. Items inside one frame are slices
/// of it; items that span frames are copied once, or little more.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// use informer_protobuf::{Header, ListSplitter};
///
/// let body = informer_protobuf::to_vec(&serde_json::json!({
///     "apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "7"},
///     "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}],
/// }))?;
/// let mut splitter = ListSplitter::new();
/// let mut items = Vec::new();
/// for frame in body.chunks(5) {
///     splitter.push(&Bytes::copy_from_slice(frame), &mut items)?;
/// }
/// assert_eq!(splitter.type_meta(), Some(("v1", "PodList")));
/// assert_eq!(splitter.finish()?.resource_version, "7");
/// assert_eq!(Header::read(items[1].as_ref().unwrap())?.name, "b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ListSplitter {
    state: ListState,
    /// Remaining bytes of the list's message, while it is being read.
    list_left: Option<u64>,
    /// `true` after the end of the list's message.
    is_complete: bool,
    type_meta: Option<(String, String)>,
    meta: ListMeta,
    max_item_bytes: u64,
    bytes: u64,
    copies: u64,
}

/// Metadata of a list: `meta/v1.ListMeta`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListMeta {
    /// resourceVersion of the list.
    pub resource_version: String,
    /// Token of the next page; empty on the last one.
    pub continue_token: String,
    /// Number of objects on later pages, if the server reports it.
    pub remaining_item_count: Option<i64>,
    /// Shard selector that the server applied; empty if it sent all objects.
    pub shard_selector: String,
}

/// Error of a body that cannot be split.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The body is not a list, or not a watch, in protobuf. The message quotes nothing of it.
    #[error("malformed protobuf: expected {expected} before byte {offset}")]
    Malformed {
        /// Offset in the body.
        offset: u64,
        /// Expected element.
        expected: &'static str,
    },
    /// The body is a response of another kind.
    #[error("the response is a {kind} of {api_version}, not a list")]
    NotAList {
        /// Its apiVersion.
        api_version: String,
        /// Its kind.
        kind: String,
    },
    /// The body ended too early.
    #[error("the body ends inside an object, after {bytes} bytes")]
    Truncated {
        /// Number of bytes that had arrived.
        bytes: u64,
    },
}

/// Element that the next byte belongs to.
#[derive(Debug)]
enum ListState {
    Prefix(usize),
    /// Between two parts.
    Between,
    /// A tag of which at least one byte has arrived.
    Tag(Varint),
    Length(ListFieldKind, Varint),
    /// A number that is ignored.
    Number(Varint),
    Body(ListFieldKind, FieldBody),
    /// Bytes that are ignored.
    Skip(u64),
}

/// Element that a length belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListFieldKind {
    TypeMeta,
    List,
    ContentEncoding,
    ListMeta,
    Item,
    Other,
}

/// A part that is needed as a whole.
#[derive(Debug)]
pub(super) struct FieldBody {
    pub(super) left: u64,
    /// Bytes from earlier frames.
    pub(super) buffer: Vec<u8>,
}

/// Default maximum size of an item. etcd stores at most 1.5 MiB; aggregated servers may send more.
pub(super) const MAX_ITEM_BYTES: u64 = 64 << 20;
/// Maximum size of a part that is not an item. The longest one is the continue token, of some
/// hundred bytes.
const MAX_SMALL: u64 = 1 << 20;

// === impl ListSplitter ===

impl Default for ListSplitter {
    fn default() -> Self {
        Self {
            state: ListState::Prefix(0),
            list_left: None,
            is_complete: false,
            type_meta: None,
            meta: ListMeta::default(),
            max_item_bytes: MAX_ITEM_BYTES,
            bytes: 0,
            copies: 0,
        }
    }
}

impl ListSplitter {
    /// Creates a splitter for one body.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum size of an item, in bytes; larger items are rejected individually. Default:
    /// 64 MiB.
    #[must_use]
    pub fn max_item_bytes(mut self, bytes: u64) -> Self {
        self.max_item_bytes = bytes;
        self
    }

    /// Processes the next frame of the body, and appends the messages of the items that it
    /// completes to `out`. For an item that is too large, appends an error with its size.
    ///
    /// # Errors
    ///
    /// The body is not a list. Earlier items are in `out`; the list has failed as a whole.
    pub fn push(
        &mut self,
        frame: &Bytes,
        out: &mut Vec<Result<Bytes, BadFrame>>,
    ) -> Result<(), SplitError> {
        let mut at = 0;
        while at < frame.len() || self.is_at_end_of_part() {
            let before = at;
            let result = self.step(frame, &mut at, out);
            let read = (at - before) as u64;
            self.bytes += read;
            result.map_err(|fault| self.fault(fault))?;
        }
        Ok(())
    }

    /// Finishes the body.
    ///
    /// # Errors
    ///
    /// The list is not complete.
    pub fn finish(self) -> Result<ListMeta, SplitError> {
        if self.is_complete && matches!(self.state, ListState::Between) {
            return Ok(self.meta);
        }
        Err(SplitError::Truncated { bytes: self.bytes })
    }

    /// Returns the list's apiVersion and kind as soon as they have been read, which is before the
    /// first item.
    #[must_use]
    pub fn type_meta(&self) -> Option<(&str, &str)> {
        let (api_version, kind) = self.type_meta.as_ref()?;
        Some((api_version, kind))
    }

    /// Returns the list's metadata as far as they have been read: Kubernetes writes them before the
    /// items.
    #[must_use]
    pub fn list_meta(&self) -> &ListMeta {
        &self.meta
    }

    /// Returns the number of bytes that have arrived.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of items that were copied because they span frames.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// `true` if an empty part can be finished without a further byte.
    fn is_at_end_of_part(&self) -> bool {
        match &self.state {
            ListState::Body(_, body) => body.left == 0,
            ListState::Skip(left) => *left == 0,
            ListState::Between => self.list_left == Some(0),
            _ => false,
        }
    }

    fn step(
        &mut self,
        frame: &Bytes,
        at: &mut usize,
        out: &mut Vec<Result<Bytes, BadFrame>>,
    ) -> Result<(), Fault> {
        if let ListState::Body(part, body) = &mut self.state {
            let kind = *part;
            let start = *at;
            let is_copied = !body.buffer.is_empty();
            let taken = body.take(frame, at);
            let read = *at - start;
            if taken.is_some() && kind == ListFieldKind::Item {
                self.copies += u64::from(is_copied);
            }
            self.consume(read as u64)?;
            if let Some(content) = taken {
                self.state = ListState::Between;
                self.complete(kind, content, out)?;
            }
            return Ok(());
        }
        if let ListState::Skip(left) = &mut self.state {
            let here = (frame.len() - *at) as u64;
            let read = here.min(*left);
            *left -= read;
            if *left == 0 {
                self.state = ListState::Between;
            }
            // Cannot overflow: `read` is at most the length of the frame.
            *at += usize::try_from(read).unwrap_or_default();
            return Ok(self.consume(read)?);
        }
        if matches!(self.state, ListState::Between) && self.list_left == Some(0) {
            self.list_left = None;
            self.is_complete = true;
            return Ok(());
        }
        let Some(&byte) = frame.get(*at) else {
            return Ok(());
        };
        *at += 1;
        self.consume(1)?;
        self.on_byte(byte, out)
    }

    /// Counts bytes of the list's message.
    fn consume(&mut self, bytes: u64) -> Result<(), Malformed> {
        if let Some(left) = &mut self.list_left {
            let Some(after) = left.checked_sub(bytes) else {
                return Err(Malformed("the end of the list"));
            };
            *left = after;
        }
        Ok(())
    }

    fn on_byte(&mut self, byte: u8, out: &mut Vec<Result<Bytes, BadFrame>>) -> Result<(), Fault> {
        match &mut self.state {
            ListState::Prefix(at) => {
                if PREFIX.get(*at) != Some(&byte) {
                    return Err(Malformed("the prefix k8s\\0").into());
                }
                *at += 1;
                if *at == PREFIX.len() {
                    self.state = ListState::Between;
                }
            }
            ListState::Between => {
                self.state = ListState::Tag(Varint::default());
                return self.on_byte(byte, out);
            }
            ListState::Tag(varint) => {
                if let Some(tag) = varint.push(byte)? {
                    self.on_tag(Tag::new(tag)?)?;
                }
            }
            ListState::Number(varint) => {
                if varint.push(byte)?.is_some() {
                    self.state = ListState::Between;
                }
            }
            ListState::Length(part, varint) => {
                let kind = *part;
                if let Some(length) = varint.push(byte)? {
                    self.on_length(kind, length, out)?;
                }
            }
            ListState::Body(..) | ListState::Skip(_) => {}
        }
        Ok(())
    }

    fn on_tag(&mut self, tag: Tag) -> Result<(), Malformed> {
        let part = match (self.list_left.is_some(), tag.number) {
            (true, 1) => ListFieldKind::ListMeta,
            (true, 2) => ListFieldKind::Item,
            (false, 1) => ListFieldKind::TypeMeta,
            (false, 2) => ListFieldKind::List,
            (false, 3) => ListFieldKind::ContentEncoding,
            _ => ListFieldKind::Other,
        };
        self.state = match tag.wire_type {
            WireType::Bytes => ListState::Length(part, Varint::default()),
            _ if part != ListFieldKind::Other => return Err(Malformed("a length")),
            WireType::Varint => ListState::Number(Varint::default()),
            WireType::Fixed64 => ListState::Skip(8),
            WireType::Fixed32 => ListState::Skip(4),
        };
        Ok(())
    }

    fn on_length(
        &mut self,
        part: ListFieldKind,
        length: u64,
        out: &mut Vec<Result<Bytes, BadFrame>>,
    ) -> Result<(), Fault> {
        if self.list_left.is_some_and(|left| length > left) {
            return Err(Malformed("the end of the list").into());
        }
        self.state = match part {
            ListFieldKind::Other => ListState::Skip(length),
            ListFieldKind::Item if length > self.max_item_bytes => {
                out.push(Err(BadFrame::TooLarge { bytes: length }));
                ListState::Skip(length)
            }
            ListFieldKind::Item => ListState::Body(part, FieldBody::new(length)),
            ListFieldKind::List if self.is_complete => {
                return Err(Malformed("one list only").into());
            }
            ListFieldKind::List => {
                self.check_type()?;
                self.list_left = Some(length);
                ListState::Between
            }
            // The items were read as the preceding type describes them.
            ListFieldKind::TypeMeta if self.is_complete => {
                return Err(Malformed("one type only, before its object").into());
            }
            ListFieldKind::TypeMeta | ListFieldKind::ContentEncoding | ListFieldKind::ListMeta => {
                if length > MAX_SMALL {
                    return Err(Malformed("a list's metadata").into());
                }
                ListState::Body(part, FieldBody::new(length))
            }
        };
        Ok(())
    }

    /// Rejects a response that is not a list.
    fn check_type(&self) -> Result<(), Fault> {
        match &self.type_meta {
            None => Err(Malformed("a type before its object").into()),
            Some((_, kind)) if kind.ends_with("List") => Ok(()),
            Some((api_version, kind)) => Err(Fault::NotAList {
                api_version: api_version.clone(),
                kind: kind.clone(),
            }),
        }
    }

    fn complete(
        &mut self,
        part: ListFieldKind,
        content: Bytes,
        out: &mut Vec<Result<Bytes, BadFrame>>,
    ) -> Result<(), Malformed> {
        match part {
            ListFieldKind::Item => out.push(Ok(content)),
            ListFieldKind::ListMeta => self.meta = ListMeta::read(&content)?,
            ListFieldKind::TypeMeta => {
                let (api_version, kind) = type_meta(&content)?;
                self.type_meta = Some((api_version.to_owned(), kind.to_owned()));
            }
            ListFieldKind::ContentEncoding if !content.is_empty() => {
                return Err(Malformed("a list that is not encoded once more"));
            }
            ListFieldKind::ContentEncoding | ListFieldKind::List | ListFieldKind::Other => {}
        }
        Ok(())
    }

    fn fault(&self, fault: Fault) -> SplitError {
        match fault {
            Fault::Malformed(Malformed(expected)) => SplitError::Malformed {
                offset: self.bytes,
                expected,
            },
            Fault::NotAList { api_version, kind } => SplitError::NotAList { api_version, kind },
        }
    }
}

/// An error without its offset.
enum Fault {
    Malformed(Malformed),
    NotAList { api_version: String, kind: String },
}

impl From<Malformed> for Fault {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

// === impl FieldBody ===

impl FieldBody {
    pub(super) fn new(length: u64) -> Self {
        Self {
            left: length,
            buffer: Vec::new(),
        }
    }

    /// Takes the bytes of a frame from `at` on; returns the part when it is complete.
    pub(super) fn take(&mut self, frame: &Bytes, at: &mut usize) -> Option<Bytes> {
        let here = frame.len() - *at;
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let end = *at + here.min(left);
        let part = *at..end;
        *at = end;
        self.left -= part.len() as u64;
        if self.left == 0 && self.buffer.is_empty() {
            return Some(frame.slice(part));
        }
        if self.buffer.is_empty() {
            // Reserves the whole length if it is small, so that the part is copied once.
            self.buffer.reserve(left.min(part.len().max(MAX_RESERVE)));
        }
        self.buffer
            .extend_from_slice(frame.get(part).unwrap_or_default());
        (self.left == 0).then(|| std::mem::take(&mut self.buffer).into())
    }
}

// === impl ListMeta ===

impl ListMeta {
    /// Parses a `ListMeta`.
    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut meta = Self::default();
        let mut reader = Reader::new(bytes);
        while let Some(record) = reader.record()? {
            match record {
                (2, Payload::Bytes(bytes)) => text(bytes)?.clone_into(&mut meta.resource_version),
                (3, Payload::Bytes(bytes)) => text(bytes)?.clone_into(&mut meta.continue_token),
                (4, Payload::Varint(count)) => {
                    meta.remaining_item_count = Some(count.cast_signed());
                }
                (5, Payload::Bytes(bytes)) => {
                    let mut info = Reader::new(bytes);
                    while let Some(record) = info.record()? {
                        if let (1, Payload::Bytes(selector)) = record {
                            text(selector)?.clone_into(&mut meta.shard_selector);
                        }
                    }
                }
                (2..=5, _) => return Err(Malformed("a list's metadata")),
                _ => {}
            }
        }
        Ok(meta)
    }
}

//! Walks over the members of top-level objects, frame by frame.
//!
//! Only this module knows frame boundaries. For each member, the caller chooses how to treat the
//! value: skip it, or return it as a small value, an object, or the elements of an array.
//!
//! # Invariants
//!
//! 1. Between two frames, the walker holds at most one unfinished object, one key and one small
//!    value. The key and the small value have at most [`MAX_SMALL`] bytes each.
//! 2. Each byte of an object is copied at most once.

use bytes::Bytes;

use super::header::Lookahead;
use super::scan::{Scan, ValueScan, skip_space};
use crate::wire::split::SplitError;

/// Maximum length of a key and of a small value, in bytes. A continue token is a few kilobytes at
/// most.
const MAX_SMALL: usize = 64 << 10;
/// Maximum length of the part that is kept of an oversize object, in bytes. This part contains the
/// header.
const MAX_START: usize = 64 << 10;
/// Maximum capacity to reserve for an unfinished object, based on the size of the previous one.
const MAX_RESERVE: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Walker {
    place: Expected,
    scan: ValueScan,
    /// Part of the object at the current offset that the caller already read.
    lookahead: Lookahead,
    mode: ValueMode,
    /// Last key, including its quotes.
    key: Vec<u8>,
    /// Last small value.
    small: Vec<u8>,
    /// Parts of the object in earlier frames.
    partial: Vec<u8>,
    /// `true` if the object exceeds the limit; `partial` then holds its first part.
    is_oversize: bool,
    /// Size of the last object that spanned frames.
    last_spanning: usize,
    max_object: usize,
    /// Number of bytes before the current frame.
    offset: u64,
}

/// Grammar position: the element that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// A document, or the end of the body.
    Document,
    /// A key, or the end of an empty object.
    FirstKey,
    /// A key.
    Key,
    InKey,
    Colon,
    Value,
    InValue,
    /// A comma, or the end of the object.
    AfterValue,
    /// An element, or the end of an empty array.
    FirstElement,
    Element,
    InElement,
    /// A comma, or the end of the array.
    AfterElement,
}

/// Treatment of a member's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueMode {
    Skip,
    /// A string or small object, which the walker keeps.
    Small,
    /// One object.
    Object,
    /// An array of objects; null counts as an empty array.
    Objects,
}

/// Token that the walker returns.
#[derive(Debug)]
pub(super) enum Token {
    /// Opening brace of a document.
    Begin,
    /// A key: see [`Walker::key`]. The caller replies with [`Walker::set_mode`].
    Key,
    /// A small value: see [`Walker::small`].
    Small,
    /// Start of an object, or of another value in its place: see [`Walker::skip`].
    Start,
    /// A complete object, or another value in its place.
    Object(Piece),
    /// Closing brace of a document.
    End,
}

/// Text of an object.
#[derive(Debug)]
pub(super) enum Piece {
    /// Slice of the one frame that contains the object.
    Slice(Bytes),
    /// Copy of an object that spanned several frames.
    Joined(Vec<u8>),
    /// First part of an object that exceeds the limit.
    Oversize(Vec<u8>),
}

// === impl Walker ===

impl Walker {
    pub(super) fn new(max_object: usize) -> Self {
        Self {
            place: Expected::Document,
            scan: ValueScan::new(),
            lookahead: Lookahead::default(),
            mode: ValueMode::Skip,
            key: Vec::new(),
            small: Vec::new(),
            partial: Vec::new(),
            is_oversize: false,
            last_spanning: 0,
            max_object,
            offset: 0,
        }
    }

    /// Returns the last key, including its quotes.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the last small value.
    pub(super) fn small(&self) -> &[u8] {
        &self.small
    }

    /// Sets the treatment of the value whose key was just returned.
    pub(super) fn set_mode(&mut self, mode: ValueMode) {
        self.mode = mode;
    }

    /// Skips the part of the current object that the caller already read, so that it is not scanned
    /// again.
    pub(super) fn skip(&mut self, lookahead: Lookahead) {
        self.scan = ValueScan::between_members();
        self.lookahead = lookahead;
    }

    /// Checks that the body has ended where it should.
    pub(super) fn finish(&self, is_complete: bool) -> Result<(), SplitError> {
        if is_complete && self.place == Expected::Document {
            return Ok(());
        }
        let bytes = self.offset;
        Err(SplitError::Truncated { bytes })
    }

    /// Returns the number of bytes received, counting complete frames.
    pub(super) fn bytes(&self) -> u64 {
        self.offset
    }

    /// Returns the next token of `frame` at or after `at`, and moves `at` past it. Returns `None`
    /// at the end of the frame.
    pub(super) fn next(
        &mut self,
        frame: &Bytes,
        at: &mut usize,
    ) -> Result<Option<Token>, SplitError> {
        loop {
            let rest = frame.get(*at..).unwrap_or_default();
            let in_value = matches!(
                self.place,
                Expected::InKey | Expected::InValue | Expected::InElement
            );
            if !in_value {
                *at += skip_space(rest);
            }
            let Some(&byte) = frame.get(*at) else {
                self.offset += frame.len() as u64;
                return Ok(None);
            };
            let token = if in_value {
                self.scan(frame, at)?
            } else {
                self.punctuate(byte, at)?
            };
            if token.is_some() {
                return Ok(token);
            }
        }
    }

    /// Consumes one byte outside values, or starts a value at that byte.
    fn punctuate(&mut self, byte: u8, at: &mut usize) -> Result<Option<Token>, SplitError> {
        let mut token = None;
        let (next, is_taken) = match (self.place, byte) {
            (Expected::Document, b'{') => {
                token = Some(Token::Begin);
                (Expected::FirstKey, true)
            }
            (Expected::FirstKey | Expected::Key, b'"') => {
                self.scan = ValueScan::new();
                self.key.clear();
                (Expected::InKey, false)
            }
            (Expected::FirstKey | Expected::AfterValue, b'}') => {
                token = Some(Token::End);
                (Expected::Document, true)
            }
            (Expected::Colon, b':') => (Expected::Value, true),
            (Expected::Value, b'[') if self.mode == ValueMode::Objects => {
                (Expected::FirstElement, true)
            }
            // The scan distinguishes null from other values.
            (Expected::Value, byte) if self.mode != ValueMode::Objects || byte == b'n' => {
                self.scan = ValueScan::new();
                self.small.clear();
                token = (self.mode == ValueMode::Object).then_some(Token::Start);
                (Expected::InValue, false)
            }
            (Expected::AfterValue, b',') => (Expected::Key, true),
            (Expected::FirstElement | Expected::AfterElement, b']') => (Expected::AfterValue, true),
            (Expected::AfterElement, b',') => (Expected::Element, true),
            (Expected::FirstElement | Expected::Element, _) => {
                self.scan = ValueScan::new();
                token = Some(Token::Start);
                (Expected::InElement, false)
            }
            _ => return Err(self.malformed(self.place.expected(), *at)),
        };
        self.place = next;
        *at += usize::from(is_taken);
        Ok(token)
    }

    /// Continues with a key or value.
    fn scan(&mut self, frame: &Bytes, at: &mut usize) -> Result<Option<Token>, SplitError> {
        let start = *at;
        let rest = frame.get(start..).unwrap_or_default();
        let Lookahead { length, is_whole } = std::mem::take(&mut self.lookahead);
        let unread = rest.get(length..).filter(|_| !is_whole);
        let scan = unread.map_or(Scan::End(0), |unread| self.scan.feed(unread));
        let (piece, is_complete) = match scan {
            Scan::Bad => return Err(self.malformed("a value", start)),
            Scan::More => (rest, false),
            Scan::End(end) => (rest.get(..length + end).unwrap_or_default(), true),
        };
        *at += piece.len();
        if self.place == Expected::InKey {
            keep_small(&mut self.key, piece).ok_or_else(|| self.malformed(SMALL, start))?;
            if !is_complete {
                return Ok(None);
            }
            self.place = Expected::Colon;
            self.mode = ValueMode::Skip;
            return Ok(Some(Token::Key));
        }
        let was_element = self.place == Expected::InElement;
        let is_object = was_element || self.mode == ValueMode::Object;
        if !is_object && self.mode != ValueMode::Skip {
            keep_small(&mut self.small, piece).ok_or_else(|| self.malformed(SMALL, start))?;
        }
        if !is_complete {
            if is_object {
                self.join(piece);
            }
            return Ok(None);
        }
        self.place = if was_element {
            Expected::AfterElement
        } else {
            Expected::AfterValue
        };
        if is_object {
            let range = start..*at;
            return Ok(Some(Token::Object(self.complete(frame, range))));
        }
        match self.mode {
            ValueMode::Small => Ok(Some(Token::Small)),
            ValueMode::Objects if self.small != b"null" => Err(self.malformed("an array", start)),
            ValueMode::Skip | ValueMode::Object | ValueMode::Objects => Ok(None),
        }
    }

    /// Keeps a part of an object that continues in the next frame.
    fn join(&mut self, piece: &[u8]) {
        if self.is_oversize {
            return;
        }
        let room = self.max_object.saturating_sub(self.partial.len());
        if piece.len() > room {
            self.is_oversize = true;
            self.partial
                .extend_from_slice(piece.get(..room.min(MAX_START)).unwrap_or_default());
            self.partial.truncate(MAX_START);
            return;
        }
        if self.partial.is_empty() {
            let guess = self.last_spanning.min(MAX_RESERVE);
            self.partial.reserve(guess.max(piece.len()));
        }
        self.partial.extend_from_slice(piece);
    }

    /// Completes the object whose last part is `range` of `frame`.
    fn complete(&mut self, frame: &Bytes, range: std::ops::Range<usize>) -> Piece {
        let is_spanning = !self.partial.is_empty() || self.is_oversize;
        if !is_spanning && range.len() <= self.max_object {
            return Piece::Slice(frame.slice(range));
        }
        self.join(frame.get(range).unwrap_or_default());
        let joined = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.is_oversize) {
            return Piece::Oversize(joined);
        }
        self.last_spanning = joined.len();
        Piece::Joined(joined)
    }

    fn malformed(&self, expected: &'static str, at: usize) -> SplitError {
        SplitError::Malformed {
            offset: self.offset + at as u64,
            expected,
        }
    }
}

const SMALL: &str = "at most 64 KiB of metadata";

fn keep_small(kept: &mut Vec<u8>, piece: &[u8]) -> Option<()> {
    if kept.len() + piece.len() > MAX_SMALL {
        return None;
    }
    kept.extend_from_slice(piece);
    Some(())
}

// === impl Expected ===

impl Expected {
    fn expected(self) -> &'static str {
        match self {
            Self::Document => "an object",
            Self::FirstKey => "a key or `}`",
            Self::Key | Self::InKey => "a key",
            Self::Colon => "`:`",
            Self::Value => "an array",
            Self::InValue | Self::Element | Self::InElement => "a value",
            Self::AfterValue => "`,` or `}`",
            Self::FirstElement => "an element or `]`",
            Self::AfterElement => "`,` or `]`",
        }
    }
}

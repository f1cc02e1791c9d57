//! Walks over the members of top-level objects, frame by frame.
//!
//! The one place that knows where frames end. Its user says for each member what it wants of the
//! value: nothing, a small text, an object, or the elements of an array.
//!
//! # Invariants
//!
//! 1. Between two frames nothing is held but one unfinished object, and one key and one small
//!    text of at most [`MAX_SMALL`] bytes each.
//! 2. A byte of an object is copied at most once.

use bytes::Bytes;

use super::header::Lead;
use super::scan::{Scan, ValueScan, skip_space};
use crate::wire::split::SplitError;

/// Longest key, and longest small value, in bytes. A continue token is a few kilobytes at most.
const MAX_SMALL: usize = 64 << 10;
/// How much is kept of an object that is too large, in bytes: its header stands there.
const MAX_START: usize = 64 << 10;
/// How much is set aside for an unfinished object, going by the size of the one before.
const MAX_RESERVE: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Walker {
    place: Place,
    scan: ValueScan,
    /// What was read of the object that starts here, by the walker's user.
    lead: Lead,
    want: Want,
    /// The last key, with its quotes.
    key: Vec<u8>,
    /// The last small value.
    small: Vec<u8>,
    /// What earlier frames held of the object.
    partial: Vec<u8>,
    /// The object is larger than allowed; `partial` has its start.
    is_oversize: bool,
    /// Size of the last object that spanned frames.
    last_spanning: usize,
    max_object: usize,
    /// Bytes before the current frame.
    offset: u64,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A document, or nothing more.
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

/// What to do with a member's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Skip,
    /// A text or small object, kept by the walker.
    Small,
    /// One object.
    Object,
    /// An array of objects; null is an empty one.
    Objects,
}

/// What was met.
#[derive(Debug)]
pub(super) enum Token {
    /// A document's opening brace.
    Begin,
    /// A key: see [`Walker::key`], and answer with [`Walker::want`].
    Key,
    /// A small value: see [`Walker::small`].
    Small,
    /// An object (or what is in its place) starts here: see [`Walker::skip`].
    Start,
    /// An object (or what is in its place), complete.
    Object(Piece),
    /// A document's closing brace.
    End,
}

/// The text of an object.
#[derive(Debug)]
pub(super) enum Piece {
    /// It lay inside one frame, of which this is a slice.
    Slice(Bytes),
    /// It was put together from several frames.
    Joined(Vec<u8>),
    /// It is larger than allowed; this is its start.
    Oversize(Vec<u8>),
}

// === impl Walker ===

impl Walker {
    pub(super) fn new(max_object: usize) -> Self {
        Self {
            place: Place::Document,
            scan: ValueScan::new(),
            lead: Lead::default(),
            want: Want::Skip,
            key: Vec::new(),
            small: Vec::new(),
            partial: Vec::new(),
            is_oversize: false,
            last_spanning: 0,
            max_object,
            offset: 0,
        }
    }

    /// The last key, with its quotes.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The last small value.
    pub(super) fn small(&self) -> &[u8] {
        &self.small
    }

    /// Says what to do with the value of the key that was just met.
    pub(super) fn want(&mut self, want: Want) {
        self.want = want;
    }

    /// Says how much of the object that starts here was read already, so that it is not scanned again.
    pub(super) fn skip(&mut self, lead: Lead) {
        self.scan = ValueScan::between_members();
        self.lead = lead;
    }

    /// Whether no document is open.
    pub(super) fn is_between_documents(&self) -> bool {
        self.place == Place::Document
    }

    /// How much of the body has come, whole frames.
    pub(super) fn bytes(&self) -> u64 {
        self.offset
    }

    /// The next token of `frame` from `at` on, which is moved behind it; `None` when the frame is
    /// used up, and the next one is due.
    pub(super) fn next(
        &mut self,
        frame: &Bytes,
        at: &mut usize,
    ) -> Result<Option<Token>, SplitError> {
        loop {
            let rest = frame.get(*at..).unwrap_or_default();
            let in_value = matches!(self.place, Place::InKey | Place::InValue | Place::InElement);
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

    /// Takes one byte outside values, or starts a value at it.
    fn punctuate(&mut self, byte: u8, at: &mut usize) -> Result<Option<Token>, SplitError> {
        let mut token = None;
        let (next, is_taken) = match (self.place, byte) {
            (Place::Document, b'{') => {
                token = Some(Token::Begin);
                (Place::FirstKey, true)
            }
            (Place::FirstKey | Place::Key, b'"') => {
                self.scan = ValueScan::new();
                self.key.clear();
                (Place::InKey, false)
            }
            (Place::FirstKey | Place::AfterValue, b'}') => {
                token = Some(Token::End);
                (Place::Document, true)
            }
            (Place::Colon, b':') => (Place::Value, true),
            (Place::Value, b'[') if self.want == Want::Objects => (Place::FirstElement, true),
            // The scan finds out whether it is null.
            (Place::Value, byte) if self.want != Want::Objects || byte == b'n' => {
                self.scan = ValueScan::new();
                self.small.clear();
                token = (self.want == Want::Object).then_some(Token::Start);
                (Place::InValue, false)
            }
            (Place::AfterValue, b',') => (Place::Key, true),
            (Place::FirstElement | Place::AfterElement, b']') => (Place::AfterValue, true),
            (Place::AfterElement, b',') => (Place::Element, true),
            (Place::FirstElement | Place::Element, _) => {
                self.scan = ValueScan::new();
                token = Some(Token::Start);
                (Place::InElement, false)
            }
            _ => return Err(self.malformed(self.place.expected(), *at)),
        };
        self.place = next;
        *at += usize::from(is_taken);
        Ok(token)
    }

    /// Goes on with a key or value.
    fn scan(&mut self, frame: &Bytes, at: &mut usize) -> Result<Option<Token>, SplitError> {
        let start = *at;
        let rest = frame.get(start..).unwrap_or_default();
        let Lead { length, is_whole } = std::mem::take(&mut self.lead);
        let ahead = rest.get(length..).filter(|_| !is_whole);
        let scan = ahead.map_or(Scan::End(0), |ahead| self.scan.feed(ahead));
        let (piece, is_complete) = match scan {
            Scan::Bad => return Err(self.malformed("a value", start)),
            Scan::More => (rest, false),
            Scan::End(more) => (rest.get(..length + more).unwrap_or_default(), true),
        };
        *at += piece.len();
        if self.place == Place::InKey {
            keep_small(&mut self.key, piece).ok_or_else(|| self.malformed(SMALL, start))?;
            if !is_complete {
                return Ok(None);
            }
            self.place = Place::Colon;
            self.want = Want::Skip;
            return Ok(Some(Token::Key));
        }
        let was_element = self.place == Place::InElement;
        let is_object = was_element || self.want == Want::Object;
        if !is_object && self.want != Want::Skip {
            keep_small(&mut self.small, piece).ok_or_else(|| self.malformed(SMALL, start))?;
        }
        if !is_complete {
            if is_object {
                self.join(piece);
            }
            return Ok(None);
        }
        self.place = if was_element {
            Place::AfterElement
        } else {
            Place::AfterValue
        };
        if is_object {
            let range = start..*at;
            return Ok(Some(Token::Object(self.complete(frame, range))));
        }
        match self.want {
            Want::Small => Ok(Some(Token::Small)),
            Want::Objects if self.small != b"null" => Err(self.malformed("an array", start)),
            Want::Skip | Want::Object | Want::Objects => Ok(None),
        }
    }

    /// Keeps a part of an object that goes on in the next frame.
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

    /// Ends the object whose last part is `range` of `frame`.
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

const SMALL: &str = "no more than 64 KiB of metadata";

fn keep_small(kept: &mut Vec<u8>, piece: &[u8]) -> Option<()> {
    if kept.len() + piece.len() > MAX_SMALL {
        return None;
    }
    kept.extend_from_slice(piece);
    Some(())
}

// === impl Place ===

impl Place {
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

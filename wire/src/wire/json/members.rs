//! Iterates over the members of an object and the elements of an array, in a complete text.
//!
//! No byte is scanned twice, provided that the caller skips or enters the value of each member.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::{Scan, ValueScan, end_of_text, skip_space};

/// Reason why a text cannot be read.
pub(in crate::wire) type Reason = &'static str;

pub(super) const MALFORMED: Reason = "not a well-formed JSON object";

/// Members of one object in a complete text.
///
/// The caller must skip the value of each member that `next` returns, by `value`, `skip`, `text` or
/// `resume`. Then no byte is scanned twice.
pub(super) struct Members<'a> {
    bytes: &'a [u8],
    /// Offset after the opening brace, the last value, or the closing brace.
    pub(super) at: usize,
    /// `true` if a member was already read.
    has_previous: bool,
}

/// One member, by offsets.
pub(super) struct Member {
    /// Offset of the comma before the member; `None` for the first member.
    pub(super) comma: Option<usize>,
    /// Range of the key, including its quotes.
    pub(super) key: Range<usize>,
    /// `true` if the key contains escapes.
    is_escaped: bool,
    /// Offset of the value.
    pub(super) value: usize,
}

/// Elements of one array. The caller must skip each element that `next` returns, by `resume`.
pub(super) struct Elements<'a> {
    bytes: &'a [u8],
    /// Offset after the opening bracket, the last element, or the closing bracket.
    pub(super) at: usize,
    has_previous: bool,
}

// === impl Members ===

impl<'a> Members<'a> {
    pub(super) fn open(bytes: &'a [u8], at: usize) -> Option<Self> {
        (bytes.get(at) == Some(&b'{')).then_some(Self {
            bytes,
            at: at + 1,
            has_previous: false,
        })
    }

    /// Returns the next member; `None` at the closing brace.
    pub(super) fn next(&mut self) -> Result<Option<Member>, Reason> {
        let mut at = self.token(self.at);
        let mut comma = None;
        match self.bytes.get(at) {
            Some(b'}') => {
                self.at = at + 1;
                return Ok(None);
            }
            Some(b',') if self.has_previous => {
                comma = Some(at);
                at = self.token(at + 1);
            }
            Some(_) if !self.has_previous => {}
            _ => return Err(MALFORMED),
        }
        let (key, is_escaped) = quoted(self.bytes, at).ok_or(MALFORMED)?;
        let colon = self.token(key.end);
        if self.bytes.get(colon) != Some(&b':') {
            return Err(MALFORMED);
        }
        let value = self.token(colon + 1);
        self.has_previous = true;
        Ok(Some(Member {
            comma,
            key,
            is_escaped,
            value,
        }))
    }

    /// Skips the value of a member, and returns its range.
    pub(super) fn value(&mut self, member: &Member) -> Result<Range<usize>, Reason> {
        let value = self.scan(member.value)?;
        self.at = value.end;
        Ok(value)
    }

    /// Skips the value of a member.
    pub(super) fn skip(&mut self, member: &Member) -> Result<(), Reason> {
        self.value(member).map(|_| ())
    }

    /// Reads the value of a member, which must be a string or null.
    pub(super) fn text(
        &mut self,
        member: &Member,
        reason: Reason,
    ) -> Result<Option<Cow<'a, str>>, Reason> {
        if let Some((range, is_escaped)) = quoted(self.bytes, member.value) {
            self.at = range.end;
            let text = unquoted(self.bytes, &range, is_escaped);
            return text.map(Some).ok_or(reason);
        }
        let value = self.value(member)?;
        match self.bytes.get(value) {
            Some(b"null") => Ok(None),
            _ => Err(reason),
        }
    }

    /// Continues after a value that was read by other means.
    pub(super) fn resume(&mut self, end: usize) {
        self.at = end;
    }

    fn token(&self, at: usize) -> usize {
        token(self.bytes, at)
    }

    fn scan(&self, at: usize) -> Result<Range<usize>, Reason> {
        scan(self.bytes, at)
    }
}

// === impl Elements ===

impl<'a> Elements<'a> {
    pub(super) fn open(bytes: &'a [u8], at: usize) -> Option<Self> {
        (bytes.get(at) == Some(&b'[')).then_some(Self {
            bytes,
            at: at + 1,
            has_previous: false,
        })
    }

    /// Returns the offset of the next element; `None` at the closing bracket.
    pub(super) fn next(&mut self) -> Result<Option<usize>, Reason> {
        let at = token(self.bytes, self.at);
        let start = match self.bytes.get(at) {
            Some(b']') => {
                self.at = at + 1;
                return Ok(None);
            }
            Some(b',') if self.has_previous => token(self.bytes, at + 1),
            Some(_) if !self.has_previous => at,
            _ => return Err(MALFORMED),
        };
        self.has_previous = true;
        Ok(Some(start))
    }

    /// Continues after an element.
    pub(super) fn resume(&mut self, end: usize) {
        self.at = end;
    }
}

// === impl Member ===

impl Member {
    pub(super) fn name<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>, Reason> {
        unquoted(bytes, &self.key, self.is_escaped).ok_or(MALFORMED)
    }

    /// Returns the range of the member, whose value ends at `end`, and of one comma. Removing this
    /// range leaves the text well formed.
    pub(super) fn with_comma(&self, bytes: &[u8], end: usize) -> Range<usize> {
        if let Some(comma) = self.comma {
            return comma..end;
        }
        let rest = bytes.get(end..).unwrap_or_default();
        let next = skip_space(rest);
        match rest.get(next) {
            Some(b',') => self.key.start..end + next + 1,
            _ => self.key.start..end,
        }
    }
}

/// Returns the offset of the first token at or after `at`.
pub(super) fn token(bytes: &[u8], at: usize) -> usize {
    at + skip_space(bytes.get(at..).unwrap_or_default())
}

/// Returns the range of the value that starts at `at`.
pub(super) fn scan(bytes: &[u8], at: usize) -> Result<Range<usize>, Reason> {
    if let Some((range, _)) = quoted(bytes, at) {
        return Ok(range);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let Scan::End(length) = ValueScan::new().feed(rest) else {
        return Err(MALFORMED);
    };
    let is_nested = matches!(rest.first(), Some(b'{' | b'['));
    let scalar = rest.get(..length).filter(|_| !is_nested);
    // Reject other bytes: a scan of the whole text, which knows only strings and brackets, could
    // end at another offset.
    if scalar.is_some_and(|scalar| !scalar.iter().all(|&byte| is_in_scalars(byte))) {
        return Err(MALFORMED);
    }
    Ok(at..at + length)
}

fn is_in_scalars(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Returns the string at `range`, which includes its quotes. Allocates only for escapes.
pub(super) fn text<'a>(bytes: &'a [u8], range: &Range<usize>) -> Option<Cow<'a, str>> {
    let inner = bytes.get(range.start.checked_add(1)?..range.end.checked_sub(1)?)?;
    let is_escaped = memchr::memchr(b'\\', inner).is_some();
    unquoted(bytes, range, is_escaped)
}

/// Returns the range of the string that starts at `at`, and whether it contains escapes; `None` if
/// there is no string.
fn quoted(bytes: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let inner = bytes.get(at..)?.strip_prefix(b"\"")?;
    let (length, is_escaped) = end_of_text(inner)?;
    Some((at..at + 1 + length, is_escaped))
}

/// Returns the string at `range`, which includes its quotes.
fn unquoted<'a>(bytes: &'a [u8], range: &Range<usize>, is_escaped: bool) -> Option<Cow<'a, str>> {
    let quoted = bytes.get(range.clone())?;
    if is_escaped {
        return serde_json::from_slice::<String>(quoted)
            .ok()
            .map(Cow::Owned);
    }
    let inner = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    std::str::from_utf8(inner).ok().map(Cow::Borrowed)
}

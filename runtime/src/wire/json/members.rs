//! Walks the members of an object and the elements of an array, in a text that is there as a whole.
//!
//! No byte is scanned twice, if each member's value is stepped over or walked into.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::{Scan, ValueScan, end_of_text, skip_space};

/// Why a text cannot be read.
pub(in crate::wire) type Reason = &'static str;

pub(super) const MALFORMED: Reason = "not a well-formed JSON object";

/// The members of one object of a text that is there as a whole.
///
/// Each member that `next` gives has to be stepped over, by `value`, `skip`, `text` or
/// `resume`: so that no byte is scanned twice.
pub(super) struct Members<'a> {
    bytes: &'a [u8],
    /// Behind the opening brace, behind the last value, or behind the closing brace.
    pub(super) at: usize,
    /// Whether a member was read already.
    is_behind_member: bool,
}

/// One member, by offsets.
pub(super) struct Member {
    /// The comma before it; the first one has none.
    pub(super) comma: Option<usize>,
    /// With its quotes.
    pub(super) key: Range<usize>,
    /// Whether the key has escapes.
    is_escaped: bool,
    /// Where the value starts.
    pub(super) value: usize,
}

/// The elements of one array; each that `next` gives has to be stepped over by `resume`.
pub(super) struct Elements<'a> {
    bytes: &'a [u8],
    /// Behind the opening bracket, behind the last element, or behind the closing bracket.
    pub(super) at: usize,
    is_behind_element: bool,
}

// === impl Members ===

impl<'a> Members<'a> {
    pub(super) fn open(bytes: &'a [u8], at: usize) -> Option<Self> {
        (bytes.get(at) == Some(&b'{')).then_some(Self {
            bytes,
            at: at + 1,
            is_behind_member: false,
        })
    }

    /// The next member; `None` at the closing brace.
    pub(super) fn next(&mut self) -> Result<Option<Member>, Reason> {
        let mut at = self.token(self.at);
        let mut comma = None;
        match self.bytes.get(at) {
            Some(b'}') => {
                self.at = at + 1;
                return Ok(None);
            }
            Some(b',') if self.is_behind_member => {
                comma = Some(at);
                at = self.token(at + 1);
            }
            Some(_) if !self.is_behind_member => {}
            _ => return Err(MALFORMED),
        }
        let (key, is_escaped) = quoted(self.bytes, at).ok_or(MALFORMED)?;
        let colon = self.token(key.end);
        if self.bytes.get(colon) != Some(&b':') {
            return Err(MALFORMED);
        }
        let value = self.token(colon + 1);
        self.is_behind_member = true;
        Ok(Some(Member {
            comma,
            key,
            is_escaped,
            value,
        }))
    }

    /// Steps over a member's value, and says where it is.
    pub(super) fn value(&mut self, member: &Member) -> Result<Range<usize>, Reason> {
        let value = self.scan(member.value)?;
        self.at = value.end;
        Ok(value)
    }

    /// Steps over a member's value.
    pub(super) fn skip(&mut self, member: &Member) -> Result<(), Reason> {
        self.value(member).map(|_| ())
    }

    /// Steps over a member's value, which is a text, or null.
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

    /// Steps to the end of a value that was read by other means.
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
            is_behind_element: false,
        })
    }

    /// Where the next element starts; `None` at the closing bracket.
    pub(super) fn next(&mut self) -> Result<Option<usize>, Reason> {
        let at = token(self.bytes, self.at);
        let start = match self.bytes.get(at) {
            Some(b']') => {
                self.at = at + 1;
                return Ok(None);
            }
            Some(b',') if self.is_behind_element => token(self.bytes, at + 1),
            Some(_) if !self.is_behind_element => at,
            _ => return Err(MALFORMED),
        };
        self.is_behind_element = true;
        Ok(Some(start))
    }

    /// Steps to the end of an element.
    pub(super) fn resume(&mut self, end: usize) {
        self.at = end;
    }
}

// === impl Member ===

impl Member {
    pub(super) fn name<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>, Reason> {
        unquoted(bytes, &self.key, self.is_escaped).ok_or(MALFORMED)
    }

    /// The member, whose value ends at `end`, and one comma, so that what stays is well formed.
    pub(super) fn with_comma(&self, bytes: &[u8], end: usize) -> Range<usize> {
        if let Some(comma) = self.comma {
            return comma..end;
        }
        let behind = bytes.get(end..).unwrap_or_default();
        let next = skip_space(behind);
        match behind.get(next) {
            Some(b',') => self.key.start..end + next + 1,
            _ => self.key.start..end,
        }
    }
}

/// Where the next token is, from `at` on.
pub(super) fn token(bytes: &[u8], at: usize) -> usize {
    at + skip_space(bytes.get(at..).unwrap_or_default())
}

/// Where the value that starts at `at` is.
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
    // Else a scan of the whole, which knows strings and brackets only, could end elsewhere.
    if scalar.is_some_and(|scalar| !scalar.iter().all(|&byte| is_in_scalars(byte))) {
        return Err(MALFORMED);
    }
    Ok(at..at + length)
}

fn is_in_scalars(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// The text at `range`, which includes its quotes; allocates only for escapes.
pub(super) fn text<'a>(bytes: &'a [u8], range: &Range<usize>) -> Option<Cow<'a, str>> {
    let inner = bytes.get(range.start.checked_add(1)?..range.end.checked_sub(1)?)?;
    let is_escaped = memchr::memchr(b'\\', inner).is_some();
    unquoted(bytes, range, is_escaped)
}

/// Where the text that starts at `at` is, and whether it has escapes; `None` if there is none.
fn quoted(bytes: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let inner = bytes.get(at..)?.strip_prefix(b"\"")?;
    let (length, is_escaped) = end_of_text(inner)?;
    Some((at..at + 1 + length, is_escaped))
}

/// The text at `range`, which includes its quotes.
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

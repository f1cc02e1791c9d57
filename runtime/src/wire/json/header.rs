//! Reads an object's header without decoding the object.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::{Scan, ValueScan, skip_space};
use crate::wire::Header;
use crate::{ObjectKey, ResourceVersion, Uid};

/// When the reading stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// At the end of `metadata`. API servers write `kind` and `apiVersion` before it.
    Metadata,
    /// When `kind` and `apiVersion` were read too, or cannot come any more.
    TypeMeta,
}

/// What was read, each part as far as it is there.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) api_version: Option<Cow<'a, str>>,
    namespace: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    uid: Option<Cow<'a, str>>,
    resource_version: Option<Cow<'a, str>>,
    /// The bytes of the member `metadata.managedFields`, with one comma beside it.
    pub(super) managed_fields: Option<Range<usize>>,
}

/// Why a header cannot be read.
pub(super) type Reason = &'static str;

const MALFORMED: Reason = "not a well-formed JSON object";

/// Reads the header of the object that `bytes` holds.
///
/// # Errors
///
/// What is wrong with the object's text.
pub(super) fn read(bytes: &[u8], until: Until) -> Result<Found<'_>, Reason> {
    let mut found = Found::default();
    let mut has_metadata = false;
    let mut members = Members::open(bytes, skip_space(bytes)).ok_or("not an object")?;
    while let Some(member) = members.next()? {
        match member.key(bytes)?.as_ref() {
            "kind" => found.kind = members.text("kind is not a text")?,
            "apiVersion" => found.api_version = members.text("apiVersion is not a text")?,
            "metadata" => {
                has_metadata = true;
                found.read_metadata(&mut members)?;
            }
            _ => {
                members.value()?;
            }
        }
        let has_type = found.kind.is_some() && found.api_version.is_some();
        if has_metadata && (has_type || until == Until::Metadata) {
            break;
        }
    }
    Ok(found)
}

// === impl Found ===

impl<'a> Found<'a> {
    /// Reads the members of `metadata`, which is the value of the last member of `parent`.
    fn read_metadata(&mut self, parent: &mut Members<'a>) -> Result<(), Reason> {
        let Some(mut members) = parent.open_value() else {
            parent.value()?;
            return Ok(());
        };
        while let Some(member) = members.next()? {
            match member.key(members.bytes)?.as_ref() {
                "namespace" => self.namespace = members.text("namespace is not a text")?,
                "name" => self.name = members.text("name is not a text")?,
                "uid" => self.uid = members.text("uid is not a text")?,
                "resourceVersion" => {
                    self.resource_version = members.text("resourceVersion is not a text")?;
                }
                "managedFields" => {
                    let value = members.value()?;
                    self.managed_fields = Some(member.with_comma(&value, members.bytes));
                }
                _ => {
                    members.value()?;
                }
            }
        }
        parent.close_value(&members);
        Ok(())
    }

    /// The object's version; unset if it has none.
    pub(super) fn resource_version(&self) -> ResourceVersion {
        self.resource_version
            .as_deref()
            .map_or(ResourceVersion::UNSET, ResourceVersion::new)
    }

    /// The object's key, if it has a name.
    pub(super) fn key(&self) -> Option<ObjectKey> {
        let name = self.name.as_deref().filter(|name| !name.is_empty())?;
        Some(ObjectKey::new(self.namespace.as_deref(), name))
    }

    /// The header.
    ///
    /// # Errors
    ///
    /// There is no `metadata.name`.
    pub(super) fn header(&self) -> Result<Header, Reason> {
        Ok(Header {
            key: self.key().ok_or("it has no metadata.name")?,
            uid: self
                .uid
                .as_deref()
                .filter(|uid| !uid.is_empty())
                .map(Uid::new),
            resource_version: self.resource_version(),
        })
    }
}

/// The members of one object of a text that is there as a whole.
///
/// Each value is passed over before the next member is asked for: by [`value`](Self::value), by
/// [`text`](Self::text), or member by member. Thus none is scanned twice.
struct Members<'a> {
    bytes: &'a [u8],
    /// Behind the opening brace, at a value, behind it, or behind the closing brace.
    at: usize,
    /// Whether a member was read already.
    is_behind_member: bool,
}

/// One member, by offsets.
struct Member {
    /// The comma before it; the first one has none.
    comma: Option<usize>,
    /// With its quotes.
    key: Range<usize>,
}

// === impl Members ===

impl<'a> Members<'a> {
    fn open(bytes: &'a [u8], at: usize) -> Option<Self> {
        (bytes.get(at) == Some(&b'{')).then_some(Self {
            bytes,
            at: at + 1,
            is_behind_member: false,
        })
    }

    /// The next member; `None` behind the closing brace.
    fn next(&mut self) -> Result<Option<Member>, Reason> {
        let mut at = self.at_token(self.at);
        let mut comma = None;
        match self.bytes.get(at) {
            Some(b'}') => {
                self.at = at + 1;
                return Ok(None);
            }
            Some(b',') if self.is_behind_member => {
                comma = Some(at);
                at = self.at_token(at + 1);
            }
            Some(_) if !self.is_behind_member => {}
            _ => return Err(MALFORMED),
        }
        if self.bytes.get(at) != Some(&b'"') {
            return Err(MALFORMED);
        }
        let key = self.value_at(at)?;
        let colon = self.at_token(key.end);
        if self.bytes.get(colon) != Some(&b':') {
            return Err(MALFORMED);
        }
        self.at = self.at_token(colon + 1);
        self.is_behind_member = true;
        Ok(Some(Member { comma, key }))
    }

    /// Passes over the value of the last member.
    fn value(&mut self) -> Result<Range<usize>, Reason> {
        let value = self.value_at(self.at)?;
        self.at = value.end;
        Ok(value)
    }

    /// The value of the last member as a text; `None` if it is null.
    fn text(&mut self, reason: Reason) -> Result<Option<Cow<'a, str>>, Reason> {
        let value = self.value()?;
        if self.bytes.get(value.clone()) == Some(b"null") {
            return Ok(None);
        }
        text(self.bytes, &value).map(Some).ok_or(reason)
    }

    /// The members of the last member's value, if it is an object.
    fn open_value(&self) -> Option<Self> {
        Self::open(self.bytes, self.at)
    }

    /// Passes over the value whose members were all read.
    fn close_value(&mut self, members: &Self) {
        self.at = members.at;
    }

    fn at_token(&self, at: usize) -> usize {
        at + skip_space(self.bytes.get(at..).unwrap_or_default())
    }

    fn value_at(&self, at: usize) -> Result<Range<usize>, Reason> {
        match ValueScan::new().feed(self.bytes.get(at..).unwrap_or_default()) {
            Scan::End(length) => Ok(at..at + length),
            Scan::More | Scan::Bad => Err(MALFORMED),
        }
    }
}

// === impl Member ===

impl Member {
    fn key<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>, Reason> {
        text(bytes, &self.key).ok_or(MALFORMED)
    }

    /// The member and one comma, so that what stays is well formed.
    fn with_comma(&self, value: &Range<usize>, bytes: &[u8]) -> Range<usize> {
        if let Some(comma) = self.comma {
            return comma..value.end;
        }
        let behind = bytes.get(value.end..).unwrap_or_default();
        let next = skip_space(behind);
        let end = match behind.get(next) {
            Some(b',') => value.end + next + 1,
            _ => value.end,
        };
        self.key.start..end
    }
}

/// The text at `range`, which includes its quotes; allocates only for escapes.
pub(super) fn text<'a>(bytes: &'a [u8], range: &Range<usize>) -> Option<Cow<'a, str>> {
    let quoted = bytes.get(range.clone())?;
    let inner = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if memchr::memchr(b'\\', inner).is_some() {
        return serde_json::from_slice::<String>(quoted)
            .ok()
            .map(Cow::Owned);
    }
    std::str::from_utf8(inner).ok().map(Cow::Borrowed)
}

/// Reads the header of an object that is there as a whole.
///
/// # Errors
///
/// Says why there is none; without the object's content.
pub(in crate::wire) fn read_header(bytes: &[u8]) -> Result<Header, Reason> {
    read(bytes, Until::Metadata)?.header()
}

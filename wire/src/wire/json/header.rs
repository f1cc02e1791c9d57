//! Reads the header of an object without decoding the object.

use std::borrow::Cow;
use std::ops::Range;

pub(super) use super::members::text;
use super::members::{Members, Reason};
use super::scan::skip_space;
use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::wire::Header;

/// Point at which the reader stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The end of `metadata`. API servers write `kind` and `apiVersion` before it.
    Metadata,
    /// The point where `kind` and `apiVersion` were also read, or the end of the object.
    TypeMeta,
}

/// Length of the part of an object that was already read: up to a position between its members, or
/// the whole object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lookahead {
    pub(super) length: usize,
    /// `true` if the object was read to its closing brace.
    pub(super) is_whole: bool,
}

/// Header fields that were read; a field is `None` if it is missing.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) api_version: Option<Cow<'a, str>>,
    namespace: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    uid: Option<Cow<'a, str>>,
    resource_version: Option<Cow<'a, str>>,
    /// Byte range of the member `metadata.managedFields`, with one adjacent comma.
    pub(super) managed_fields: Option<Range<usize>>,
    /// Part of the object that the search for the object's end can skip.
    pub(super) lookahead: Lookahead,
}

/// Reads the header of the object that `bytes` start with. Ignores all bytes after the object.
///
/// # Errors
///
/// Returns the reason if the text of the object is malformed.
pub(super) fn read(bytes: &[u8], extent: Extent) -> Result<Found<'_>, Reason> {
    let mut found = Found::default();
    let mut has_metadata = false;
    let mut members = Members::open(bytes, skip_space(bytes)).ok_or("not an object")?;
    found.lookahead.is_whole = true;
    while let Some(member) = members.next()? {
        match member.name(bytes)?.as_ref() {
            "kind" => found.kind = members.text(&member, "kind is not a string")?,
            "apiVersion" => {
                found.api_version = members.text(&member, "apiVersion is not a string")?;
            }
            "metadata" => {
                has_metadata = true;
                match found.read_metadata(bytes, member.value)? {
                    Some(end) => members.resume(end),
                    None => members.skip(&member)?,
                }
            }
            _ => members.skip(&member)?,
        }
        let has_type = found.kind.is_some() && found.api_version.is_some();
        if has_metadata && (has_type || extent == Extent::Metadata) {
            found.lookahead.is_whole = false;
            break;
        }
    }
    found.lookahead.length = members.at;
    Ok(found)
}

// === impl Found ===

impl<'a> Found<'a> {
    /// Reads `metadata`, which starts at `at`. Returns its end, or `None` if it is not an object.
    fn read_metadata(&mut self, bytes: &'a [u8], at: usize) -> Result<Option<usize>, Reason> {
        let Some(mut members) = Members::open(bytes, at) else {
            return Ok(None);
        };
        while let Some(member) = members.next()? {
            match member.name(bytes)?.as_ref() {
                "namespace" => {
                    self.namespace = members.text(&member, "namespace is not a string")?;
                }
                "name" => self.name = members.text(&member, "name is not a string")?,
                "uid" => self.uid = members.text(&member, "uid is not a string")?,
                "resourceVersion" => {
                    self.resource_version =
                        members.text(&member, "resourceVersion is not a string")?;
                }
                "managedFields" => {
                    let value = members.value(&member)?;
                    self.managed_fields = Some(member.with_comma(bytes, value.end));
                }
                _ => members.skip(&member)?,
            }
        }
        Ok(Some(members.at))
    }

    /// Returns the object's version; unset if it has none.
    pub(super) fn resource_version(&self) -> ResourceVersion {
        self.resource_version
            .as_deref()
            .map_or(ResourceVersion::UNSET, ResourceVersion::new)
    }

    /// Returns the object's key, if it has a name.
    pub(super) fn key(&self) -> Option<ObjectKey> {
        let name = self.name.as_deref().filter(|name| !name.is_empty())?;
        Some(ObjectKey::new(self.namespace.as_deref(), name))
    }

    /// Returns the header.
    ///
    /// # Errors
    ///
    /// Fails if `metadata.name` is missing.
    pub(super) fn header(&self) -> Result<Header, Reason> {
        Ok(Header {
            key: self.key().ok_or("metadata.name is missing")?,
            uid: self
                .uid
                .as_deref()
                .filter(|uid| !uid.is_empty())
                .map(Uid::new),
            resource_version: self.resource_version(),
        })
    }
}

/// Reads the header of a complete object.
///
/// # Errors
///
/// Returns the reason if the header is unreadable; it quotes nothing of the object.
pub(in crate::wire) fn read_header(bytes: &[u8]) -> Result<Header, Reason> {
    read(bytes, Extent::Metadata)?.header()
}

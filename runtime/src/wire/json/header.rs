//! Reads an object's header without decoding the object.

use std::borrow::Cow;
use std::ops::Range;

pub(super) use super::members::text;
use super::members::{Members, Reason};
use super::scan::skip_space;
use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::wire::Header;

/// When the reading stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// At the end of `metadata`. API servers write `kind` and `apiVersion` before it.
    Metadata,
    /// When `kind` and `apiVersion` were read too, or cannot come any more.
    TypeMeta,
}

/// How much of an object's text was read: up to a place between its members, or all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lead {
    pub(super) length: usize,
    /// Its closing brace is the last byte that was read.
    pub(super) is_whole: bool,
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
    /// So much needs no other look to find out where the object ends.
    pub(super) lead: Lead,
}

/// Reads the header of the object that `bytes` start with. Looks at nothing behind the object.
///
/// # Errors
///
/// What is wrong with the object's text.
pub(super) fn read(bytes: &[u8], extent: Extent) -> Result<Found<'_>, Reason> {
    let mut found = Found::default();
    let mut has_metadata = false;
    let mut members = Members::open(bytes, skip_space(bytes)).ok_or("not an object")?;
    found.lead.is_whole = true;
    while let Some(member) = members.next()? {
        match member.name(bytes)?.as_ref() {
            "kind" => found.kind = members.text(&member, "kind is not a text")?,
            "apiVersion" => {
                found.api_version = members.text(&member, "apiVersion is not a text")?;
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
            found.lead.is_whole = false;
            break;
        }
    }
    found.lead.length = members.at;
    Ok(found)
}

// === impl Found ===

impl<'a> Found<'a> {
    /// Reads `metadata`, which starts at `at`; gives its end, or `None` if it is no object.
    fn read_metadata(&mut self, bytes: &'a [u8], at: usize) -> Result<Option<usize>, Reason> {
        let Some(mut members) = Members::open(bytes, at) else {
            return Ok(None);
        };
        while let Some(member) = members.next()? {
            match member.name(bytes)?.as_ref() {
                "namespace" => self.namespace = members.text(&member, "namespace is not a text")?,
                "name" => self.name = members.text(&member, "name is not a text")?,
                "uid" => self.uid = members.text(&member, "uid is not a text")?,
                "resourceVersion" => {
                    self.resource_version =
                        members.text(&member, "resourceVersion is not a text")?;
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

/// Reads the header of an object that is there as a whole.
///
/// # Errors
///
/// Says why there is none; without the object's content.
pub(in crate::wire) fn read_header(bytes: &[u8]) -> Result<Header, Reason> {
    read(bytes, Extent::Metadata)?.header()
}

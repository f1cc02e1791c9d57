//! Objects as bytes, with their headers.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::drop_fields::DropFields;
use super::encoding::Encoding;
use super::field_path::FieldPath;
use super::kind::Kind;
use crate::object::{ObjectKey, ResourceVersion, Uid};

/// An object as it was received: the header is parsed, the body is not decoded.
///
/// A clone shares the bytes. The `Debug` form shows the header and the size, never the content.
///
/// # Examples
///
/// ```
/// # use informer_wire::wire::RawObject;
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let raw = RawObject::json(r#"{"metadata":{"namespace":"a","name":"b"},"data":{"k":"v"}}"#)?;
/// assert_eq!(raw.key().to_string(), "a/b");
/// let config: ConfigMap = raw.decode()?;
/// assert_eq!(config.data.unwrap_or_default()["k"], "v");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RawObject {
    header: Header,
    spelling: RawEncoding,
    bytes: Bytes,
    /// Fields that were cut, for the errors of decoders that miss them.
    dropped: Option<DropFields>,
    /// Limit that the object exceeds; its bytes were not kept.
    oversize: Option<usize>,
}

/// Encoding of the bytes of an object.
#[derive(Debug, Clone, Copy)]
pub enum RawEncoding {
    /// The JSON of the object.
    Json,
    /// The message without an envelope, and its kind, which the message does not contain.
    Protobuf(&'static Kind),
}

/// Metadata that look-ups need in addition to the header; see [`RawObject::related`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Related<'a> {
    /// Labels, in ascending order of unique keys.
    pub labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Owner reference with `controller: true`.
    pub controller: Option<OwnerReference>,
}

/// Error of values that cannot be read at a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {reason}")]
pub struct PathError {
    /// The path.
    pub path: FieldPath,
    /// Reason; contains nothing of the object.
    pub reason: &'static str,
}

/// Metadata of an object that is known without decoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid`.
    pub uid: Option<Uid>,
    /// `metadata.resourceVersion`.
    pub resource_version: ResourceVersion,
}

/// Metadata of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListMeta {
    /// Version of the list.
    pub resource_version: ResourceVersion,
    /// Token of the next page; `None` on the last page.
    pub continue_token: Option<String>,
    /// Number of objects on later pages, if the server sent it.
    pub remaining_item_count: Option<u64>,
    /// Shard selector that the server applied, from `shardInfo`; `None` if it reports none.
    pub shard_selector: Option<String>,
}

/// Error of an item or event that was rejected without being decoded. Other items are not affected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("object {} rejected: {reason}", key.as_ref().map_or("without a key", ObjectKey::as_str))]
pub struct Rejected {
    /// The object's key, if it could be read.
    pub key: Option<ObjectKey>,
    /// Reason; contains nothing of the object.
    pub reason: String,
}

// === impl RawObject ===

impl RawObject {
    #[doc(hidden)]
    #[must_use]
    pub fn new(header: Header, spelling: RawEncoding, bytes: Bytes) -> Self {
        Self {
            header,
            spelling,
            bytes,
            dropped: None,
            oversize: None,
        }
    }

    /// Creates an object that is larger than `limit` bytes, of which only the header is kept. The
    /// object is known, so a relist does not delete it, but it never decodes.
    pub(crate) fn oversize(header: Header, spelling: RawEncoding, limit: usize) -> Self {
        Self {
            oversize: Some(limit),
            ..Self::new(header, spelling, Bytes::new())
        }
    }

    /// Returns the limit that the object exceeds, if its bytes were not kept.
    pub(super) fn oversize_limit(&self) -> Option<usize> {
        self.oversize
    }

    /// Returns the same object in other bytes, from which these fields were cut.
    pub(super) fn shortened(
        &self,
        spelling: RawEncoding,
        bytes: Bytes,
        dropped: &DropFields,
    ) -> Self {
        Self {
            header: self.header.clone(),
            spelling,
            bytes,
            dropped: Some(dropped.clone()),
            oversize: self.oversize,
        }
    }

    /// Returns the encoding of the bytes.
    #[doc(hidden)]
    #[must_use]
    pub fn spelling(&self) -> RawEncoding {
        self.spelling
    }

    /// Records the fields that were already cut from the bytes.
    #[doc(hidden)]
    #[must_use]
    pub fn with_dropped(mut self, dropped: Option<DropFields>) -> Self {
        self.dropped = dropped;
        self
    }

    /// Returns the fields that were cut from the bytes.
    #[doc(hidden)]
    #[must_use]
    pub fn dropped(&self) -> Option<&DropFields> {
        self.dropped.as_ref()
    }

    /// Returns the header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the namespace and name.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        &self.header.key
    }

    /// Returns `metadata.uid`.
    #[must_use]
    pub fn uid(&self) -> Option<&Uid> {
        self.header.uid.as_ref()
    }

    /// Returns `metadata.resourceVersion`; unset if it is missing.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.header.resource_version
    }

    /// Returns the encoding of [`bytes`](Self::bytes).
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        match self.spelling {
            RawEncoding::Json => Encoding::Json,
            RawEncoding::Protobuf(_) => Encoding::Protobuf,
        }
    }

    /// Returns the object as it was sent, without the fields that were cut: a JSON text, or a
    /// protobuf message without an envelope.
    ///
    /// The bytes may be a slice of a larger buffer, which stays alive as long as they do. Copy them
    /// to keep them for a long time.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}

impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawObject")
            .field("header", &self.header)
            .field("encoding", &self.encoding())
            .field("bytes", &self.bytes.len())
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
}

// === impl Related ===

impl Related<'_> {
    /// Sorts the labels by key. Among labels with the same key, the last one counts, as in
    /// decoders.
    pub(super) fn sort_labels(&mut self) {
        // The sort is stable.
        self.labels.sort_by(|left, right| left.0.cmp(&right.0));
        self.labels.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                std::mem::swap(later, first);
            }
            is_same
        });
    }
}

// === impl ListMeta ===

impl ListMeta {
    /// Creates the metadata of a complete list at this version.
    #[must_use]
    pub fn at(resource_version: impl Into<ResourceVersion>) -> Self {
        Self {
            resource_version: resource_version.into(),
            ..Self::default()
        }
    }

    /// Creates the metadata of a page that is followed by another page.
    #[must_use]
    pub fn page(
        resource_version: impl Into<ResourceVersion>,
        continue_token: impl Into<String>,
    ) -> Self {
        Self {
            resource_version: resource_version.into(),
            continue_token: Some(continue_token.into()),
            ..Self::default()
        }
    }
}

// === impl Rejected ===

impl Rejected {
    pub(super) fn without_key(reason: impl Into<String>) -> Self {
        Self {
            key: None,
            reason: reason.into(),
        }
    }
}

#[cfg(test)]
mod tests;

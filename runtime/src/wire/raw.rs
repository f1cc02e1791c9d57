//! Objects as bytes, with the header that was read of them.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::drop_fields::DropFields;
use super::encoding::Encoding;
use super::field_path::FieldPath;
use super::kind::Kind;
use crate::object::{ObjectKey, ResourceVersion, Uid};

/// An object as it came over the wire, its header read, its body not decoded.
///
/// Cloning copies no bytes. Its `Debug` form shows the header and the size, never the content.
///
/// # Examples
///
/// ```
/// # use informer_runtime::wire::RawObject;
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
    /// What was cut out, for the errors of decoders that miss it.
    dropped: Option<DropFields>,
    /// The limit that the object exceeds; its bytes were not kept.
    oversize: Option<usize>,
}

/// How the bytes of an object are to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RawEncoding {
    Json,
    /// The message alone, which does not say what it is of.
    Protobuf(&'static Kind),
}

/// What look-ups need of an object beside its header; see [`RawObject::related`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Related<'a> {
    /// Ascending by key, each once.
    pub labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The owner that says that it controls the object.
    pub controller: Option<OwnerReference>,
}

/// Why the values at a path cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {reason}")]
pub struct PathError {
    /// The path.
    pub path: FieldPath,
    /// What is in its way; holds no content of the object.
    pub reason: &'static str,
}

/// What is known of an object without decoding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid`.
    pub uid: Option<Uid>,
    /// `metadata.resourceVersion`.
    pub resource_version: ResourceVersion,
}

/// What a list says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListMeta {
    /// The version that the list is of.
    pub resource_version: ResourceVersion,
    /// Where the next page starts; `None` on the last one.
    pub continue_token: Option<String>,
    /// How many objects follow on later pages, if the server says so.
    pub remaining_item_count: Option<u64>,
}

/// An item or event that was refused without being decoded; the others are not affected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("object {} rejected: {reason}", key.as_ref().map_or("without a key", ObjectKey::as_str))]
pub struct Rejected {
    /// The object's key, if it could be read.
    pub key: Option<ObjectKey>,
    /// Why; holds no content of the object.
    pub reason: String,
}

// === impl RawObject ===

impl RawObject {
    pub(crate) fn new(header: Header, spelling: RawEncoding, bytes: Bytes) -> Self {
        Self {
            header,
            spelling,
            bytes,
            dropped: None,
            oversize: None,
        }
    }

    /// An object that is larger than `limit` bytes, of which only the header is kept: it is known, so
    /// it is not taken for deleted, and it never decodes.
    pub(crate) fn oversize(header: Header, spelling: RawEncoding, limit: usize) -> Self {
        Self {
            oversize: Some(limit),
            ..Self::new(header, spelling, Bytes::new())
        }
    }

    /// The limit that the object exceeds, if its bytes were not kept.
    pub(super) fn oversize_limit(&self) -> Option<usize> {
        self.oversize
    }

    /// The same object in other bytes, of which these fields were cut.
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

    /// How the bytes are to be read.
    pub(crate) fn spelling(&self) -> RawEncoding {
        self.spelling
    }

    /// Says what was cut out of the bytes before.
    pub(crate) fn with_dropped(mut self, dropped: Option<DropFields>) -> Self {
        self.dropped = dropped;
        self
    }

    /// What was cut out of the bytes.
    pub(crate) fn dropped(&self) -> Option<&DropFields> {
        self.dropped.as_ref()
    }

    /// What is known without decoding.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Namespace and name.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        &self.header.key
    }

    /// `metadata.uid`.
    #[must_use]
    pub fn uid(&self) -> Option<&Uid> {
        self.header.uid.as_ref()
    }

    /// `metadata.resourceVersion`; unset if there is none.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.header.resource_version
    }

    /// How [`bytes`](Self::bytes) are encoded.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        match self.spelling {
            RawEncoding::Json => Encoding::Json,
            RawEncoding::Protobuf(_) => Encoding::Protobuf,
        }
    }

    /// The apiVersion and kind of an object in protobuf, whose bytes do not say it.
    #[must_use]
    pub fn protobuf_type(&self) -> Option<(&'static str, &'static str)> {
        match self.spelling {
            RawEncoding::Json => None,
            RawEncoding::Protobuf(kind) => Some((kind.api_version, kind.name)),
        }
    }

    /// The object as it was sent, less what was cut out: a JSON text, or the message alone,
    /// without an envelope.
    ///
    /// May be a slice of a larger buffer, which stays alive as long as this does: copy what is
    /// to be kept for long.
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
    /// Sorts the labels by key. Of labels with one key the last one counts, as for decoders.
    pub(super) fn sort_labels(&mut self) {
        // Stable.
        self.labels.sort_by(|one, other| one.0.cmp(&other.0));
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
    /// Of a list that is complete, at this version.
    #[must_use]
    pub fn at(resource_version: impl Into<ResourceVersion>) -> Self {
        Self {
            resource_version: resource_version.into(),
            ..Self::default()
        }
    }

    /// Of a page that another one follows.
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

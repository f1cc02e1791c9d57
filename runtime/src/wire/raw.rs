//! Objects as bytes, with the header that was read of them.

mod event;

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::event::RawEvent;
use super::decode::{self, DecodeError};
use super::drop_fields::DropFields;
use super::encoding::Encoding;
use super::field_path::FieldPath;
use super::json;
use super::protobuf::{self, Kind, Refusal, Shorter};
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

/// What look-ups need of an object beside its header.
#[derive(Debug, Default)]
pub(crate) struct Related<'a> {
    /// Ascending by key, each once.
    pub(crate) labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The owner that says that it controls the object.
    pub(crate) controller: Option<OwnerReference>,
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
    /// The object that a JSON text holds. Nothing is cut out of it.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, or has no `metadata.name`.
    pub fn json(bytes: impl Into<Bytes>) -> Result<Self, Rejected> {
        let bytes = bytes.into();
        let header = json::read_header(&bytes).map_err(Rejected::without_key)?;
        Ok(Self::new(header, RawEncoding::Json, bytes))
    }

    /// The object in an envelope, as an API server answers in protobuf. Nothing is cut out of it.
    ///
    /// # Errors
    ///
    /// The bytes are no such envelope, its kind has no message that is known, or the object has no
    /// `metadata.name`.
    pub fn protobuf(bytes: impl Into<Bytes>) -> Result<Self, Rejected> {
        let bytes = bytes.into();
        protobuf::open(&bytes).map_err(|refusal| match refusal {
            Refusal::Rejected(rejected) => rejected,
            Refusal::Unusual(reason) => Rejected::without_key(reason),
        })
    }

    /// The object that `value` serializes to.
    ///
    /// # Errors
    ///
    /// `value` does not serialize, or has no `metadata.name`.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, Rejected> {
        let bytes = serde_json::to_vec(value)
            .map_err(|_| Rejected::without_key("it does not serialize"))?;
        Self::json(bytes)
    }

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

    /// Refuses an object whose bytes were not kept.
    ///
    /// # Errors
    ///
    /// The object is larger than [`SplitOptions::max_object_bytes`](super::SplitOptions).
    pub(crate) fn check_size(&self) -> Result<(), DecodeError> {
        match self.oversize {
            None => Ok(()),
            Some(limit) => Err(DecodeError::of_whole(
                &self.header,
                format!("the object is larger than {limit} bytes"),
            )),
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

    /// Decodes the object.
    ///
    /// # Errors
    ///
    /// It is not a `K`. Only then it is read a second time, to learn where.
    pub fn decode<K: DeserializeOwned>(&self) -> Result<K, DecodeError> {
        self.check_size()?;
        let decoded = match self.spelling {
            RawEncoding::Json => decode::json(&self.header, &self.bytes),
            RawEncoding::Protobuf(kind) => decode::protobuf(&self.header, kind, &self.bytes),
        };
        decoded.map_err(|error| match &self.dropped {
            Some(dropped) => dropped.explain(error),
            None => error,
        })
    }

    /// The object without these fields. One pass over the bytes; a copy only if it has one of
    /// them. What is malformed is left to the decoder.
    #[must_use]
    pub fn without(&self, fields: &DropFields) -> Self {
        let shorter = match self.spelling {
            RawEncoding::Json => {
                let ranges = json::cut::ranges(&self.bytes, fields.root()).unwrap_or_default();
                if ranges.is_empty() {
                    Shorter::Same
                } else {
                    Shorter::Json(json::cut::without(&self.bytes, &ranges).into())
                }
            }
            RawEncoding::Protobuf(kind) => protobuf::shorten(kind, &self.bytes, fields),
        };
        let (spelling, bytes) = match shorter {
            Shorter::Same => (self.spelling, self.bytes.clone()),
            Shorter::Protobuf(bytes) => (self.spelling, bytes),
            Shorter::Json(bytes) => (RawEncoding::Json, bytes),
        };
        Self {
            header: self.header.clone(),
            spelling,
            bytes,
            dropped: Some(fields.clone()),
            oversize: self.oversize,
        }
    }

    /// The scalars at `path`, as text, in the order of the document; read from the bytes, without
    /// decoding the object. Arrays are gone through, and `null` is no value.
    ///
    /// # Errors
    ///
    /// The path leads to an object, or the bytes are malformed.
    pub fn values_at(&self, path: &FieldPath) -> Result<Vec<String>, PathError> {
        let names = path.segments();
        let values = match self.spelling {
            RawEncoding::Json => json::values::at_path(&self.bytes, names),
            RawEncoding::Protobuf(kind) => protobuf::at_path(kind, &self.bytes, names),
        };
        values.map_err(|reason| PathError {
            path: path.clone(),
            reason,
        })
    }

    /// Labels and controller, as far as they can be read.
    pub(crate) fn related(&self) -> Related<'_> {
        match self.spelling {
            RawEncoding::Json => json::related::read(&self.bytes),
            RawEncoding::Protobuf(_) => protobuf::related(&self.bytes),
        }
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

//! From a raw object to a typed one.

mod redact;
mod text;

use serde::de::DeserializeOwned;

#[cfg(any(test, fuzzing))]
pub(super) use self::text::fuzzing;
use super::protobuf::Kind;
use super::raw::{Fallback, Header};
use crate::object::{ObjectKey, ResourceVersion};

/// An object that does not decode into its type.
///
/// Holds no content of the object: it may be a Secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} at resourceVersion \"{resource_version}\" does not decode: {path}: {message}")]
pub struct DecodeError {
    /// The object's key.
    pub key: ObjectKey,
    /// The version that does not decode.
    pub resource_version: ResourceVersion,
    /// Where in the document, as in `spec.containers[0].ports`; `.` for the document itself.
    pub path: String,
    /// What is wrong there, without the value that was found.
    pub message: String,
}

// === impl DecodeError ===

impl DecodeError {
    /// An error of the document as a whole.
    pub(super) fn of_whole(header: &Header, message: String) -> Self {
        Self {
            key: header.key.clone(),
            resource_version: header.resource_version.clone(),
            path: ".".to_owned(),
            message,
        }
    }
}

/// Decodes an object in JSON.
pub(super) fn json<K: DeserializeOwned>(header: &Header, bytes: &[u8]) -> Result<K, DecodeError> {
    text::from_slice(bytes).map_err(|error| {
        let message = error.message().map(redact::message);
        DecodeError {
            key: header.key.clone(),
            resource_version: header.resource_version.clone(),
            path: redact::path(&error.path(bytes)),
            message: message.unwrap_or_else(|| redact::syntax(bytes)),
        }
    })
}

/// Decodes an object in protobuf. Where JSON would do better, says so to `fallback`.
pub(super) fn protobuf<K: DeserializeOwned>(
    header: &Header,
    kind: &'static Kind,
    bytes: &[u8],
    fallback: Option<&Fallback>,
) -> Result<K, DecodeError> {
    K::deserialize(kind.deserializer(bytes)).map_err(|error| {
        if let Some(fallback) = fallback.filter(|_| error.is_unusual()) {
            fallback.want_json();
        }
        DecodeError {
            key: header.key.clone(),
            resource_version: header.resource_version.clone(),
            path: redact::path(&error.path()),
            message: redact::protobuf_message(error.kind()),
        }
    })
}

#[cfg(test)]
mod tests;

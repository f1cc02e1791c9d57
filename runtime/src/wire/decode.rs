//! From a raw object to a typed one.

mod redact;
mod text;

use serde::de::DeserializeOwned;

#[cfg(any(test, fuzzing))]
pub(super) use self::text::fuzzing;
use super::protobuf::Kind;
use super::raw::Header;
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
    /// Whether the object is in protobuf that is not read, so that it may decode if it is asked for
    /// in JSON.
    pub needs_json: bool,
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
            needs_json: false,
        }
    }
}

/// Decodes an object in JSON. What is an error, `serde_json` says; it tracks the path only if there is
/// one, since tracking costs time.
pub(super) fn json<K: DeserializeOwned>(header: &Header, bytes: &[u8]) -> Result<K, DecodeError> {
    if let Ok(object) = text::from_slice(bytes) {
        return Ok(object);
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let (path, error) = locate::<K>(bytes).unwrap_or_else(|| (".".to_owned(), error));
        DecodeError {
            key: header.key.clone(),
            resource_version: header.resource_version.clone(),
            path: redact::path(&path),
            message: redact::message(&error),
            needs_json: false,
        }
    })
}

/// Decodes an object in protobuf. The error says where JSON may do better.
pub(super) fn protobuf<K: DeserializeOwned>(
    header: &Header,
    kind: &'static Kind,
    bytes: &[u8],
) -> Result<K, DecodeError> {
    K::deserialize(kind.deserializer(bytes)).map_err(|error| DecodeError {
        key: header.key.clone(),
        resource_version: header.resource_version.clone(),
        path: redact::path(&error.path()),
        message: redact::protobuf_message(error.kind()),
        needs_json: error.is_unusual(),
    })
}

/// Decodes once more, to learn where it fails.
fn locate<K: DeserializeOwned>(bytes: &[u8]) -> Option<(String, serde_json::Error)> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let error = serde_path_to_error::deserialize::<_, K>(&mut deserializer).err()?;
    Some((error.path().to_string(), error.into_inner()))
}

#[cfg(test)]
mod tests;

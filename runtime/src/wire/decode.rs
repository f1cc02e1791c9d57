//! From a raw object to a typed one.

use crate::{ObjectKey, ResourceVersion};

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

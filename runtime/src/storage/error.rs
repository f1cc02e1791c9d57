//! [`ObjectError`]: why an object could not be taken in, or read.

use std::error::Error;
use std::sync::Arc;

use crate::object::{ObjectKey, ResourceVersion};
use crate::wire::DecodeError;

/// Why one version of one object could not be taken in. It costs that version only.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The object does not decode into its type.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The transform refused the object, or panicked.
    #[error("{key} at resourceVersion \"{resource_version}\": transform `{transform}` failed")]
    Transform {
        /// The object's key.
        key: ObjectKey,
        /// The version that was refused.
        resource_version: ResourceVersion,
        /// The transform's name.
        transform: Arc<str>,
        /// What it said.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
    },
    /// Decoding panicked. Says nothing more: a panic's message may quote the object.
    #[error("{key} at resourceVersion \"{resource_version}\": decoding panicked")]
    Panicked {
        /// The object's key.
        key: ObjectKey,
        /// The version that was not taken in.
        resource_version: ResourceVersion,
    },
}

// === impl ObjectError ===

impl ObjectError {
    /// Whether the object is in protobuf that is not read, so that JSON may do better.
    pub(crate) fn needs_json(&self) -> bool {
        match self {
            Self::Decode(error) => error.needs_json,
            Self::Transform { .. } | Self::Panicked { .. } => false,
        }
    }
}

/// What an index function may fail with. It is shown with the failures of the index: leave the
/// object's content out of it.
pub type IndexFunctionError = Box<dyn Error + Send + Sync>;

//! [`ObjectError`]: error of one version of one object.

use std::error::Error;
use std::sync::Arc;

use crate::base::panic::{Panicked, catch};
use crate::object::{ObjectKey, ResourceVersion};
use crate::wire::{DecodeError, Header};

/// Error of one version of one object that could not be stored or read. Other versions and other
/// objects are not affected.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The object does not decode into its type.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The transform failed or panicked.
    #[error("{key} at resourceVersion \"{resource_version}\": transform `{transform}` failed")]
    Transform {
        /// Key of the object.
        key: ObjectKey,
        /// Version that the transform rejected.
        resource_version: ResourceVersion,
        /// Name of the transform.
        transform: Arc<str>,
        /// Error that the transform returned.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The body was evicted from memory, with [`Tiered`](crate::storage::Tiered) storage.
    #[error("{key} at resourceVersion \"{resource_version}\": the body was evicted; await `load`")]
    Evicted {
        /// Key of the object.
        key: ObjectKey,
        /// Version whose body was evicted.
        resource_version: ResourceVersion,
    },
    /// Decoding panicked. The panic message is omitted, because it may quote the object.
    #[error("{key} at resourceVersion \"{resource_version}\": decoding panicked")]
    Panicked {
        /// Key of the object.
        key: ObjectKey,
        /// Version that did not decode.
        resource_version: ResourceVersion,
    },
}

// === impl ObjectError ===

impl ObjectError {
    /// Calls `read`, which runs user code of the object's type, and contains its panic.
    pub(crate) fn contain<T, E: Into<Self>>(
        header: &Header,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, Self> {
        match catch(read) {
            Ok(read) => read.map_err(Into::into),
            Err(Panicked) => Err(Self::Panicked {
                key: header.key.clone(),
                resource_version: header.resource_version.clone(),
            }),
        }
    }

    /// Returns `true` if the object is in a protobuf form that cannot be read, so that a request
    /// for JSON may succeed.
    pub(crate) fn needs_json(&self) -> bool {
        matches!(self, Self::Decode(error) if error.needs_json)
    }
}

/// Error of an index function. It appears in the failures of the index, so it must not contain
/// content of the object.
pub type IndexFunctionError = Box<dyn Error + Send + Sync>;

//! [`Entry`]: an object as the store holds it, with what was read of it before decoding.

use std::sync::Arc;

use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::storage::ObjectError;

/// An object's identity and version beside the handle by which it is read.
///
/// `H` is the storage's handle (`Arc<K>` for typed storage); cloning an entry copies no object.
#[derive(Debug, Clone)]
pub struct Entry<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The uid; API servers always give one.
    pub uid: Option<Uid>,
    /// The object's version; [`ResourceVersion::UNSET`] if the source gives none.
    pub resource_version: ResourceVersion,
    /// The object.
    pub handle: H,
}

/// The latest version of an object that did not decode.
///
/// The last good version stays readable meanwhile, if there was one.
#[derive(Debug, Clone)]
pub struct Undecodable {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The version that did not decode.
    pub resource_version: ResourceVersion,
    /// Why.
    pub error: Arc<ObjectError>,
}

// === impl Entry ===

impl<H> Entry<H> {
    /// Whether `other` is the same version of the same object.
    ///
    /// An object without a version always counts as changed.
    #[must_use]
    pub fn is_same_version<T>(&self, other: &Entry<T>) -> bool {
        !self.resource_version.is_unset()
            && self.resource_version == other.resource_version
            && self.uid == other.uid
    }

    /// Whether `other` is another object under the same name: deleted and created again.
    #[must_use]
    pub fn is_recreation_of<T>(&self, other: &Entry<T>) -> bool {
        matches!((&self.uid, &other.uid), (Some(a), Some(b)) if a != b)
    }
}

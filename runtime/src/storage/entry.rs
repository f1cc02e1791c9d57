//! [`Entry`]: an object as the store holds it, with what was read of it before decoding.

use std::sync::Arc;

use crate::object::{Object, ObjectKey, ResourceVersion, Uid};
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

/// The entry of an object that is decoded already, for stores that are fed by hand.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::sync::Arc;
///
/// use informer::indexer::Indexer;
/// use informer::{Lister, Scope};
/// use k8s_openapi::api::core::v1::Node;
///
/// let mut node = Node::default();
/// node.metadata.name = Some("worker".to_owned());
/// let indexer = Indexer::new(Scope::Cluster);
/// indexer.add(Arc::new(node).into());
/// assert!(Lister::from(&indexer).get("worker").is_some());
/// ```
impl<K: Object> From<Arc<K>> for Entry<Arc<K>> {
    fn from(object: Arc<K>) -> Self {
        let meta = object.meta();
        let version = meta.resource_version.as_deref().unwrap_or_default();
        Self {
            key: ObjectKey::of(&*object),
            uid: meta.uid.as_deref().map(Uid::new),
            resource_version: ResourceVersion::new(version),
            handle: object,
        }
    }
}

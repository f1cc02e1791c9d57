//! [`Entry`]: an object as the store holds it, with the header that was read before decoding.

use std::sync::Arc;

use crate::object::{Footprint, Object, ObjectKey, ResourceVersion, Uid};
use crate::storage::ObjectError;

/// Identity and version of an object, with the handle that reads it.
///
/// `H` is the storage's handle (`Arc<K>` for typed storage). Cloning an entry does not copy the
/// object.
#[derive(Debug, Clone)]
pub struct Entry<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid`. API servers always set it.
    pub uid: Option<Uid>,
    /// `metadata.resourceVersion`; [`ResourceVersion::UNSET`] if the source sets none.
    pub resource_version: ResourceVersion,
    /// Memory of the object.
    pub footprint: Footprint,
    /// Handle of the object.
    pub handle: H,
}

/// Latest version of an object that did not decode.
///
/// The last version that did decode, if any, stays readable.
#[derive(Debug, Clone)]
pub struct Undecodable {
    /// Namespace and name.
    pub key: ObjectKey,
    /// Version that did not decode.
    pub resource_version: ResourceVersion,
    /// Reason.
    pub error: Arc<ObjectError>,
}

// === impl Entry ===

impl<H> Entry<H> {
    /// Returns `true` if `other` is the same version of the same object.
    ///
    /// An object without a version always counts as changed.
    #[must_use]
    pub fn is_same_version<T>(&self, other: &Entry<T>) -> bool {
        is_same_version(
            (self.uid.as_ref(), &self.resource_version),
            (other.uid.as_ref(), &other.resource_version),
        )
    }

    /// Returns `true` if `other` has another uid, that is, the object was deleted and created
    /// again.
    #[must_use]
    pub fn is_recreation_of<T>(&self, other: &Entry<T>) -> bool {
        is_another(self.uid.as_ref(), other.uid.as_ref())
    }
}

/// Creates the entry of an object that is already decoded, for stores that are filled by hand.
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
            footprint: Footprint::default(),
            handle: object,
        }
    }
}

/// Returns `true` if both are the same version of the same object.
pub(super) fn is_same_version(
    (uid, version): (Option<&Uid>, &ResourceVersion),
    (other_uid, other_version): (Option<&Uid>, &ResourceVersion),
) -> bool {
    !version.is_unset() && version == other_version && uid == other_uid
}

/// Returns `true` if the uids are those of different objects.
pub(super) fn is_another(uid: Option<&Uid>, other: Option<&Uid>) -> bool {
    matches!((uid, other), (Some(uid), Some(other)) if uid != other)
}

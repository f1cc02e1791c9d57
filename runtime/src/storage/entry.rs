//! [`Entry`]: an object as the store holds it, with the header that was read before decoding.

use std::any::Any;
use std::sync::Arc;

use derive_where::derive_where;

use crate::object::{Footprint, Object, ObjectKey, ResourceVersion, Uid};
use crate::storage::ObjectError;

/// Identity and version of an object, with the object itself in the form in which its storage
/// holds it: a `K` for [`Typed`](crate::Typed) storage.
///
/// The type of the object is erased: reflector, queue, store and controller are compiled once, not
/// for each type of objects. Two entries are equal if they share their object. Cloning an entry
/// does not copy the object.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::sync::Arc;
///
/// use informer::Entry;
/// use k8s_openapi::api::core::v1::{Node, Pod};
///
/// let mut pod = Pod::default();
/// pod.metadata.name = Some("web".to_owned());
/// let entry = Entry::from(Arc::new(pod));
/// assert_eq!(entry.key.name(), "web");
/// assert!(entry.object::<Pod>().is_some());
/// assert!(entry.object::<Node>().is_none());
/// ```
#[derive(Clone)]
#[derive_where(Debug)]
pub struct Entry {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid`. API servers always set it.
    pub uid: Option<Uid>,
    /// `metadata.resourceVersion`; [`ResourceVersion::UNSET`] if the source sets none.
    pub resource_version: ResourceVersion,
    /// Memory of the object.
    #[derive_where(skip)]
    pub(crate) footprint: Footprint,
    /// The object, as its storage holds it.
    #[derive_where(skip)]
    pub object: Arc<dyn Any + Send + Sync>,
}

/// Latest version of an object that did not decode.
///
/// The last version that did decode, if any, stays readable.
#[derive(Debug, Clone)]
pub struct Undecodable {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid`.
    pub uid: Option<Uid>,
    /// Version that did not decode.
    pub resource_version: ResourceVersion,
    /// Reason.
    pub error: Arc<ObjectError>,
}

// === impl Entry ===

impl Entry {
    /// Creates the entry of an object of any type, without a uid.
    #[must_use]
    pub fn new<T: Send + Sync + 'static>(
        key: ObjectKey,
        resource_version: ResourceVersion,
        object: Arc<T>,
    ) -> Self {
        Self {
            key,
            uid: None,
            resource_version,
            footprint: Footprint::default(),
            object,
        }
    }

    /// Returns the object, if it is a `T`.
    #[must_use]
    pub fn object<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.object).downcast().ok()
    }

    /// Borrows the object, if it is a `T`.
    #[must_use]
    pub fn object_ref<T: 'static>(&self) -> Option<&T> {
        self.object.downcast_ref()
    }

    /// Returns entries whose objects will all be read, and begins to load them. The loads do not
    /// wait for each other, but counting a reference would let no later load begin.
    pub(crate) fn ahead<'e>(
        entries: impl Iterator<Item = &'e Self>,
    ) -> impl Iterator<Item = &'e Self> {
        let entries: Vec<&Self> = entries.collect();
        for entry in &entries {
            std::hint::black_box(Arc::strong_count(&entry.object));
        }
        entries.into_iter()
    }

    /// Returns `true` if `other` is the same version of the same object.
    ///
    /// An object without a version always counts as changed.
    #[must_use]
    pub fn is_same_version(&self, other: &Self) -> bool {
        !self.resource_version.is_unset()
            && self.resource_version == other.resource_version
            && self.uid == other.uid
    }

    /// Returns `true` if `other` has another uid, that is, the object was deleted and created
    /// again.
    #[must_use]
    pub fn is_recreation_of(&self, other: &Self) -> bool {
        matches!((&self.uid, &other.uid), (Some(uid), Some(other)) if uid != other)
    }
}

#[expect(
    clippy::expect_used,
    reason = "a store accepts objects of one type only"
)]
impl Entry {
    /// Borrows the object as the type that all objects of its store have.
    #[doc(hidden)]
    #[must_use]
    pub fn typed<T: 'static>(&self) -> &T {
        self.object_ref()
            .expect("the store has objects of this type")
    }

    /// Returns the object as the type that all objects of its store have.
    #[doc(hidden)]
    #[must_use]
    pub fn shared<T: Send + Sync + 'static>(&self) -> Arc<T> {
        let object = Arc::clone(&self.object).downcast().ok();
        object.expect("the store has objects of this type")
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
/// use informer::{Entry, Lister, Scope};
/// use k8s_openapi::api::core::v1::Node;
///
/// let mut node = Node::default();
/// node.metadata.name = Some("worker".to_owned());
/// let indexer = Indexer::<Node>::new(Scope::Cluster);
/// indexer.add(Entry::from(Arc::new(node)));
/// assert!(Lister::from(&indexer).get("worker").is_some());
/// ```
impl<K: Object> From<Arc<K>> for Entry {
    fn from(object: Arc<K>) -> Self {
        let meta = object.meta();
        let version = meta.resource_version.as_deref().unwrap_or_default();
        let version = ResourceVersion::new(version);
        let uid = meta.uid.as_deref().map(Uid::new);
        Self {
            uid,
            ..Self::new(ObjectKey::of(&*object), version, object)
        }
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.object, &other.object)
    }
}

impl Eq for Entry {}

//! [`AnyEntry`]: an entry whose type of handle is erased.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};

use super::entry::{Entry, is_another, is_same_version};
use crate::object::{Footprint, ObjectKey, ResourceVersion, Uid};

/// [`Entry`] with an erased type of handle, behind a pointer. Clones share the entry.
///
/// Reflector, queue, store and controller handle objects in this form, so they are compiled once
/// and not for each type of objects. Two values are equal if they are clones of one.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::sync::Arc;
///
/// use informer::Entry;
/// # use informer_runtime::storage::AnyEntry;
/// use k8s_openapi::api::core::v1::{Node, Pod};
///
/// let mut pod = Pod::default();
/// pod.metadata.name = Some("web".to_owned());
/// let entry = AnyEntry::from(Entry::from(Arc::new(pod)));
/// assert_eq!(entry.key().name(), "web");
/// assert!(entry.downcast_ref::<Arc<Pod>>().is_some());
/// assert!(entry.downcast_ref::<Arc<Node>>().is_none());
/// ```
#[derive(Clone)]
pub struct AnyEntry(Arc<dyn Erased>);

/// Reference to an [`AnyEntry`] that does not keep it alive.
pub(crate) struct WeakEntry(Weak<dyn Erased>);

/// [`Entry`] of any handle.
trait Erased: Any + Send + Sync {
    fn key(&self) -> &ObjectKey;
    fn set_key(&mut self, key: ObjectKey);
    fn uid(&self) -> Option<&Uid>;
    fn resource_version(&self) -> &ResourceVersion;
    fn footprint(&self) -> Footprint;
}

// === impl AnyEntry ===

impl AnyEntry {
    /// Returns namespace and name.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        self.0.key()
    }

    /// Returns `metadata.uid`. API servers always set it.
    #[must_use]
    pub fn uid(&self) -> Option<&Uid> {
        self.0.uid()
    }

    /// Returns `metadata.resourceVersion`; [`ResourceVersion::UNSET`] if the source sets none.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        self.0.resource_version()
    }

    /// Returns the memory of the object.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        self.0.footprint()
    }

    /// Returns the entry, if its handle has the type `H`.
    #[must_use]
    pub fn downcast_ref<H: 'static>(&self) -> Option<&Entry<H>> {
        let entry: &dyn Any = &*self.0;
        entry.downcast_ref()
    }

    /// Returns `true` if `other` is the same version of the same object.
    ///
    /// An object without a version always counts as changed.
    #[must_use]
    pub fn is_same_version(&self, other: &Self) -> bool {
        is_same_version(
            (self.uid(), self.resource_version()),
            (other.uid(), other.resource_version()),
        )
    }

    /// Returns `true` if `other` has another uid, that is, the object was deleted and created
    /// again.
    #[must_use]
    pub fn is_recreation_of(&self, other: &Self) -> bool {
        is_another(self.uid(), other.uid())
    }

    /// Returns the entry as the type that its store has.
    #[expect(
        clippy::expect_used,
        reason = "a store accepts entries of its own type of handles only"
    )]
    pub(crate) fn typed<H: 'static>(&self) -> &Entry<H> {
        self.downcast_ref()
            .expect("the store has this type of handles")
    }

    /// Returns the entry as the type that its store has. Copies the header if there are clones.
    pub(crate) fn into_typed<H: Clone + Send + Sync + 'static>(self) -> Entry<H> {
        let entry: Arc<dyn Any + Send + Sync> = self.0.clone();
        match entry.downcast() {
            Ok(entry) => {
                drop(self);
                Arc::unwrap_or_clone(entry)
            }
            Err(_) => self.typed::<H>().clone(),
        }
    }

    /// Returns the handle as the type that its store has.
    pub(crate) fn into_handle<H: Clone + 'static>(self) -> H {
        self.typed::<H>().handle.clone()
    }

    /// Replaces the key by an equal one, whose text others share. Has no effect if there are
    /// clones.
    pub(crate) fn share_key(&mut self, key: &ObjectKey) {
        if let Some(entry) = Arc::get_mut(&mut self.0) {
            entry.set_key(key.clone());
        }
    }

    pub(crate) fn downgrade(&self) -> WeakEntry {
        WeakEntry(Arc::downgrade(&self.0))
    }
}

impl<H: Send + Sync + 'static> From<Entry<H>> for AnyEntry {
    fn from(entry: Entry<H>) -> Self {
        Self(Arc::new(entry))
    }
}

impl PartialEq for AnyEntry {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for AnyEntry {}

impl fmt::Debug for AnyEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyEntry")
            .field("key", self.key())
            .field("resource_version", self.resource_version())
            .finish_non_exhaustive()
    }
}

// === impl WeakEntry ===

impl WeakEntry {
    /// Returns `true` if the entry is alive.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Returns the entry if it is alive.
    pub(crate) fn upgrade(&self) -> Option<AnyEntry> {
        self.0.upgrade().map(AnyEntry)
    }
}

// === impl Erased ===

impl<H: Send + Sync + 'static> Erased for Entry<H> {
    fn key(&self) -> &ObjectKey {
        &self.key
    }

    fn set_key(&mut self, key: ObjectKey) {
        self.key = key;
    }

    fn uid(&self) -> Option<&Uid> {
        self.uid.as_ref()
    }

    fn resource_version(&self) -> &ResourceVersion {
        &self.resource_version
    }

    fn footprint(&self) -> Footprint {
        self.footprint
    }
}

//! [`NamespaceLister`]: reads of one namespace.

use std::fmt;
use std::sync::Arc;

use super::error::GetError;
use super::handle::{Lister, select};
use crate::selector::Selector;
use crate::storage::{Storage, Typed};
use crate::{Object, ObjectKey};

/// Reads one namespace of a cache; the others are not looked at.
pub struct NamespaceLister<K: Object, S: Storage<K> = Typed> {
    lister: Lister<K, S>,
    namespace: Arc<str>,
}

// === impl NamespaceLister ===

impl<K: Object, S: Storage<K>> NamespaceLister<K, S> {
    pub(crate) fn new(lister: Lister<K, S>, namespace: Arc<str>) -> Self {
        Self { lister, namespace }
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The namespace's objects that `selector` matches, ordered by name. O(objects in it).
    #[must_use]
    pub fn list(&self, selector: &Selector) -> Vec<S::Handle> {
        if selector.is_nothing() {
            return Vec::new();
        }
        let snapshot = self.lister.snapshot();
        select::<K, S>(snapshot.namespace(&self.namespace), selector)
    }

    /// The object of a name. O(log n).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<S::Handle> {
        self.lister
            .get_by_key(&ObjectKey::namespaced(&self.namespace, name))
    }

    /// The object of a name, or why there is none.
    ///
    /// # Errors
    ///
    /// There is no such object, or it cannot be known whether there is.
    pub fn try_get(&self, name: &str) -> Result<S::Handle, GetError> {
        self.lister
            .try_get_by_key(&ObjectKey::namespaced(&self.namespace, name))
    }
}

impl<K: Object, S: Storage<K>> Clone for NamespaceLister<K, S> {
    fn clone(&self) -> Self {
        Self {
            lister: self.lister.clone(),
            namespace: Arc::clone(&self.namespace),
        }
    }
}

impl<K: Object, S: Storage<K>> fmt::Debug for NamespaceLister<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("resource", &format_args!("{}", self.lister.resource()))
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

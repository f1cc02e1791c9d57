//! [`MultiNamespaceLister`]: one lister over several caches of one type.

use std::fmt;
use std::sync::Arc;

use super::options::CacheListOptions;
use crate::indexer::IndexLookupError;
use crate::lister::Lister;
use crate::object::{Object, ObjectKey, Scope};
use crate::storage::{Storage, Typed};

/// Lister over several informers of one type, each of which caches another namespace.
///
/// Never waits, and copies no object. Lists are ordered by key, and consistent within each
/// namespace. controller-runtime's counterpart is `multiNamespaceCache`, whose lists are unordered.
pub struct MultiNamespaceLister<K: Object> {
    /// Ordered by namespace. A lister of all namespaces is the only element.
    listers: Arc<[OfNamespace<K>]>,
}

/// Cached namespace, or `None` for all, and its lister.
type OfNamespace<K> = (Option<Arc<str>>, Lister<K>);

// === impl MultiNamespaceLister ===

impl<K: Object> MultiNamespaceLister<K> {
    /// Creates a lister over `listers`, which cache different namespaces in order. A lister of all
    /// namespaces must be the only one.
    pub(super) fn new(listers: impl Iterator<Item = OfNamespace<K>>) -> Self {
        Self {
            listers: listers.collect(),
        }
    }

    /// Returns the cached objects, ordered by key. O(objects in the selected namespaces), or fewer
    /// with a label index; see [`Lister::list`].
    #[must_use]
    pub fn list(&self, options: &CacheListOptions) -> Vec<Arc<K>> {
        let CacheListOptions {
            namespace,
            selector,
        } = options;
        let mut found = Vec::new();
        for lister in self.of_namespace(namespace.as_deref()) {
            let is_namespaced = lister.resource().scope == Scope::Namespaced;
            let namespace = namespace.as_deref().filter(|_| is_namespaced);
            lister.for_each_in(namespace, selector, |entry| {
                found.push(Arc::clone(&entry.handle));
            });
        }
        found
    }

    /// Returns the object with this key. The namespace is ignored for cluster-scoped resources.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        let mut listers = self.of_namespace(key.namespace());
        listers.find_map(|lister| match (lister.resource().scope, key.namespace()) {
            (Scope::Cluster, Some(_)) => lister.get_by_key(&ObjectKey::cluster(key.name())),
            _ => lister.get_by_key(key),
        })
    }

    /// Returns the objects that match `options` and have this value in an index, ordered by key.
    /// O(log n + found · log n) per namespace.
    ///
    /// # Errors
    ///
    /// Fails if no index has this name.
    pub fn by_index(
        &self,
        name: &str,
        value: &str,
        options: &CacheListOptions,
    ) -> Result<Vec<Arc<K>>, IndexLookupError> {
        let CacheListOptions {
            namespace,
            selector,
        } = options;
        let label = <Typed as Storage<K>>::label;
        let mut found = Vec::new();
        for lister in self.of_namespace(namespace.as_deref()) {
            let mut objects = lister.by_index(name, value)?;
            objects.retain(|object| {
                let in_namespace = namespace.is_none()
                    || lister.resource().scope == Scope::Cluster
                    || object.meta().namespace == *namespace;
                in_namespace && selector.matches_by(|key| label(object, key))
            });
            found.append(&mut objects);
        }
        Ok(found)
    }

    /// Returns the number of cached objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.listers.iter().map(|(_, lister)| lister.len()).sum()
    }

    /// Reports whether no object is cached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the listers that can hold objects of the wanted namespace, or all listers for
    /// `None`.
    fn of_namespace(&self, wanted: Option<&str>) -> impl Iterator<Item = &Lister<K>> {
        self.listers.iter().filter_map(move |(cached, lister)| {
            let can = match (wanted, cached) {
                (Some(wanted), Some(cached)) => wanted == &**cached,
                _ => true,
            };
            can.then_some(lister)
        })
    }
}

impl<K: Object> Clone for MultiNamespaceLister<K> {
    fn clone(&self) -> Self {
        Self {
            listers: Arc::clone(&self.listers),
        }
    }
}

impl<K: Object> fmt::Debug for MultiNamespaceLister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespaces = self.listers.iter().map(|(namespace, _)| namespace);
        f.debug_struct("MultiNamespaceLister")
            .field("namespaces", &namespaces.collect::<Vec<_>>())
            .field("len", &self.len())
            .finish()
    }
}

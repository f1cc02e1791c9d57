//! [`NamespaceLister`]: reads of one namespace.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use derive_where::derive_where;
use kube::Resource;
use kube::core::DynamicResourceScope;

use super::error::{GetError, ScopeError};
use super::lister::Lister;
use crate::object::{KeyRef, NamespacedScope, Object, Scope, Selector};
use crate::storage::{Storage, Typed};

/// Reader of one namespace of a cache. The cost does not depend on other namespaces.
///
/// Returned by [`Lister::namespace`], which borrows the lister and the name, and allocates nothing.
/// [`into_owned`](Self::into_owned) returns a lister without borrows.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::{Lister, NamespaceLister};
/// use k8s_openapi::api::core::v1::Pod;
///
/// struct Watcher {
///     pods: NamespaceLister<'static, Pod>,
/// }
///
/// fn watcher(pods: &Lister<Pod>, namespace: &str) -> Watcher {
///     Watcher { pods: pods.namespace(namespace).into_owned() }
/// }
/// ```
#[derive_where(Clone)]
pub struct NamespaceLister<'a, K: Object, S: Storage<K> = Typed> {
    pub(super) lister: Cow<'a, Lister<K, S>>,
    namespace: Cow<'a, str>,
}

// === impl Lister ===

impl<K: Object, S: Storage<K>> Lister<K, S> {
    /// Returns a lister of one namespace, for a namespaced type. Borrows both, and allocates
    /// nothing.
    #[must_use]
    pub fn namespace<'a>(&'a self, namespace: &'a str) -> NamespaceLister<'a, K, S>
    where
        K::Scope: NamespacedScope<K>,
    {
        NamespaceLister::new(self, namespace)
    }
}

impl<K, S> Lister<K, S>
where
    K: Object + Resource<Scope = DynamicResourceScope>,
    S: Storage<K>,
{
    /// Returns a lister of one namespace, if the resource is namespaced.
    ///
    /// # Errors
    ///
    /// Fails if the resource is cluster-scoped.
    pub fn try_namespace<'a>(
        &'a self,
        namespace: &'a str,
    ) -> Result<NamespaceLister<'a, K, S>, ScopeError> {
        match self.resource().scope {
            Scope::Namespaced => Ok(NamespaceLister::new(self, namespace)),
            Scope::Cluster => Err(ScopeError::ClusterScoped(self.resource().to_string())),
        }
    }
}

// === impl NamespaceLister ===

impl<'a, K: Object, S: Storage<K>> NamespaceLister<'a, K, S> {
    pub(crate) fn new(lister: &'a Lister<K, S>, namespace: &'a str) -> Self {
        Self {
            lister: Cow::Borrowed(lister),
            namespace: Cow::Borrowed(namespace),
        }
    }

    /// Returns a lister of the same namespace that borrows nothing.
    #[must_use]
    pub fn into_owned(self) -> NamespaceLister<'static, K, S> {
        NamespaceLister {
            lister: Cow::Owned(self.lister.into_owned()),
            namespace: Cow::Owned(self.namespace.into_owned()),
        }
    }

    /// Returns the namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the namespace's objects that `selector` matches, ordered by name. O(objects in the
    /// namespace), or fewer with a label index; see [`Lister::list`].
    #[must_use]
    pub fn list(&self, selector: &Selector) -> Vec<Arc<S::Object>> {
        let mut found = Vec::new();
        let namespace = Some(&*self.namespace);
        self.lister
            .visit(namespace, selector, |entry| found.push(entry.shared()));
        found
    }

    /// Calls `visit` with each of the namespace's objects that `selector` matches, ordered by name.
    /// All objects belong to one snapshot.
    ///
    /// Counts no references, and is therefore cheaper than [`list`](Self::list).
    pub fn for_each(&self, selector: &Selector, mut visit: impl FnMut(&S::Object)) {
        let namespace = Some(&*self.namespace);
        self.lister
            .visit(namespace, selector, |entry| visit(entry.typed()));
    }

    /// Returns the object with this name. O(log n).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<S::Object>> {
        self.lister.find(&KeyRef::namespaced(&self.namespace, name))
    }

    /// Calls `read` with the object of this name, and returns its result; `None` if there is no
    /// object. See [`Lister::with_key`].
    pub fn with<R>(&self, name: &str, read: impl FnOnce(&S::Object) -> R) -> Option<R> {
        let key = KeyRef::namespaced(&self.namespace, name);
        self.lister.with_ref(key, read)
    }

    /// Returns the current version of the object with this name.
    ///
    /// # Errors
    ///
    /// Fails if the object does not exist, or if its current state is unknown; see [`GetError`].
    pub fn try_get(&self, name: &str) -> Result<Arc<S::Object>, GetError> {
        self.lister
            .try_find(KeyRef::namespaced(&self.namespace, name))
    }
}

impl<K: Object, S: Storage<K>> fmt::Debug for NamespaceLister<'_, K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("resource", &format_args!("{}", self.lister.resource()))
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

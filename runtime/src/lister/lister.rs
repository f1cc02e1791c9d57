//! [`Lister`]: reads of a whole cache.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use derive_where::derive_where;
use kube::Resource;
use kube::core::DynamicResourceScope;
use tracing::warn;

use super::error::{GetError, ScopeError};
use super::select::select;
use crate::coverage::Coverage;
use crate::indexer::{IndexLookupError, IndexName, Indexer, Snapshot};
use crate::object::{
    ClusterScope, KeyLookup, KeyRef, Object, ObjectKey, ResourceInfo, Scope, Selector, Uid,
};
use crate::storage::{Entry, Storage, Typed, Undecodable};

/// Reader of the cache of a [`SharedInformer`](crate::SharedInformer).
///
/// Cheap to clone. Never waits, and copies no object: the returned handles are shared and
/// read-only. Before the first list the cache is empty: a read then logs one warning per informer, and
/// `try_get` tells the two apart.
///
/// The scope is part of the type. A namespaced object cannot be read without a namespace:
///
/// ```compile_fail,E0277
/// # extern crate informer_runtime as informer;
/// # use informer::Lister;
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(pods: Lister<Pod>) {
/// pods.get("web");
/// # }
/// ```
///
/// A cluster-scoped object cannot be read with a namespace:
///
/// ```compile_fail,E0277
/// # extern crate informer_runtime as informer;
/// # use informer::Lister;
/// # use k8s_openapi::api::core::v1::Node;
/// # fn doc(nodes: Lister<Node>) {
/// nodes.namespace("default");
/// # }
/// ```
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// # use informer::{Lister, Selector};
/// # use k8s_openapi::api::core::v1::{Node, Pod};
/// # fn doc(pods: Lister<Pod>, nodes: Lister<Node>) -> Result<(), Box<dyn std::error::Error>> {
/// let pod = pods.namespace("default").get("web");
/// let node = nodes.get("node-1");
/// let web = pods.list(&"app=web".parse::<Selector>()?);
/// # let _ = (pod, node, web);
/// # Ok(())
/// # }
/// ```
#[derive_where(Clone)]
pub struct Lister<K: Object, S: Storage<K> = Typed> {
    indexer: Indexer<S::Object>,
    resource: Arc<ResourceInfo>,
    pub(crate) coverage: Arc<Coverage>,
    /// `None` if the caller fills the store.
    pub(crate) early: Option<Arc<EarlyReads>>,
    types: PhantomData<fn() -> (K, S)>,
}

/// Reads of an informer's cache before its first list, which are logged once.
#[derive(Debug)]
pub(crate) struct EarlyReads {
    informer: Arc<str>,
    is_logged: AtomicBool,
}

// === impl EarlyReads ===

impl EarlyReads {
    pub(crate) fn new(informer: Arc<str>) -> Self {
        Self {
            informer,
            is_logged: AtomicBool::new(false),
        }
    }

    fn log(&self) {
        if !self.is_logged.swap(true, Ordering::Relaxed) {
            warn!(
                informer = %self.informer,
                "cache read before its first list: what exists may seem to be missing; wait for the \
                 sync before, or use `try_get`, which tells the two apart"
            );
        }
    }
}

// === impl Lister ===

/// Creates a lister over a store that the caller fills, to test code that reads a cache without a
/// server.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::indexer::Indexer;
/// use informer::{Lister, Scope};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let indexer = Indexer::new(Scope::Namespaced);
/// let pods: Lister<Pod> = Lister::from(&indexer);
/// assert!(pods.is_empty());
/// ```
impl<K: Object<DynamicType = ()>> From<&Indexer<K>> for Lister<K> {
    fn from(indexer: &Indexer<K>) -> Self {
        let resource = Arc::new(ResourceInfo::of_type::<K>());
        Self::new(indexer.clone(), resource)
    }
}

impl<K: Object, S: Storage<K>> Lister<K, S> {
    pub(crate) fn new(indexer: Indexer<S::Object>, resource: Arc<ResourceInfo>) -> Self {
        Self {
            indexer,
            resource,
            coverage: Arc::default(),
            early: None,
            types: PhantomData,
        }
    }

    /// Returns the cached objects that `selector` matches, ordered by key.
    ///
    /// [`Selector::everything`] matches every object. O(n), unless a label that the selector
    /// compares by `=` or `in` has an index; see
    /// [`add_label_index`](crate::SharedInformer::add_label_index).
    #[must_use]
    pub fn list(&self, selector: &Selector) -> Vec<Arc<S::Object>> {
        let mut found = Vec::new();
        self.visit(None, selector, |entry| found.push(entry.shared()));
        found
    }

    /// Calls `visit` with each object that `selector` matches, ordered by key. All objects belong to
    /// one snapshot.
    ///
    /// Counts no references, and is therefore cheaper than [`list`](Self::list).
    pub fn for_each(&self, selector: &Selector, mut visit: impl FnMut(&S::Object)) {
        self.visit(None, selector, |entry| visit(entry.typed()));
    }

    /// Calls `visit` with each entry that `selector` matches, in one namespace if one is given.
    #[doc(hidden)]
    pub fn visit(&self, namespace: Option<&str>, selector: &Selector, visit: impl FnMut(&Entry)) {
        let snapshot = self.indexer.snapshot();
        select::<K, S>(&snapshot, namespace, selector, visit);
        self.check(&snapshot);
    }

    /// Logs a read of a cache that was not listed.
    fn check(&self, snapshot: &Snapshot<S::Object>) {
        if let Some(early) = &self.early
            && !snapshot.is_synced()
        {
            early.log();
        }
    }

    /// Logs a read that found nothing because the cache was not listed.
    fn missed<R>(&self, found: Option<R>) -> Option<R> {
        if found.is_none() {
            self.check(&self.indexer.snapshot());
        }
        found
    }

    /// Returns the number of cached objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indexer.snapshot().len()
    }

    /// Reports whether no object is cached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a consistent snapshot of the cache. Later changes do not affect the snapshot. O(1).
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<S::Object> {
        self.indexer.snapshot()
    }

    /// Returns the object with this key. O(log n).
    ///
    /// If the object's latest version did not decode, returns the last good version; see
    /// [`try_get_by_key`](Self::try_get_by_key).
    #[must_use]
    pub fn get_by_key(&self, key: &ObjectKey) -> Option<Arc<S::Object>> {
        self.find(key)
    }

    /// Returns the last version of an object, also if it was deleted within the period that
    /// [`InformerConfig::retain_deleted`](crate::InformerConfig::retain_deleted) sets. O(log n).
    ///
    /// There is no moment between a deletion and its retention in which an object is in neither
    /// place. If another object has the key now, [`get_retained_by_uid`](Self::get_retained_by_uid)
    /// and [`by_index_retained`](Self::by_index_retained) still find the deleted one.
    #[must_use]
    pub fn get_retained(&self, key: &ObjectKey) -> Option<Arc<S::Object>> {
        self.snapshot().get_retained(key)
    }

    /// Returns the object with this uid, also if it was deleted within the period of
    /// [`retain_deleted`](crate::InformerConfig::retain_deleted) and another object has its key now.
    /// O(n); an index by uid with [`by_index_retained`](Self::by_index_retained) is faster.
    #[must_use]
    pub fn get_retained_by_uid(&self, uid: &Uid) -> Option<Arc<S::Object>> {
        self.snapshot().get_retained_by_uid(uid)
    }

    /// Returns what [`by_index`](Self::by_index) does, followed by the objects with this value that
    /// were deleted within the period of
    /// [`retain_deleted`](crate::InformerConfig::retain_deleted). Calls the function of the index for
    /// each of these; those for which it fails are left out.
    ///
    /// # Errors
    ///
    /// Fails if no index has this name.
    pub fn by_index_retained(
        &self,
        name: &str,
        value: &str,
    ) -> Result<Vec<Arc<S::Object>>, IndexLookupError> {
        self.snapshot().by_index_retained(name, value)
    }

    /// Calls `read` with the object with this key, and returns its result; `None` if there is no
    /// object.
    ///
    /// Counts no reference, and is therefore cheaper than [`get_by_key`](Self::get_by_key) for a short
    /// look at an object. `read` runs under no lock, so it may write and read caches. As long as it
    /// runs, one old state of the cache stays in memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # extern crate informer_runtime as informer;
    /// # use informer::{Lister, ObjectKey};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # fn doc(pods: Lister<Pod>, key: &ObjectKey) {
    /// let is_running = pods.with_key(key, |pod| {
    ///     let status = pod.status.as_ref();
    ///     status.and_then(|status| status.phase.as_deref()) == Some("Running")
    /// });
    /// # let _: Option<bool> = is_running;
    /// # }
    /// ```
    pub fn with_key<R>(&self, key: &ObjectKey, read: impl FnOnce(&S::Object) -> R) -> Option<R> {
        self.missed(self.indexer.with(key, read))
    }

    /// Returns the current version of the object with this key.
    ///
    /// # Errors
    ///
    /// Fails if the object does not exist, or if its current state is unknown; see [`GetError`].
    pub fn try_get_by_key(&self, key: &ObjectKey) -> Result<Arc<S::Object>, GetError> {
        let snapshot = self.indexer.snapshot();
        current(&snapshot, key).ok_or_else(|| self.why_not(&snapshot, key.clone()))
    }

    /// Returns the store that the lister reads.
    #[doc(hidden)]
    #[must_use]
    pub fn indexer(&self) -> &Indexer<S::Object> {
        &self.indexer
    }

    /// Calls `read` with the object of this borrowed key.
    pub(super) fn with_ref<R>(
        &self,
        key: KeyRef<'_>,
        read: impl FnOnce(&S::Object) -> R,
    ) -> Option<R> {
        self.missed(self.indexer.with(&key, read))
    }

    /// Returns the object with this key, which may be any borrowed form of a key.
    pub(crate) fn find(&self, key: &impl KeyLookup) -> Option<Arc<S::Object>> {
        self.missed(self.indexer.find(key))
    }

    /// Returns the current version of the object with this borrowed key.
    pub(super) fn try_find(&self, key: KeyRef<'_>) -> Result<Arc<S::Object>, GetError> {
        let snapshot = self.indexer.snapshot();
        current(&snapshot, &key).ok_or_else(|| self.why_not(&snapshot, key.into()))
    }

    /// Returns the reason why no current object with this key exists.
    fn why_not(&self, snapshot: &Snapshot<S::Object>, key: ObjectKey) -> GetError {
        let resource = self.resource.api_resource.plural.clone();
        let undecodable = snapshot.undecodable(&key).cloned();
        let namespaces = &self.coverage.namespaces;
        let is_other = |cached: &Arc<str>| key.namespace() != Some(cached);
        if let Some(Undecodable {
            resource_version,
            error,
            ..
        }) = undecodable
        {
            GetError::Undecodable {
                resource,
                key,
                resource_version,
                error,
            }
        } else if !namespaces.is_empty() && namespaces.iter().all(is_other) {
            GetError::OutOfScope {
                resource,
                key,
                namespaces: Arc::clone(namespaces),
            }
        } else if !snapshot.is_complete(key.namespace().unwrap_or_default()) {
            GetError::NotSynced { resource, key }
        } else if !self.coverage.has_in_part(&key, None) {
            GetError::NotInShard { resource, key }
        } else {
            GetError::NotFound { resource, key }
        }
    }

    /// Returns the objects that have this value in an index, ordered by key. Both are given as
    /// text. client-go's counterpart is `ByIndex`.
    ///
    /// # Errors
    ///
    /// Fails if no index has this name.
    pub fn by_index(
        &self,
        name: &str,
        value: &str,
    ) -> Result<Vec<Arc<S::Object>>, IndexLookupError> {
        self.indexer.snapshot().by_index(name, value)
    }

    /// Returns the names of the indices.
    #[must_use]
    pub fn index_names(&self) -> Vec<IndexName> {
        self.indexer.index_names()
    }

    /// Returns the cached resource.
    #[must_use]
    pub fn resource(&self) -> &ResourceInfo {
        &self.resource
    }

    // --- by scope ---

    /// Returns the object with this name, for a cluster-scoped type. O(log n).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<S::Object>>
    where
        K::Scope: ClusterScope<K>,
    {
        self.find(&KeyRef::cluster(name))
    }

    /// Calls `read` with the object of this name, for a cluster-scoped type; see
    /// [`with_key`](Self::with_key).
    pub fn with<R>(&self, name: &str, read: impl FnOnce(&S::Object) -> R) -> Option<R>
    where
        K::Scope: ClusterScope<K>,
    {
        self.with_ref(KeyRef::cluster(name), read)
    }

    /// Returns the current version of the object with this name, for a cluster-scoped type.
    ///
    /// # Errors
    ///
    /// Fails if the object does not exist, or if its current state is unknown; see [`GetError`].
    pub fn try_get(&self, name: &str) -> Result<Arc<S::Object>, GetError>
    where
        K::Scope: ClusterScope<K>,
    {
        self.try_find(KeyRef::cluster(name))
    }
}

impl<K, S> Lister<K, S>
where
    K: Object + Resource<Scope = DynamicResourceScope>,
    S: Storage<K>,
{
    /// Returns the object with this name, if the resource is cluster-scoped.
    ///
    /// # Errors
    ///
    /// Fails if the resource is namespaced.
    pub fn get_cluster_scoped(&self, name: &str) -> Result<Option<Arc<S::Object>>, ScopeError> {
        match self.resource.scope {
            Scope::Cluster => Ok(self.find(&KeyRef::cluster(name))),
            Scope::Namespaced => Err(ScopeError::Namespaced(self.resource.to_string())),
        }
    }
}

/// Returns the object with this key, unless its latest version did not decode.
fn current<T: Send + Sync + 'static>(
    snapshot: &Snapshot<T>,
    key: &impl KeyLookup,
) -> Option<Arc<T>> {
    let object = snapshot.find(key)?;
    let is_current = snapshot.find_undecodable(key).is_none();
    is_current.then_some(object)
}

impl<K: Object, S: Storage<K>> fmt::Debug for Lister<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister")
            .field("resource", &format_args!("{}", self.resource))
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

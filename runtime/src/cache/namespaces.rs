//! [`MultiNamespaceInformer`]: the informers of one type, one per namespace.

use std::fmt;
use std::sync::Arc;

use super::lister::MultiNamespaceLister;
use crate::object::{Object, Scope};
use crate::processor::{AddHandlerError, EventHandler, HandlerOptions, HandlerRegistration};
use crate::shared_informer::{SharedInformer, SyncError};

/// Informers of one type in a cache: either one for all namespaces, or one per cached namespace.
///
/// Returned by [`CacheReader::informers`](super::CacheReader::informers). All clones are handles to
/// the same informers.
pub struct MultiNamespaceInformer<K: Object> {
    /// Never empty, ordered by namespace.
    informers: Arc<[SharedInformer<K>]>,
}

// === impl MultiNamespaceInformer ===

impl<K: Object> MultiNamespaceInformer<K> {
    /// Creates a group of informers, which cache different namespaces in order. An informer of all
    /// namespaces must be the only one.
    pub(super) fn new(informers: Vec<SharedInformer<K>>) -> Self {
        Self {
            informers: informers.into(),
        }
    }

    /// Returns the informers, ordered by namespace.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &SharedInformer<K>> {
        self.informers.iter()
    }

    /// Returns the informer that caches this namespace, if one does. A cluster-scoped resource has
    /// one informer, which is returned for every namespace.
    #[must_use]
    pub fn of_namespace(&self, namespace: Option<&str>) -> Option<&SharedInformer<K>> {
        self.iter().find(|informer| {
            let cached = informer.namespace();
            informer.resource().scope == Scope::Cluster || cached.is_none() || cached == namespace
        })
    }

    /// Returns the cached namespaces, sorted; empty if all are cached.
    #[must_use]
    pub fn namespaces(&self) -> Vec<Arc<str>> {
        let namespaces = self.iter().filter_map(SharedInformer::namespace);
        namespaces.map(Arc::from).collect()
    }

    /// Returns a lister over all of the caches.
    #[must_use]
    pub fn lister(&self) -> MultiNamespaceLister<K> {
        MultiNamespaceLister::new(self.iter().map(|informer| {
            let namespace = informer.namespace().map(Arc::from);
            (namespace, informer.lister())
        }))
    }

    /// Adds a clone of a handler to each informer, in the order of namespaces. Notifications of
    /// different namespaces are not ordered relative to each other.
    ///
    /// # Errors
    ///
    /// Fails if an informer was stopped. The informers before it then have the handler.
    pub fn add_event_handler(
        &self,
        handler: impl EventHandler<Arc<K>> + Clone,
        options: &HandlerOptions,
    ) -> Result<Vec<HandlerRegistration>, AddHandlerError> {
        let handlers = std::iter::repeat_n(handler, self.informers.len());
        self.iter()
            .zip(handlers)
            .map(|(informer, handler)| informer.add_event_handler_with(handler, options.clone()))
            .collect()
    }

    /// Reports whether every informer has processed its first list.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.iter().all(SharedInformer::has_synced)
    }

    /// Waits until every informer has processed its first list, or until one has a failure that
    /// retries are unlikely to cure; see [`SharedInformer::wait_for_sync`].
    ///
    /// # Errors
    ///
    /// Returns the first failure.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_for_sync(&self) -> Result<(), SyncError> {
        let waits = self.iter().map(SharedInformer::wait_for_sync);
        futures::future::try_join_all(waits).await.map(drop)
    }

    /// Reports whether at least one of the informers was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.iter().any(SharedInformer::is_stopped)
    }
}

impl<K: Object> Clone for MultiNamespaceInformer<K> {
    fn clone(&self) -> Self {
        Self {
            informers: Arc::clone(&self.informers),
        }
    }
}

impl<K: Object> fmt::Debug for MultiNamespaceInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

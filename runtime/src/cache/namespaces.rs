//! [`MultiNamespaceInformer`]: the informers of one type, one per namespace.

use std::fmt;
use std::sync::Arc;

use super::lister::MultiNamespaceLister;
use crate::object::{Object, Scope};
use crate::processor::{AddHandlerError, EventHandler, HandlerOptions, HandlerRegistration};
use crate::shared_informer::{SharedInformer, SyncError};

/// The informers of one type in a cache: one of all namespaces, or one for each that is cached.
///
/// Made by [`CacheReader::informers`](super::CacheReader::informers). Clones are the same informers.
pub struct MultiNamespaceInformer<K: Object> {
    /// Never empty; ordered by namespace.
    informers: Arc<[SharedInformer<K>]>,
}

// === impl MultiNamespaceInformer ===

impl<K: Object> MultiNamespaceInformer<K> {
    /// `informers` cache different namespaces, in order, or one caches all.
    pub(super) fn new(informers: Vec<SharedInformer<K>>) -> Self {
        Self {
            informers: informers.into(),
        }
    }

    /// Each informer, ordered by namespace.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &SharedInformer<K>> {
        self.informers.iter()
    }

    /// The informer that caches this namespace, if one does. For cluster-scoped resources the one
    /// there is, whatever the namespace.
    #[must_use]
    pub fn of_namespace(&self, namespace: Option<&str>) -> Option<&SharedInformer<K>> {
        self.iter().find(|informer| {
            let cached = informer.namespace();
            informer.resource().scope == Scope::Cluster || cached.is_none() || cached == namespace
        })
    }

    /// The namespaces that are cached, sorted; empty for all.
    #[must_use]
    pub fn namespaces(&self) -> Vec<Arc<str>> {
        let namespaces = self.iter().filter_map(SharedInformer::namespace);
        namespaces.map(Arc::from).collect()
    }

    /// A lister over all of the caches.
    #[must_use]
    pub fn lister(&self) -> MultiNamespaceLister<K> {
        MultiNamespaceLister::new(self.iter().map(|informer| {
            let namespace = informer.namespace().map(Arc::from);
            (namespace, informer.lister())
        }))
    }

    /// Adds a handler to each informer, in the order of namespaces; each gets a clone. Between
    /// namespaces notifications have no order.
    ///
    /// # Errors
    ///
    /// An informer was stopped; the ones before it have the handler.
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

    /// Whether each has processed its first list.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.iter().all(SharedInformer::has_synced)
    }

    /// Waits until each has processed its first list, or waiting does not help one of them; see
    /// [`SharedInformer::wait_for_sync`].
    ///
    /// # Errors
    ///
    /// The first failure.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn wait_for_sync(&self) -> Result<(), SyncError> {
        let waits = self.iter().map(SharedInformer::wait_for_sync);
        futures::future::try_join_all(waits).await.map(drop)
    }

    /// Whether one of them was stopped.
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

//! [`GenericInformer`]: an informer without its type.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::event::Event;
use crate::object::{Object, ObjectKey, ResourceInfo};
use crate::processor::{AddHandlerError, HandlerOptions, HandlerRegistration};
use crate::shared_informer::{AnyInformer, SharedInformer, SyncError};
use crate::status::{InformerMetrics, InformerStatus, StatusChanges};
use crate::storage::{Entry, Storage};

/// Type-erased informer, for code that handles resources by name, such as a health page or a
/// garbage collector.
///
/// Provides everything that does not depend on the type of the objects. Generated `for_resource`
/// functions return it. client-go's counterpart is `informers.GenericInformer`.
///
/// All clones are handles to the same informer.
///
/// # Examples
///
/// ```
/// # use informer_runtime::{GenericInformer, SharedInformerFactory};
/// # use k8s_openapi::api::apps::v1::Deployment;
/// # use k8s_openapi::api::core::v1::{Node, Pod};
/// fn report(factory: &SharedInformerFactory) {
///     let informers: [GenericInformer; 3] = [
///         factory.informer::<Pod>().into(),
///         factory.informer::<Node>().into(),
///         factory.informer::<Deployment>().into(),
///     ];
///     for informer in informers {
///         println!("{}: {}, {} objects", informer.resource(), informer.status().state, informer.len());
///     }
/// }
/// ```
#[derive(Clone)]
pub struct GenericInformer {
    pub(super) inner: Arc<AnyInformer>,
    /// The informer with its types.
    typed: Arc<dyn Any + Send + Sync>,
}

// === impl GenericInformer ===

impl GenericInformer {
    /// Returns the informer's name in logs and errors.
    #[must_use]
    pub fn name(&self) -> &str {
        self.inner.name()
    }

    /// Returns the cached resource: group, version, kind, plural name and scope.
    #[must_use]
    pub fn resource(&self) -> &ResourceInfo {
        self.inner.resource()
    }

    /// Returns the only cached namespace, or `None` if the informer caches all namespaces or a
    /// cluster-scoped resource.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.inner.namespace()
    }

    /// Returns the informer's current status.
    #[must_use]
    pub fn status(&self) -> InformerStatus {
        self.inner.status()
    }

    /// Returns an asynchronous sequence of statuses: the current one, then one per change.
    #[must_use]
    pub fn status_changes(&self) -> StatusChanges {
        self.inner.status_changes()
    }

    /// Reports whether the first list was processed.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.inner.has_synced()
    }

    /// Returns the informer's counters and gauges.
    #[must_use]
    pub fn metrics(&self) -> InformerMetrics {
        self.inner.metrics()
    }

    /// Waits until the first list was processed, or until a failure occurs that retries are
    /// unlikely to cure.
    ///
    /// # Errors
    ///
    /// Same as [`SharedInformer::wait_for_sync`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_for_sync(&self) -> Result<(), SyncError> {
        self.inner.wait_for_sync().await
    }

    /// Returns the number of cached objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.state().keys().len()
    }

    /// Reports whether no object is cached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the keys of the cached objects, in order. O(n).
    #[must_use]
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.inner.state().keys().cloned().collect()
    }

    /// Calls `handler` with the key of each object that is added, changed or deleted, starting with
    /// the objects that are cached already. Intended for adding keys to a
    /// `WorkQueue`.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn on_change(
        &self,
        handler: impl Fn(&ObjectKey) + Send + Sync + 'static,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let handler = move |event: Event<Entry>| handler(event.key());
        self.inner.add(handler, HandlerOptions::default())
    }

    /// Returns the typed informer, if it has these types.
    #[must_use]
    pub fn downcast_ref<K: Object, S: Storage<K>>(&self) -> Option<&SharedInformer<K, S>> {
        self.typed.downcast_ref()
    }
}

impl<K: Object, S: Storage<K>> From<SharedInformer<K, S>> for GenericInformer {
    fn from(informer: SharedInformer<K, S>) -> Self {
        Self {
            inner: Arc::clone(&informer.inner),
            typed: Arc::new(informer),
        }
    }
}

impl fmt::Debug for GenericInformer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenericInformer")
            .field("name", &self.name())
            .field("state", &self.status().state)
            .field("len", &self.len())
            .finish()
    }
}

#[cfg(test)]
mod tests;

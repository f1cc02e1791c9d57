//! [`ReferencedCache`]: the handle of a cache of referenced objects.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use informer_runtime::lister::{ReadsCaches, VisitCache};
use informer_runtime::processor::AddHandlerError;
use informer_runtime::{
    EventHandler, GetError, HandlerOptions, HandlerRegistration, Object, ObjectKey, Snapshot,
    SyncError,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::error::ReferencedError;
use super::plan::FollowedBy;
use super::shared::SharedCache;
use super::status::ReferencedStatus;
use crate::relations::RelatedError;
use crate::workqueue::{Changed, KeyQueue, RelationName, enqueue_mapped, or_deletion};

/// Cache of the `T`s that cached objects of another type mention, and of no other `T`.
///
/// The cache counts the mentions of each name. It watches a mentioned object by its name
/// (`fieldSelector=metadata.name=..`), which API servers authorize by `resourceNames`. Where many
/// names of one namespace are mentioned, it watches the namespace instead, if the API server
/// permits that, and drops all other objects before they are decoded. It never lists all
/// namespaces. An object is released some time after its last mention.
///
/// The informers of the objects belong to the factory: they start with it, appear in its metrics,
/// and stop with it. Other users of the factory do not share them.
///
/// All clones are handles to the same cache. Dropping the last handle stops the cache, but not the
/// informer of the referrers. client-go has no counterpart; kubelet's watch-based Secret manager
/// does the same for Pods.
///
/// # Examples
///
/// ```
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// # use informer_runtime::SharedInformerFactory;
/// use informer::ObjectKey;
/// use informer::relations::{Reference, ReferencedCache};
/// use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
///
/// /// Secrets with which the Pods of a service account pull images.
/// fn pull_secrets(account: &ServiceAccount) -> Vec<ObjectKey> {
///     let namespace = account.metadata.namespace.as_deref();
///     let secrets = account.image_pull_secrets.iter().flatten();
///     secrets.map(|secret| ObjectKey::new(namespace, &secret.name)).collect()
/// }
///
/// # async fn doc(factory: SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
/// let accounts = factory.informer::<ServiceAccount>();
/// let reference = Reference::new("imagePullSecrets", pull_secrets);
/// let secrets: ReferencedCache<Secret> =
///     ReferencedCache::builder(&factory, &accounts, reference).max_single_watches(128).build()?;
/// factory.start()?;
/// secrets.wait_for_sync().await?;
/// match secrets.try_get(&ObjectKey::namespaced("default", "registry")) {
///     Ok(secret) => println!("{} entries", secret.data.as_ref().map_or(0, |data| data.len())),
///     Err(reason) => println!("{reason}"),
/// }
/// # Ok(())
/// # }
/// ```
pub struct ReferencedCache<T: Object> {
    shared: Arc<SharedCache<T>>,
    /// Ends the task with the last handle.
    guard: Arc<DropGuard>,
    /// `None`: all updates count.
    changed: Option<Changed<T>>,
}

// === impl ReferencedCache ===

impl<T: Object> ReferencedCache<T> {
    pub(super) fn new(shared: Arc<SharedCache<T>>, cancel: CancellationToken) -> Self {
        Self {
            shared,
            guard: Arc::new(cancel.drop_guard()),
            changed: None,
        }
    }

    /// Returns a handle whose [`enqueue_into`](Self::enqueue_into) ignores the updates for which
    /// `changed` returns `false`; see
    /// [`ReferencedObjects::changed`](crate::relations::RelatedObjects::changed).
    #[must_use]
    pub fn changed(&self, changed: impl Fn(&T, &T) -> bool + Send + Sync + 'static) -> Self {
        Self {
            changed: Some(or_deletion(changed)),
            ..self.clone()
        }
    }

    /// Returns the object with this key, if it is cached. Takes no lock. The namespace is ignored
    /// for cluster-scoped types. [`try_get`](Self::try_get) returns the reason of a miss.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<T>> {
        let canonical = self.shared.canonical(key)?;
        self.shared.cache.indexer().get(&canonical)
    }

    /// Returns the object with this key, or the reason why the cache does not have it.
    ///
    /// # Errors
    ///
    /// Fails if the object is not referenced, not known yet, forbidden, missing, or not watched
    /// because of the limit on single watches. Also fails if its latest version did not decode.
    pub fn try_get(&self, key: &ObjectKey) -> Result<Arc<T>, ReferencedError> {
        let resource = self.shared.resource.api_resource.plural.clone();
        let Some(key) = self.shared.canonical(key) else {
            return Err(ReferencedError::NotReferenced {
                resource,
                key: key.clone(),
            });
        };
        let state = self.shared.state.lock();
        let place = state.plan.place(&key);
        let informer = place
            .and_then(FollowedBy::watch)
            .and_then(|id| state.informers.get(&id).cloned());
        let are_referrers_known = state.are_referrers_known;
        drop(state);
        if let Some(informer) = informer {
            return informer
                .lister()
                .try_get_by_key(&key)
                .map_err(|error| RelatedError::of(error, &informer).into());
        }
        match place {
            Some(FollowedBy::OverLimit) => Err(ReferencedError::TooMany {
                resource,
                key,
                limit: self.shared.limits.max_single_watches,
            }),
            None if are_referrers_known => Err(ReferencedError::NotReferenced { resource, key }),
            Some(_) | None => {
                // A stopped cache stays readable.
                if let Some(object) = self.shared.cache.indexer().get(&key) {
                    return Ok(object);
                }
                let unknown = GetError::NotSynced { resource, key };
                Err(RelatedError::Get(unknown).into())
            }
        }
    }

    /// Returns a consistent snapshot of the cached objects. O(1).
    ///
    /// Its resourceVersion is that of the last change, and does not tell which changes of other
    /// objects the cache has seen.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<T> {
        self.shared.cache.snapshot()
    }

    /// Adds a handler with default options; see
    /// [`add_event_handler_with`](Self::add_event_handler_with).
    ///
    /// # Errors
    ///
    /// Fails if the cache was stopped.
    pub fn add_event_handler(
        &self,
        handler: impl EventHandler<T>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.add_event_handler_with(handler, HandlerOptions::default())
    }

    /// Adds a handler, which receives the changes of all referenced objects as if one informer
    /// followed them. Changes of the watches behind the cache are not visible to handlers.
    ///
    /// An object that is released leaves the scope of the cache. As in a watch with a selector, its
    /// handlers receive a `Deleted` event, with
    /// [`final_state_unknown`](informer_runtime::Deleted::final_state_unknown). A later mention adds the
    /// object again.
    ///
    /// # Errors
    ///
    /// Fails if the cache was stopped.
    pub fn add_event_handler_with(
        &self,
        handler: impl EventHandler<T>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.shared.cache.add_event_handler_with(handler, options)
    }

    /// Enqueues the referrers of each object that is added, updated or deleted, as
    /// [`ReferencedObjects::enqueue_into`](crate::relations::ReferencedObjects::enqueue_into) does.
    ///
    /// # Errors
    ///
    /// Fails if the cache was stopped.
    pub fn enqueue_into(
        &self,
        queue: impl Into<KeyQueue>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let shared = Arc::clone(&self.shared);
        let referrers = move |key: &ObjectKey, _: &T| shared.referrers(key);
        let related = RelationName::new("referenced", &self.shared.resource.api_resource.kind);
        let handler = enqueue_mapped(queue, referrers).changed_by(self.changed.clone());
        let (handler, _) = handler.because(related);
        self.add_event_handler(handler)
    }

    /// Waits until each name that was mentioned at the start was found, missing, forbidden or over
    /// the limit, or until a failure occurs that retries are unlikely to cure. Names that are
    /// mentioned later do not make the cache unsynced.
    ///
    /// Transient failures do not end the wait. After an error the cache keeps retrying, and this
    /// function can be called again.
    ///
    /// # Errors
    ///
    /// Fails if the API server does not serve the resource, rejects the client's credentials,
    /// rejects a request as invalid, or returns a malformed answer. Also fails if the cache was
    /// stopped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_for_sync(&self) -> Result<(), SyncError> {
        self.shared.cache.wait_for_sync().await
    }

    /// Returns the numbers of names, watches and objects. O(names).
    #[must_use]
    pub fn status(&self) -> ReferencedStatus {
        self.shared.status()
    }

    /// Returns a function that reads the name and the numbers of the cache while it exists.
    #[doc(hidden)]
    pub fn weak_status(&self) -> impl Fn() -> Option<(Arc<str>, ReferencedStatus)> + use<T> {
        let weak = Arc::downgrade(&self.shared);
        move || {
            let shared = weak.upgrade()?;
            Some((Arc::clone(&shared.name), shared.status()))
        }
    }
}

/// A session waits for the watches of the objects that are mentioned, and until this cache shows what
/// they show, in O(names). Writes of other objects concern no read.
impl<T: Object> ReadsCaches for ReferencedCache<T> {
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        for watch in self.shared.watches() {
            watch.visit_caches(visit);
        }
    }

    fn catch_up(&self) -> Option<BoxFuture<'_, Result<(), Arc<str>>>> {
        Some(Arc::clone(&self.shared).catch_up().boxed())
    }
}

impl<T: Object> Clone for ReferencedCache<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            guard: Arc::clone(&self.guard),
            changed: self.changed.clone(),
        }
    }
}

impl<T: Object> fmt::Debug for ReferencedCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferencedCache")
            .field("name", &self.shared.name)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

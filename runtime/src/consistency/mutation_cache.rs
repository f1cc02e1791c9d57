//! [`MutationCache`]: immediate reads of the program's own writes.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::overlay::{NotOverlaid, Overlay};
use crate::event::Event;
use crate::indexer::{IndexLookupError, Indexer, Snapshot};
use crate::object::{Object, ObjectKey};
use crate::processor::{AddHandlerError, EventHandler};
use crate::shared_informer::SharedInformer;
use crate::storage::Entry;

const DEFAULT_SIZE: NonZeroUsize = NonZeroUsize::new(100).unwrap();
const DEFAULT_TTL: Duration = Duration::from_secs(5 * 60);

/// Informer's cache with the program's own writes laid over it. A write is readable at once, and is
/// dropped when the informer has the same version or a later one.
///
/// Pass the API server's response of each create, update and patch to [`mutation`](Self::mutation),
/// and read through this cache. Reads return the newer version of the own write and the stored
/// object. After the informer has seen the deletion of an object, a late write of the same uid does
/// not restore it. All clones share the writes.
///
/// The cache holds a bounded number of writes, and the same number of deletions, for a bounded
/// time; the least recently used ones are evicted first. It bridges the time until the informer
/// catches up, and does not replace a store. client-go's counterpart is `MutationCache`.
///
/// # Examples
///
/// ```
/// # use std::sync::Arc;
/// # use informer_runtime::consistency::{MutationCache, MutationCacheOptions};
/// # use informer_runtime::{ObjectKey, SharedInformer};
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # fn doc(configs: SharedInformer<ConfigMap>, written: ConfigMap)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// let cache = MutationCache::for_informer(&configs, MutationCacheOptions::default())?;
/// // An error means that the cache has this version or a later one already.
/// let _ = cache.mutation(Arc::new(written));
/// let seen = cache.get(&ObjectKey::namespaced("default", "settings"));
/// # drop(seen);
/// # Ok(())
/// # }
/// ```
pub struct MutationCache<K> {
    shared: Arc<Shared<K>>,
}

struct Shared<K> {
    store: Indexer<Arc<K>>,
    /// Taken after a snapshot of `store`, never while one is taken.
    overlay: Mutex<Overlay<Arc<K>>>,
}

type ByKey<K> = BTreeMap<ObjectKey, Arc<K>>;

/// Bounds and behaviour of a [`MutationCache`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MutationCacheOptions {
    /// Maximum number of writes, and of deletions. Default: 100.
    pub size: NonZeroUsize,
    /// Time to live of writes and deletions. Default: 5 min.
    pub ttl: Duration,
    /// `true` to also read writes of objects that the informer does not have. Default: `false`.
    ///
    /// Such an object was either just created, or was deleted so long ago that the deletion is no
    /// longer remembered.
    pub include_adds: bool,
}

// === impl MutationCache ===

impl<K: Object> MutationCache<K> {
    /// Creates a cache over `informer`. The informer's events update this cache until the informer
    /// stops.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn for_informer(
        informer: &SharedInformer<K>,
        options: MutationCacheOptions,
    ) -> Result<Self, AddHandlerError> {
        let cache = Self::new(informer.indexer().clone(), options);
        informer.add_event_handler(cache.clone())?;
        Ok(cache)
    }

    /// Creates a cache over `store`. Its clones are event handlers: add one to the source of the
    /// store's events.
    #[must_use]
    pub fn new(store: Indexer<Arc<K>>, options: MutationCacheOptions) -> Self {
        let overlay = Overlay::new(options.size, options.ttl, options.include_adds);
        Self {
            shared: Arc::new(Shared {
                store,
                overlay: Mutex::new(overlay),
            }),
        }
    }

    /// Lays an object over the store: the API server's response to a write.
    ///
    /// # Errors
    ///
    /// Fails if the object was not laid over the store. Reads then return the same version or a
    /// later one, or the object was deleted.
    pub fn mutation(&self, object: Arc<K>) -> Result<(), NotOverlaid> {
        let now = Instant::now();
        let entry = Entry::from(object);
        let snapshot = self.shared.store.snapshot();
        let stored = snapshot.get(&entry.key);
        let stored = stored.map(|stored| &stored.resource_version);
        self.with(|overlay| overlay.mutation(entry, stored, now))
    }

    /// Returns the newest known version of the object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        let now = Instant::now();
        let snapshot = self.shared.store.snapshot();
        let stored = snapshot.get(key);
        self.with(|overlay| overlay.newest(key, stored, now))
    }

    /// Returns the newest known version of each object, ordered by key.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<K>> {
        let snapshot = self.shared.store.snapshot();
        let (mut writes, adds) = self.overlaid(&snapshot);
        let stored = snapshot.iter().map(|entry| {
            let newest = writes.remove(&entry.key);
            (&entry.key, newest.unwrap_or_else(|| entry.handle.clone()))
        });
        let adds = adds.iter().map(|(key, object)| (key, Arc::clone(object)));
        let mut objects: Vec<_> = stored.chain(adds).collect();
        // The objects are nearly sorted, so the sort is cheap.
        objects.sort_by_key(|(key, _)| *key);
        objects.into_iter().map(|(_, object)| object).collect()
    }

    /// Returns the newest known versions of the objects that the store's index has under this
    /// value.
    ///
    /// The lookup uses the stored versions. A write that creates an object, or changes its index
    /// value, takes effect in the index when the informer has that version.
    ///
    /// # Errors
    ///
    /// Fails if no index has this name.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<K>>, IndexLookupError> {
        let snapshot = self.shared.store.snapshot();
        let keys = snapshot.index_keys(name, value)?;
        let (mut writes, _) = self.overlaid(&snapshot);
        let entries = keys.iter().filter_map(|key| snapshot.get(key));
        Ok(entries
            .map(|entry| {
                let newest = writes.remove(&entry.key);
                newest.unwrap_or_else(|| entry.handle.clone())
            })
            .collect())
    }

    /// Returns the objects to read in place of stored ones, and the objects to read in addition.
    /// The time under the lock is bounded by the number of writes.
    fn overlaid(&self, snapshot: &Snapshot<Arc<K>>) -> (ByKey<K>, ByKey<K>) {
        let now = Instant::now();
        let newest: ByKey<K> = self.with(|overlay| {
            overlay
                .keys(now)
                .into_iter()
                .filter_map(|key| {
                    let newest = overlay.newest(&key, snapshot.get(&key), now)?;
                    Some((key, newest))
                })
                .collect()
        });
        newest
            .into_iter()
            .partition(|(key, _)| snapshot.get(key).is_some())
    }

    fn with<R>(&self, f: impl FnOnce(&mut Overlay<Arc<K>>) -> R) -> R {
        let (result, garbage) = {
            let mut overlay = self.shared.overlay.lock();
            let result = f(&mut overlay);
            (result, overlay.take_garbage())
        };
        drop(garbage);
        result
    }
}

impl<K: Object> EventHandler<Arc<K>> for MutationCache<K> {
    async fn on_event(&mut self, event: Event<Arc<K>>) {
        let now = Instant::now();
        let seen = Entry::from(Arc::clone(event.object()));
        let (key, version) = (event.key().clone(), seen.resource_version);
        self.with(|overlay| match event {
            Event::Added(_) | Event::Updated(_) => overlay.observe(&key, &version, now),
            Event::Deleted(_) => overlay.delete(key, seen.uid, version, now),
        });
    }
}

impl<K> Clone for MutationCache<K> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<K> fmt::Debug for MutationCache<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MutationCache")
            .field("store", &self.shared.store)
            .finish_non_exhaustive()
    }
}

// === impl MutationCacheOptions ===

impl Default for MutationCacheOptions {
    fn default() -> Self {
        Self {
            size: DEFAULT_SIZE,
            ttl: DEFAULT_TTL,
            include_adds: false,
        }
    }
}

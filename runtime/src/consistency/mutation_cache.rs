//! [`MutationCache`]: reads that see one's own writes without waiting for them.

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

/// An informer's cache with one's own writes laid over it: what a write returned is read at once,
/// and given up when the informer has the same version or a later one.
///
/// Give it what the API server answered to each create, update and patch
/// ([`mutation`](Self::mutation)), and read through it. Of an own write and what is stored the newer
/// one is read. Once the informer has seen an object deleted, no late write of that uid brings it
/// back. Clones share the writes.
///
/// It remembers a bounded number of writes, and as many deletions, for a bounded time: what was not
/// used for longest goes first. So it bridges the moment until the informer catches up, and is no
/// second store. client-go's counterpart is `MutationCache`.
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
/// // An error says that the cache has this version already, which is as good.
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
    /// Taken after a snapshot of `store`, never around one.
    overlay: Mutex<Overlay<Arc<K>>>,
}

type ByKey<K> = BTreeMap<ObjectKey, Arc<K>>;

/// How much a [`MutationCache`] remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MutationCacheOptions {
    /// How many writes, and how many deletions; 100 by default.
    pub size: NonZeroUsize,
    /// For how long; 5 min by default.
    pub ttl: Duration,
    /// Whether a write of an object that the informer does not have is read too; not by default.
    ///
    /// Such an object may be one that was just created, or one whose deletion is forgotten.
    pub include_adds: bool,
}

// === impl MutationCache ===

impl<K: Object> MutationCache<K> {
    /// A cache over that of `informer`, which feeds it with its events until it is stopped.
    ///
    /// # Errors
    ///
    /// The informer was stopped.
    pub fn for_informer(
        informer: &SharedInformer<K>,
        options: MutationCacheOptions,
    ) -> Result<Self, AddHandlerError> {
        let cache = Self::new(informer.indexer().clone(), options);
        informer.add_event_handler(cache.clone())?;
        Ok(cache)
    }

    /// A cache over `store`. Clones of it are event handlers: add one to whatever fills the store.
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

    /// Lays an object over the store: what the API server answered to a write.
    ///
    /// # Errors
    ///
    /// Why that was not done; reads see the same version or a later one then, or the object was
    /// deleted.
    pub fn mutation(&self, object: Arc<K>) -> Result<(), NotOverlaid> {
        let now = Instant::now();
        let entry = Entry::from(object);
        let snapshot = self.shared.store.snapshot();
        let stored = snapshot.get(&entry.key);
        let stored = stored.map(|stored| &stored.resource_version);
        self.with(|overlay| overlay.mutation(entry, stored, now))
    }

    /// The newest known version of the object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        let now = Instant::now();
        let snapshot = self.shared.store.snapshot();
        let stored = snapshot.get(key);
        self.with(|overlay| overlay.newest(key, stored, now))
    }

    /// The newest known version of each object, ordered by key.
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
        // Nearly sorted, which costs nearly nothing.
        objects.sort_by_key(|(key, _)| *key);
        objects.into_iter().map(|(_, object)| object).collect()
    }

    /// The newest known versions of the objects that the store has in an index under a value.
    ///
    /// Looked up by what is stored: a write that gave its object another value, or that created it,
    /// moves it when the informer has it.
    ///
    /// # Errors
    ///
    /// There is no index of this name.
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

    /// What is to be read in place of stored objects, and besides them. At most as many as there
    /// are writes, so that the lock is held for no longer.
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

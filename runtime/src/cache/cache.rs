//! [`Cache`]: one reader over many types.

use std::fmt;
use std::sync::Arc;

use kube::core::{DynamicObject, PartialObjectMeta};
use parking_lot::Mutex;

use super::error::CacheError;
use super::options::{CacheListOptions, TypeOptions};
use super::reader::{CacheReader, Request};
use super::shared::{Settings, Shared};
use super::state::{TypeCell, TypeKey, Types};
use crate::factory::{CacheSyncError, SharedInformerFactory, StartError, SyncResult};
use crate::object::{Object, ObjectKey, ResourceInfo};

/// Reader of objects of any type from the caches of informers, which it starts on demand.
///
/// All clones are handles to the same cache. Its informers belong to its factory: they are shared
/// with the factory's other users, and stop with the factory.
#[derive(Clone)]
pub struct Cache {
    shared: Arc<Shared>,
}

// === impl Cache ===

impl Cache {
    pub(super) fn new(factory: SharedInformerFactory, settings: Settings, types: Types) -> Self {
        Self {
            shared: Arc::new(Shared {
                factory,
                settings,
                types: Mutex::new(types),
            }),
        }
    }

    /// Returns the factory that owns the informers.
    #[must_use]
    pub fn factory(&self) -> &SharedInformerFactory {
        &self.shared.factory
    }

    /// Starts the factory: its existing informers, and from now on each informer that a read
    /// requests.
    ///
    /// # Errors
    ///
    /// Fails if the factory was shut down.
    pub fn start(&self) -> Result<(), StartError> {
        self.shared.factory.start()
    }

    /// Waits for the existing informers; see [`SharedInformerFactory::wait_for_cache_sync`].
    ///
    /// # Errors
    ///
    /// Fails if at least one informer did not sync. The error contains the outcome of all
    /// informers.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_for_cache_sync(&self) -> Result<SyncResult, CacheSyncError> {
        self.shared.factory.wait_for_cache_sync().await
    }

    /// Stops the factory's informers and waits until all of their tasks have ended. Later reads
    /// fail.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not cancel the stop of the informers.
    pub async fn shutdown(&self) {
        self.shared.factory.shutdown().await;
    }

    // --- types ---

    /// Returns the reader of `K`.
    #[must_use]
    pub fn of<K: Object<DynamicType = ()>>(&self) -> CacheReader<K> {
        self.reader(ResourceInfo::of_type::<K>(), None, |factory, _, options| {
            factory.informer_with(options)
        })
    }

    /// Returns the reader of a resource without a Rust type. [`SharedInformerFactory::discover`]
    /// finds the resource by its name.
    #[must_use]
    pub fn dynamic(&self, resource: ResourceInfo) -> CacheReader<DynamicObject> {
        self.reader(
            resource,
            Some("dynamic"),
            SharedInformerFactory::dynamic_with,
        )
    }

    /// Returns the reader of a resource's metadata. The API server sends no other fields.
    #[must_use]
    pub fn metadata(
        &self,
        resource: ResourceInfo,
    ) -> CacheReader<PartialObjectMeta<DynamicObject>> {
        self.reader(
            resource,
            Some("metadata"),
            SharedInformerFactory::metadata_with,
        )
    }

    fn reader<K: Object>(
        &self,
        resource: ResourceInfo,
        form: Option<&'static str>,
        request: Request<K>,
    ) -> CacheReader<K> {
        let key = TypeKey::of::<K>(resource.gvr());
        let cell = {
            let mut types = self.shared.types.lock();
            let known = types.get(&key).cloned();
            let known = known.and_then(|cell| cell.downcast::<TypeCell<K>>().ok());
            known.unwrap_or_else(|| {
                let cell = Arc::new(TypeCell::new(TypeOptions::new()));
                types.insert(key, Arc::clone(&cell) as _);
                cell
            })
        };
        CacheReader::new(Arc::clone(&self.shared), resource, form, request, cell)
    }

    // --- reads ---

    /// Returns the object with this key; see [`CacheReader::get`].
    ///
    /// # Errors
    ///
    /// Fails if the cache cannot tell whether the object exists; the error gives the reason.
    ///
    /// # Cancel safety
    ///
    /// If this call has started an informer, the informer keeps running after the future is
    /// dropped.
    pub async fn get<K: Object<DynamicType = ()>>(
        &self,
        key: &ObjectKey,
    ) -> Result<Option<Arc<K>>, CacheError> {
        self.of::<K>().get(key).await
    }

    /// Returns objects of `K`, ordered by key; see [`CacheReader::list`].
    ///
    /// # Errors
    ///
    /// Fails if the cache cannot tell which objects exist; the error gives the reason.
    ///
    /// # Cancel safety
    ///
    /// If this call has started an informer, the informer keeps running after the future is
    /// dropped.
    pub async fn list<K: Object<DynamicType = ()>>(
        &self,
        options: &CacheListOptions,
    ) -> Result<Vec<Arc<K>>, CacheError> {
        self.of::<K>().list(options).await
    }

    /// Returns the objects of `K` with this value in an index; see [`CacheReader::list_by_index`].
    ///
    /// # Errors
    ///
    /// Fails if no index has this name, or if the cache cannot tell which objects exist.
    ///
    /// # Cancel safety
    ///
    /// If this call has started an informer, the informer keeps running after the future is
    /// dropped.
    pub async fn list_by_index<K: Object<DynamicType = ()>>(
        &self,
        name: &str,
        value: &str,
        options: &CacheListOptions,
    ) -> Result<Vec<Arc<K>>, CacheError> {
        self.of::<K>().list_by_index(name, value, options).await
    }

    /// Stops and removes the informers of `K`; see [`CacheReader::remove`].
    ///
    /// # Cancel safety
    ///
    /// The first poll stops the informers. Dropping the future later only ends the wait for them.
    pub async fn remove<K: Object<DynamicType = ()>>(&self) -> bool {
        self.of::<K>().remove().await
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("factory", &self.shared.factory)
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}

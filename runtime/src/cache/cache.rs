//! [`Cache`]: the types of a program behind one reader.

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

/// Reads objects of any type from the caches of informers, which it starts when they are needed.
///
/// Clones are the same cache. Its informers are its factory's: shared with whoever else asks that
/// factory for them, and ended with it.
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

    /// The factory that the informers are of.
    #[must_use]
    pub fn factory(&self) -> &SharedInformerFactory {
        &self.shared.factory
    }

    /// Starts the factory: its informers, and those that reads ask for from now on.
    ///
    /// # Errors
    ///
    /// The factory was shut down.
    pub fn start(&self) -> Result<(), StartError> {
        self.shared.factory.start()
    }

    /// Waits for the informers that there are; see [`SharedInformerFactory::wait_for_cache_sync`].
    ///
    /// # Errors
    ///
    /// At least one informer did not sync; the error holds the outcome of all.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn wait_for_cache_sync(&self) -> Result<SyncResult, CacheSyncError> {
        self.shared.factory.wait_for_cache_sync().await
    }

    /// Ends the factory's informers and waits until none of their tasks is left. Reads fail from
    /// then on.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the informers ending.
    pub async fn shutdown(&self) {
        self.shared.factory.shutdown().await;
    }

    // --- types ---

    /// The reader of `K`.
    #[must_use]
    pub fn of<K: Object<DynamicType = ()>>(&self) -> CacheReader<K> {
        self.reader(ResourceInfo::of_type::<K>(), None, |factory, _, options| {
            factory.informer_with(options)
        })
    }

    /// The reader of a resource as objects without a Rust type;
    /// [`SharedInformerFactory::discover`] finds the resource by its name.
    #[must_use]
    pub fn dynamic(&self, resource: ResourceInfo) -> CacheReader<DynamicObject> {
        self.reader(
            resource,
            Some("dynamic"),
            SharedInformerFactory::dynamic_with,
        )
    }

    /// The reader of a resource's metadata; the server sends nothing else.
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

    /// The object of a key; see [`CacheReader::get`].
    ///
    /// # Errors
    ///
    /// It cannot be known whether there is such an object, and why.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves an informer that it has started running.
    pub async fn get<K: Object<DynamicType = ()>>(
        &self,
        key: &ObjectKey,
    ) -> Result<Option<Arc<K>>, CacheError> {
        self.of::<K>().get(key).await
    }

    /// Objects of `K`, ordered by key; see [`CacheReader::list`].
    ///
    /// # Errors
    ///
    /// It cannot be known which objects there are, and why.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves an informer that it has started running.
    pub async fn list<K: Object<DynamicType = ()>>(
        &self,
        options: &CacheListOptions,
    ) -> Result<Vec<Arc<K>>, CacheError> {
        self.of::<K>().list(options).await
    }

    /// Objects of `K` that have a value in an index; see [`CacheReader::list_by_index`].
    ///
    /// # Errors
    ///
    /// It cannot be known which objects there are, and why; or there is no index of this name.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves an informer that it has started running.
    pub async fn list_by_index<K: Object<DynamicType = ()>>(
        &self,
        name: &str,
        value: &str,
        options: &CacheListOptions,
    ) -> Result<Vec<Arc<K>>, CacheError> {
        self.of::<K>().list_by_index(name, value, options).await
    }

    /// Stops and forgets the informers of `K`; see [`CacheReader::remove`].
    ///
    /// # Cancel safety
    ///
    /// The first poll stops the informers; a future dropped later only gives up waiting for them.
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

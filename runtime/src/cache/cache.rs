//! [`Cache`]: one reader over many types.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::error::{CacheBuildError, CacheError};
use super::options::{CacheListOptions, MissingInformer};
use super::reader::CacheReader;
use super::state::{CacheShared, TypeCell, type_key};
use crate::factory::SharedInformerFactory;
use crate::object::{Object, ObjectKey, ResourceInfo};
use crate::shared_informer::InformerOptions;

/// Default time limit of a read that waits for its informer.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

/// Reader of objects of any type from the caches of informers, which it starts on demand.
///
/// All clones are handles to the same cache. Its informers belong to its factory: they are shared
/// with the factory's other users, start once the factory is started, and stop with it.
#[derive(Debug, Clone)]
pub struct Cache {
    shared: Arc<CacheShared>,
}

/// Builder of a [`Cache`]. [`build`](Self::build) checks the settings.
#[derive(Debug)]
pub struct CacheBuilder {
    shared: CacheShared,
    fault: Option<CacheBuildError>,
}

// === impl Cache ===

impl Cache {
    /// Starts building a cache over the informers of `factory`.
    #[must_use]
    pub fn builder(factory: SharedInformerFactory) -> CacheBuilder {
        let shared = CacheShared {
            factory,
            missing_informer: MissingInformer::default(),
            sync_timeout: SYNC_TIMEOUT,
            types: Mutex::default(),
        };
        let fault = None;
        CacheBuilder { shared, fault }
    }

    /// Returns the factory that owns the informers.
    #[must_use]
    pub fn factory(&self) -> &SharedInformerFactory {
        &self.shared.factory
    }

    /// Returns the reader of `K`.
    #[must_use]
    pub fn of<K: Object<DynamicType = ()>>(&self) -> CacheReader<K> {
        self.of_resource(ResourceInfo::of_type::<K>())
    }

    /// Returns the reader of a resource without a Rust type: `K` is `DynamicObject`, or
    /// `PartialObjectMeta<DynamicObject>` for the metadata, of which the API server sends no other
    /// fields. [`SharedInformerFactory::discover`] finds the resource by its name.
    #[must_use]
    pub fn of_resource<K: Object>(&self, resource: ResourceInfo) -> CacheReader<K> {
        let mut types = self.shared.types.lock();
        let cell = types
            .entry(type_key::<K>(&resource))
            .or_insert_with(|| Arc::new(TypeCell::<K>::new(InformerOptions::new())));
        let cell = Arc::clone(cell).downcast::<TypeCell<K>>();
        CacheReader {
            shared: Arc::clone(&self.shared),
            resource: Arc::new(resource),
            // The key contains the type, so the downcast succeeds.
            cell: cell.unwrap_or_else(|_| Arc::new(TypeCell::new(InformerOptions::new()))),
        }
    }

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
}

// === impl CacheBuilder ===

impl CacheBuilder {
    /// Sets the behaviour of a read whose type has no informer. Default:
    /// [`MissingInformer::Start`].
    #[must_use]
    pub fn missing_informer(mut self, what: MissingInformer) -> Self {
        self.shared.missing_informer = what;
        self
    }

    /// Sets the time limit of a read that waits for its informer to sync. Default: 2 minutes.
    #[must_use]
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.shared.sync_timeout = timeout;
        self
    }

    /// Sets which objects of `K` are cached, and how. Unset settings are the factory's.
    #[must_use]
    pub fn with_type<K: Object<DynamicType = ()>>(self, options: InformerOptions<K>) -> Self {
        self.with_resource(&ResourceInfo::of_type::<K>(), options)
    }

    /// Sets which objects of a resource are cached, and how: as dynamic objects or as metadata,
    /// depending on `K`.
    #[must_use]
    pub fn with_resource<K: Object>(
        mut self,
        resource: &ResourceInfo,
        options: InformerOptions<K>,
    ) -> Self {
        let key = type_key::<K>(resource);
        let cell = Arc::new(TypeCell::new(options));
        if self.shared.types.get_mut().insert(key, cell).is_some() {
            let twice = CacheBuildError::TypeTwice(resource.to_string());
            self.fault.get_or_insert(twice);
        }
        self
    }

    /// Builds the cache. The API server receives no request before the cache is started and read.
    ///
    /// # Errors
    ///
    /// Fails if a type has settings twice.
    pub fn build(self) -> Result<Cache, CacheBuildError> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(Cache {
                shared: Arc::new(self.shared),
            }),
        }
    }
}

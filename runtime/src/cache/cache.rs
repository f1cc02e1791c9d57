//! [`Cache`]: one reader over many types.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::error::{CacheBuildError, CacheError};
use super::options::{CacheListOptions, MissingInformer, TypeOptions};
use super::reader::CacheReader;
use super::state::{Shared, TypeCell, type_key};
use crate::factory::SharedInformerFactory;
use crate::object::{Object, ObjectKey, ResourceInfo, Scope};

/// Default time limit of a read that waits for its informer.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

/// Reader of objects of any type from the caches of informers, which it starts on demand.
///
/// All clones are handles to the same cache. Its informers belong to its factory: they are shared
/// with the factory's other users, start once the factory is started, and stop with it.
#[derive(Debug, Clone)]
pub struct Cache {
    shared: Arc<Shared>,
}

/// Builder of a [`Cache`]. [`build`](Self::build) checks the settings.
#[derive(Debug)]
pub struct CacheBuilder {
    shared: Shared,
    fault: Option<CacheBuildError>,
}

// === impl Cache ===

impl Cache {
    /// Starts building a cache over the informers of `factory`.
    #[must_use]
    pub fn builder(factory: SharedInformerFactory) -> CacheBuilder {
        let shared = Shared {
            factory,
            missing_informer: MissingInformer::default(),
            sync_timeout: SYNC_TIMEOUT,
            namespaces: BTreeSet::new(),
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
            .or_insert_with(|| Arc::new(TypeCell::<K>::new(TypeOptions::new())));
        let cell = Arc::clone(cell).downcast::<TypeCell<K>>();
        CacheReader {
            shared: Arc::clone(&self.shared),
            resource: Arc::new(resource),
            // The key contains the type, so the downcast succeeds.
            cell: cell.unwrap_or_else(|_| Arc::new(TypeCell::new(TypeOptions::new()))),
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

    /// Restricts each namespaced type to these namespaces, unless the type's settings override
    /// them. Default: all namespaces, or the namespace of the factory.
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        let namespaces = namespaces.into_iter().map(Into::into);
        self.shared.namespaces.extend(namespaces);
        if self.shared.namespaces.contains("") {
            self.fail(CacheBuildError::EmptyNamespace("all types".to_owned()));
        }
        self
    }

    /// Sets which objects of `K` are cached, and how.
    #[must_use]
    pub fn with_type<K: Object<DynamicType = ()>>(self, options: TypeOptions<K>) -> Self {
        self.with_resource(&ResourceInfo::of_type::<K>(), options)
    }

    /// Sets which objects of a resource are cached, and how: as dynamic objects or as metadata,
    /// depending on `K`.
    #[must_use]
    pub fn with_resource<K: Object>(
        mut self,
        resource: &ResourceInfo,
        options: TypeOptions<K>,
    ) -> Self {
        let name = resource.to_string();
        let namespaces = options.namespaces.as_ref();
        if namespaces.is_some_and(|namespaces| namespaces.contains_key("")) {
            self.fail(CacheBuildError::EmptyNamespace(name.clone()));
        }
        if resource.scope == Scope::Cluster && namespaces.is_some_and(|named| !named.is_empty()) {
            self.fail(CacheBuildError::NamespacesOfClusterScoped(name.clone()));
        }
        let key = type_key::<K>(resource);
        let cell = Arc::new(TypeCell::new(options));
        if self.shared.types.get_mut().insert(key, cell).is_some() {
            self.fail(CacheBuildError::TypeTwice(name));
        }
        self
    }

    /// Builds the cache. The API server receives no request before the cache is started and read.
    ///
    /// # Errors
    ///
    /// Fails if a type has settings twice, or has namespaces that are not allowed for it.
    pub fn build(self) -> Result<Cache, CacheBuildError> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(Cache {
                shared: Arc::new(self.shared),
            }),
        }
    }

    /// Records a fault. Only the first one is reported.
    fn fail(&mut self, fault: CacheBuildError) {
        self.fault.get_or_insert(fault);
    }
}

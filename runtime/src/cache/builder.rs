//! Builder and settings of a cache.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::core::{DynamicObject, PartialObjectMeta};

use super::cache::Cache;
use super::error::CacheBuildError;
use super::options::{MissingInformer, TypeOptions};
use super::shared::Settings;
use super::state::{TypeCell, TypeKey, Types};
use crate::factory::SharedInformerFactory;
use crate::object::{Object, ResourceInfo, Scope};

/// Default time limit of a read that waits for its informer.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

/// Builder of a [`Cache`]. [`build`](Self::build) checks the settings.
pub struct CacheBuilder {
    factory: SharedInformerFactory,
    settings: Settings,
    types: Types,
    fault: Option<CacheBuildError>,
}

// === impl Cache ===

impl Cache {
    /// Starts building a cache over the informers of `factory`.
    #[must_use]
    pub fn builder(factory: SharedInformerFactory) -> CacheBuilder {
        CacheBuilder::new(factory)
    }
}

// === impl CacheBuilder ===

impl CacheBuilder {
    pub(super) fn new(factory: SharedInformerFactory) -> Self {
        Self {
            factory,
            settings: Settings {
                missing_informer: MissingInformer::default(),
                sync_timeout: SYNC_TIMEOUT,
                namespaces: BTreeSet::new(),
            },
            types: Types::new(),
            fault: None,
        }
    }

    /// Sets the behaviour of a read whose type has no informer. Default:
    /// [`MissingInformer::Start`].
    #[must_use]
    pub fn missing_informer(mut self, what: MissingInformer) -> Self {
        self.settings.missing_informer = what;
        self
    }

    /// Sets the time limit of a read that waits for its informer to sync. Default: 2 minutes.
    #[must_use]
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.settings.sync_timeout = timeout;
        self
    }

    /// Restricts each namespaced type to these namespaces, unless the type's settings override
    /// them. Default: all namespaces, or the namespace of the factory.
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        let namespaces = namespaces.into_iter().map(Into::into);
        self.settings.namespaces.extend(namespaces);
        if self.settings.namespaces.contains("") {
            self.fail(CacheBuildError::EmptyNamespace("all types".to_owned()));
        }
        self
    }

    /// Sets which objects of `K` are cached, and how.
    #[must_use]
    pub fn with_type<K: Object<DynamicType = ()>>(self, options: TypeOptions<K>) -> Self {
        self.with(&ResourceInfo::of_type::<K>(), options)
    }

    /// Sets which objects of a resource are cached as dynamic objects, and how.
    #[must_use]
    pub fn with_dynamic(
        self,
        resource: &ResourceInfo,
        options: TypeOptions<DynamicObject>,
    ) -> Self {
        self.with(resource, options)
    }

    /// Sets which objects of a resource are cached as metadata, and how.
    #[must_use]
    pub fn with_metadata(
        self,
        resource: &ResourceInfo,
        options: TypeOptions<PartialObjectMeta<DynamicObject>>,
    ) -> Self {
        self.with(resource, options)
    }

    /// Builds the cache. The API server receives no request before the cache is started and read.
    ///
    /// # Errors
    ///
    /// Fails if a type has settings twice, or has namespaces that are not allowed for it.
    pub fn build(self) -> Result<Cache, CacheBuildError> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(Cache::new(self.factory, self.settings, self.types)),
        }
    }

    fn with<K: Object>(mut self, resource: &ResourceInfo, options: TypeOptions<K>) -> Self {
        let name = resource.to_string();
        let namespaces = options.namespaces.as_ref();
        if namespaces.is_some_and(|namespaces| namespaces.contains_key("")) {
            self.fail(CacheBuildError::EmptyNamespace(name.clone()));
        }
        if resource.scope == Scope::Cluster && namespaces.is_some_and(|named| !named.is_empty()) {
            self.fail(CacheBuildError::NamespacesOfClusterScoped(name.clone()));
        }
        let key = TypeKey::of::<K>(resource.gvr());
        let cell = Arc::new(TypeCell::new(options));
        if self.types.insert(key, cell).is_some() {
            self.fail(CacheBuildError::TypeTwice(name));
        }
        self
    }

    /// Records a fault. Only the first one is reported.
    fn fail(&mut self, fault: CacheBuildError) {
        self.fault.get_or_insert(fault);
    }
}

impl fmt::Debug for CacheBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheBuilder")
            .field("settings", &self.settings)
            .field("types", &self.types.len())
            .finish_non_exhaustive()
    }
}

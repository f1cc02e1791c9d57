//! What can be set on a factory.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::runtime::Handle;

use super::shared_informer_factory::SharedInformerFactory;
use crate::object::{Object, ResourceInfo};
use crate::shared_informer::{
    ConfigError, InformerConfig, InformerOptions, Selectors, informer_settings, request_settings,
};
use crate::storage::{Storage, Typed};

/// How long [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync) waits, unless set.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

/// Builds a [`SharedInformerFactory`]. Settings are checked once, by [`build`](Self::build).
///
/// What is set here holds for every informer of the factory whose type or request does not say
/// otherwise.
pub struct SharedInformerFactoryBuilder {
    client: Client,
    settings: Settings,
    type_twice: Option<&'static str>,
}

/// What holds for every informer of a factory that does not say otherwise.
pub(super) struct Settings {
    config: InformerConfig,
    pub(super) strict_namespace: bool,
    pub(super) tweak: Option<Arc<TweakFn>>,
    pub(super) sync_timeout: Duration,
    /// `InformerOptions<K, S>` by its type.
    types: HashMap<TypeId, Box<dyn TypeSettings>>,
}

type TweakFn = dyn Fn(&ResourceInfo, &mut Selectors) + Send + Sync;

/// [`InformerOptions`] of any type.
trait TypeSettings: Any + Send + Sync {
    /// Checks them, as they are with the factory's.
    fn validate(&self, of_factory: &InformerConfig) -> Result<(), ConfigError>;
}

// === impl SharedInformerFactoryBuilder ===

impl SharedInformerFactoryBuilder {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            settings: Settings {
                config: InformerConfig::new(),
                strict_namespace: false,
                tweak: None,
                sync_timeout: SYNC_TIMEOUT,
                types: HashMap::new(),
            },
            type_twice: None,
        }
    }

    informer_settings!();
    request_settings!();

    fn config_mut(&mut self) -> &mut InformerConfig {
        &mut self.settings.config
    }

    /// Refuses cluster-scoped resources if a namespace is set: their informers do not start, and
    /// say why.
    #[must_use]
    pub fn strict_namespace(mut self) -> Self {
        self.settings.strict_namespace = true;
        self
    }

    /// Changes the selectors of an informer, for lists, watches and streaming lists alike.
    ///
    /// It is asked at each request for an informer, before it is known whether there is one: the
    /// outcome is part of the informer's identity.
    #[must_use]
    pub fn tweak_list_options(
        mut self,
        tweak: impl Fn(&ResourceInfo, &mut Selectors) + Send + Sync + 'static,
    ) -> Self {
        self.settings.tweak = Some(Arc::new(tweak));
        self
    }

    /// Sets how long a wait for sync waits at most. Default: 2 minutes.
    #[must_use]
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.settings.sync_timeout = timeout;
        self
    }

    /// Sets what holds for all informers of one type; it wins over the factory's settings.
    ///
    /// What is set for a type that is [`Typed`], as it is without a second parameter, holds for its
    /// informers with another storage too, where those have no settings of their own, but for a
    /// compression and a store, which are made for the handles of one storage.
    #[must_use]
    pub fn with_type<K: Object, S: Storage<K>>(mut self, options: InformerOptions<K, S>) -> Self {
        let types = &mut self.settings.types;
        let before = types.insert(TypeId::of::<InformerOptions<K, S>>(), Box::new(options));
        if before.is_some() {
            self.type_twice = Some(type_name::<K>());
        }
        self
    }

    /// Builds the factory; nothing is asked of the server before [`SharedInformerFactory::start`].
    ///
    /// # Errors
    ///
    /// There is no tokio runtime here to run informers on, a type has settings twice, the namespace
    /// to be strict about is missing, a queue has no room at all, or a type has a compression and
    /// no queue of keys.
    pub fn build(self) -> Result<SharedInformerFactory, ConfigError> {
        if let Some(type_name) = self.type_twice {
            return Err(ConfigError::TypeTwice(type_name));
        }
        let Settings { config, types, .. } = &self.settings;
        let namespace = config.namespace.as_deref().unwrap_or_default();
        if self.settings.strict_namespace && namespace.is_empty() {
            return Err(ConfigError::StrictWithoutNamespace);
        }
        config.validate(false)?;
        types
            .values()
            .try_for_each(|of_type| of_type.validate(config))?;
        let runtime = Handle::try_current().map_err(|_| ConfigError::NoRuntime)?;
        Ok(SharedInformerFactory::new(
            self.client,
            self.settings,
            runtime,
        ))
    }
}

impl fmt::Debug for SharedInformerFactoryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactoryBuilder")
            .field("config", &self.settings.config)
            .finish_non_exhaustive()
    }
}

// === impl Settings ===

impl Settings {
    /// Returns what is asked for, where nothing is what is set for the type, and else the factory's.
    pub(super) fn for_type<K: Object, S: Storage<K>>(
        &self,
        mut options: InformerOptions<K, S>,
    ) -> InformerOptions<K, S> {
        if let Some(of_storage) = self.of_type::<K, S>() {
            options = options.or(of_storage);
        }
        if let Some(of_type) = self.of_type::<K, Typed>() {
            options = options.or_of_storage(of_type);
        }
        options.config = options.config.or(&self.config);
        options
    }

    fn of_type<K: Object, S: Storage<K>>(&self) -> Option<&InformerOptions<K, S>> {
        let options: &dyn Any = &**self.types.get(&TypeId::of::<InformerOptions<K, S>>())?;
        options.downcast_ref()
    }
}

// === impl TypeSettings ===

impl<K: Object, S: Storage<K>> TypeSettings for InformerOptions<K, S> {
    fn validate(&self, of_factory: &InformerConfig) -> Result<(), ConfigError> {
        let mut merged = self.clone();
        merged.config = merged.config.or(of_factory);
        Self::validate(&merged)
    }
}

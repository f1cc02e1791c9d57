//! Builder and settings of a factory.

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::runtime::Handle;

use super::partition::Partition;
use super::shared_informer_factory::SharedInformerFactory;
use crate::coverage::Selectors;
use crate::object::{Object, ResourceInfo, Scope};
use crate::reflector::{Peers, Room, Turns};
use crate::shared_informer::{
    ConfigError, InformerConfig, InformerOptions, informer_settings, request_settings,
};
use crate::storage::{Account, Budget, Storage};

/// Default time limit of [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync).
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);
/// Part of the budget for lists that are not decoded yet.
const LIST_SHARE: usize = 16;
/// Default number of first lists at a time.
const FIRST_LISTS: usize = 16;

/// Builder of a [`SharedInformerFactory`]. [`build`](Self::build) checks the settings.
///
/// These settings apply to every informer of the factory, unless its type or its request overrides
/// them.
pub struct SharedInformerFactoryBuilder {
    client: Client,
    settings: Settings,
    type_twice: Option<&'static str>,
}

/// Settings that apply to every informer of a factory, unless its type or its request overrides
/// them.
pub(super) struct Settings {
    config: InformerConfig,
    pub(super) strict_namespace: bool,
    tweak: Option<Arc<TweakFn>>,
    pub(super) sync_timeout: Duration,
    /// State that all informers share.
    pub(super) peers: Peers,
    /// Part of the objects that informers cache; `None` for all.
    pub(super) partition: Option<Arc<dyn Partition>>,
    /// Settings of types, by the type of their `InformerOptions<K, S>`.
    types: HashMap<TypeId, InformerConfig>,
}

type TweakFn = dyn Fn(&ResourceInfo, &mut Selectors) + Send + Sync;

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
                peers: Peers::default(),
                partition: None,
                types: HashMap::new(),
            },
            type_twice: None,
        }
        .max_first_lists(FIRST_LISTS)
    }

    informer_settings!();
    request_settings!();

    fn config_mut(&mut self) -> &mut InformerConfig {
        &mut self.settings.config
    }

    /// Rejects cluster-scoped resources if a namespace is set: their informers do not run, and
    /// report the reason.
    #[must_use]
    pub fn strict_namespace(mut self) -> Self {
        self.settings.strict_namespace = true;
        self
    }

    /// Sets a function that changes the selectors of each informer, for lists, watches and
    /// streaming lists alike.
    ///
    /// The factory calls `tweak` for each request for an informer, even if the informer exists
    /// already, because the resulting selectors are part of the informer's identity.
    #[must_use]
    pub fn tweak_list_options(
        mut self,
        tweak: impl Fn(&ResourceInfo, &mut Selectors) + Send + Sync + 'static,
    ) -> Self {
        self.settings.tweak = Some(Arc::new(tweak));
        self
    }

    /// Sets the time limit of a wait for sync. Default: 2 minutes.
    #[must_use]
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.settings.sync_timeout = timeout;
        self
    }

    /// Sets the maximum number of first lists at the same time. Default: 16; 0 means no bound.
    ///
    /// The other lists wait in the order in which their informers started, so that a factory of many
    /// types does not burden the API server with all lists at once. An informer of several namespaces
    /// has a list for each of them. A streaming list counts until its closing bookmark. An informer
    /// that waits to retry a failed list lets others list, and so does one that waits for an answer
    /// for more than 5 s. Later lists are not bounded in number, but
    /// [in memory](Self::max_list_bytes).
    #[must_use]
    pub fn max_first_lists(mut self, lists: usize) -> Self {
        self.settings.peers.turns = Turns::new(lists);
        self
    }

    /// Sets the maximum size of the objects that all lists of the factory have received and not
    /// decoded yet, in bytes as the server sent them. Default: 64 MiB; 0 means no bound.
    ///
    /// A list that finds no room stops reading from its connection until other objects are decoded.
    /// The frame that it has just read is not counted. A larger object waits until half of the room
    /// is free.
    #[must_use]
    pub fn max_list_bytes(mut self, bytes: usize) -> Self {
        self.settings.peers.room = Room::new(bytes);
        self
    }

    /// Sets the maximum memory of all informers of the factory. Default: no maximum.
    ///
    /// Above 80 % of the budget, informers with [`Tiered`](crate::storage::Tiered) storage evict
    /// bodies. Informers with another storage count, and evict nothing. The objects that all lists
    /// have received and not decoded yet are limited to 1/16 of the budget, unless
    /// [`max_list_bytes`](Self::max_list_bytes) is called later.
    #[must_use]
    pub fn memory(mut self, budget: Budget) -> Self {
        let lists = (budget.as_bytes() / LIST_SHARE).clamp(1, Room::DEFAULT_BYTES);
        self.settings.peers.room = Room::new(lists);
        self.settings.peers.account = Arc::new(Account::new(budget));
        self
    }

    /// Caches only the part of the objects that `shards` assigns to this replica, a `Shards` of
    /// `informer-controller`. Default: all objects.
    ///
    /// The informers follow as the part grows and shrinks: what they keep is neither listed again nor
    /// delayed. Handlers are told of the objects that enter and leave with
    /// [`Origin::Reshard`](crate::event::Origin::Reshard); those that leave are deleted for them. The
    /// deltas of these informers are processed in [`Order::Global`](crate::delta_fifo::Order::Global).
    /// An informer with [`unsharded`](InformerOptions::unsharded) caches all objects.
    #[must_use]
    pub fn shards(mut self, shards: &(impl Partition + Clone)) -> Self {
        self.settings.partition = Some(Arc::new(shards.clone()));
        self
    }

    /// Sets options for all informers of one type. They override the factory's settings.
    ///
    /// Options for [`Typed`](crate::Typed) storage, which is the default of the second parameter,
    /// also apply to the type's informers with another storage, unless options for that storage
    /// override them. A store does not carry over, because it depends on the storage's objects.
    #[must_use]
    pub fn with_type<K: Object, S: Storage<K>>(mut self, options: InformerOptions<K, S>) -> Self {
        let types = &mut self.settings.types;
        let previous = types.insert(TypeId::of::<InformerOptions<K, S>>(), options.config);
        if previous.is_some() {
            self.type_twice = Some(type_name::<K>());
        }
        self
    }

    /// Builds the factory. The API server receives no request before
    /// [`SharedInformerFactory::start`].
    ///
    /// # Errors
    ///
    /// Fails if no tokio runtime is present to run informers on, a type has settings twice,
    /// `strict_namespace` is set without a namespace, a list of namespaces is empty or has the empty
    /// one beside others, or a queue has capacity 0.
    pub fn build(self) -> Result<SharedInformerFactory, ConfigError> {
        if let Some(type_name) = self.type_twice {
            return Err(ConfigError::TypeTwice(type_name));
        }
        let Settings { config, types, .. } = &self.settings;
        config.validate()?;
        if self.settings.strict_namespace && config.named_namespaces().next().is_none() {
            return Err(ConfigError::StrictWithoutNamespace);
        }
        for of_type in types.values() {
            of_type.clone().or(config).validate()?;
        }
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
    /// Returns these settings of a request, with unset settings taken from those of its type, first
    /// of its storage and then of the default storage, and from the factory's. The ids are those of
    /// the [`InformerOptions`] of both.
    pub(super) fn for_type(
        &self,
        mut config: InformerConfig,
        [of_storage, of_default]: [TypeId; 2],
    ) -> InformerConfig {
        if let Some(of_storage) = self.types.get(&of_storage) {
            config = config.or(of_storage);
        }
        if let Some(of_default) = self.types.get(&of_default) {
            config = config.or_of_storage(of_default);
        }
        config.or(&self.config)
    }

    /// Adds what the resource and the factory decide: whether there is a namespace, and the
    /// selectors.
    pub(super) fn complete(
        &self,
        mut config: InformerConfig,
        resource: &ResourceInfo,
    ) -> InformerConfig {
        if resource.scope == Scope::Cluster {
            config.namespaces = None;
        }
        if let Some(tweak) = &self.tweak {
            tweak(resource, &mut config.selectors);
        }
        config.selectors = std::mem::take(&mut config.selectors).canonical();
        // The owner of the only names chooses them by the objects of this replica.
        let is_whole = self.partition.is_none() || config.names.is_some();
        config.unsharded = config.unsharded.or(Some(false)).map(|set| set || is_whole);
        config
    }
}

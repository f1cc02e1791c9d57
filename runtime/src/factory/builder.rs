//! What can be set on a factory.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::runtime::Handle;

use super::error::FactoryBuildError;
use super::handle::SharedInformerFactory;
use super::options::{InformerOptions, Selectors};
use super::parts::Parts;
use crate::delta_fifo::Order;
use crate::object::{FieldSelector, Object, ResourceInfo, Selector};
use crate::reflector::ReflectorConfig;
use crate::source::Timeouts;
use crate::wire::Encoding;

/// How long [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync) waits, unless set.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

/// Builds a [`SharedInformerFactory`]. Settings are checked once, by [`build`](Self::build).
pub struct SharedInformerFactoryBuilder {
    client: Client,
    settings: Settings,
    twice: Option<&'static str>,
    empty_queue: bool,
    /// The orders of types whose queues have to have keys.
    orders_with_keys: Vec<Option<Order>>,
}

/// What holds for every informer of a factory that does not say otherwise.
pub(super) struct Settings {
    pub(super) resync_period: Duration,
    pub(super) namespace: Option<String>,
    pub(super) strict_namespace: bool,
    pub(super) selectors: Selectors,
    pub(super) tweak: Option<Arc<TweakFn>>,
    pub(super) reflector: ReflectorConfig,
    pub(super) order: Option<Order>,
    pub(super) queue_capacity: Option<usize>,
    pub(super) keep_managed_fields: bool,
    pub(super) timeouts: Option<Timeouts>,
    pub(super) gzip_streaming_lists: Option<bool>,
    pub(super) encoding: Option<Encoding>,
    pub(super) sync_timeout: Duration,
    /// `InformerOptions<K>` by `K`.
    pub(super) types: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

type TweakFn = dyn Fn(&ResourceInfo, &mut Selectors) + Send + Sync;

// === impl SharedInformerFactoryBuilder ===

impl SharedInformerFactoryBuilder {
    pub(super) fn new(client: Client) -> Self {
        let settings = Settings {
            resync_period: Duration::ZERO,
            namespace: None,
            strict_namespace: false,
            selectors: Selectors::default(),
            tweak: None,
            reflector: ReflectorConfig::default(),
            order: None,
            queue_capacity: None,
            keep_managed_fields: false,
            timeouts: None,
            gzip_streaming_lists: None,
            encoding: None,
            sync_timeout: SYNC_TIMEOUT,
            types: HashMap::new(),
        };
        Self {
            client,
            settings,
            twice: None,
            empty_queue: false,
            orders_with_keys: Vec::new(),
        }
    }

    /// How often handlers are shown every object again, unless type or handler say otherwise.
    /// Default: never. A resync asks nothing of the server.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.settings.resync_period = period;
        self
    }

    /// Caches one namespace only, the empty one standing for all. Cluster-scoped resources are not bound by it, as in client-go;
    /// see [`strict_namespace`](Self::strict_namespace).
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.settings.namespace = Some(namespace.into()).filter(|name| !name.is_empty());
        self
    }

    /// Refuses cluster-scoped resources if a namespace is set: their informers do not start, and
    /// say why.
    #[must_use]
    pub fn strict_namespace(mut self) -> Self {
        self.settings.strict_namespace = true;
        self
    }

    /// Caches only what has these labels, for every type that does not say otherwise.
    #[must_use]
    pub fn label_selector(mut self, selector: Selector) -> Self {
        self.settings.selectors.label = Some(selector);
        self
    }

    /// Caches only what has these fields, for every type that does not say otherwise.
    #[must_use]
    pub fn field_selector(mut self, selector: FieldSelector) -> Self {
        self.settings.selectors.field = Some(selector);
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

    /// How resources are followed: page size, backoff, shortest watch timeout, retry window,
    /// streaming lists, error handler. A type's own settings win, one by one.
    #[must_use]
    pub fn reflector(mut self, config: ReflectorConfig) -> Self {
        self.settings.reflector = config;
        self
    }

    /// In which order deltas are processed; default [`Order::Global`].
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.settings.order = Some(order);
        self
    }

    /// How many deltas wait for an informer's store before the server has to; default 4096.
    #[must_use]
    pub fn queue_capacity(mut self, deltas: usize) -> Self {
        self.settings.queue_capacity = Some(deltas);
        self
    }

    /// Whether objects keep their `metadata.managedFields`, which are cut out by default: they are
    /// most of what decoding costs, and few readers need them.
    #[must_use]
    pub fn keep_managed_fields(mut self, keep: bool) -> Self {
        self.settings.keep_managed_fields = keep;
        self
    }

    /// Sets whether streaming lists ask for gzip, for every type that does not say otherwise; see
    /// [`KubeListerWatcher::gzip_streaming_lists`](crate::source::KubeListerWatcher::gzip_streaming_lists).
    /// Default: `true`.
    #[must_use]
    pub fn gzip_streaming_lists(mut self, gzip: bool) -> Self {
        self.settings.gzip_streaming_lists = Some(gzip);
        self
    }

    /// For how long the server may be silent, for every type that does not say otherwise.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.settings.timeouts = Some(timeouts);
        self
    }

    /// In which encoding the server is asked, for every type that does not say otherwise. Default:
    /// by storage and form; see [`InformerOptions::encoding`].
    #[must_use]
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.settings.encoding = Some(encoding);
        self
    }

    /// How long a wait for sync waits at most. Default 2 minutes.
    #[must_use]
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.settings.sync_timeout = timeout;
        self
    }

    /// Settings for all informers of one type; they win over the factory's.
    #[must_use]
    pub fn with_type<K: Object>(mut self, options: InformerOptions<K>) -> Self {
        self.empty_queue |= options.queue_capacity == Some(0);
        if options.parts.need_keys() {
            self.orders_with_keys.push(options.order);
        }
        let before = self
            .settings
            .types
            .insert(TypeId::of::<K>(), Box::new(options));
        if before.is_some() {
            self.twice = Some(std::any::type_name::<K>());
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
    pub fn build(self) -> Result<SharedInformerFactory, FactoryBuildError> {
        if let Some(type_name) = self.twice {
            return Err(FactoryBuildError::TypeTwice(type_name));
        }
        if self.settings.strict_namespace && self.settings.namespace.is_none() {
            return Err(FactoryBuildError::StrictWithoutNamespace);
        }
        if self.empty_queue || self.settings.queue_capacity == Some(0) {
            return Err(FactoryBuildError::EmptyQueue);
        }
        let order = self.settings.order;
        let has_keys = |of_type: &Option<Order>| of_type.or(order) == Some(Order::PerKey);
        if !self.orders_with_keys.iter().all(has_keys) {
            return Err(FactoryBuildError::CompressionWithoutKeys);
        }
        let runtime = Handle::try_current().map_err(|_| FactoryBuildError::NoRuntime)?;
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
            .field("namespace", &self.settings.namespace)
            .field("resync_period", &self.settings.resync_period)
            .finish_non_exhaustive()
    }
}

// === impl Settings ===

impl Settings {
    /// What is set for `K`, with the factory's settings where nothing is.
    pub(super) fn for_type<K: Object>(&self, asked: InformerOptions<K>) -> InformerOptions<K> {
        let of_type = self
            .types
            .get(&TypeId::of::<K>())
            .and_then(|options| options.downcast_ref::<InformerOptions<K>>());
        let asked = match of_type {
            Some(of_type) => asked.or(of_type),
            None => asked,
        };
        asked.or(&InformerOptions {
            resync_period: Some(self.resync_period),
            namespace: self.namespace.clone(),
            selectors: self.selectors.clone(),
            transform: None,
            drop_fields: None,
            reflector: self.reflector.clone(),
            order: self.order,
            queue_capacity: self.queue_capacity,
            keep_managed_fields: Some(self.keep_managed_fields),
            timeouts: self.timeouts,
            gzip_streaming_lists: self.gzip_streaming_lists,
            encoding: self.encoding,
            parts: Parts::default(),
        })
    }
}

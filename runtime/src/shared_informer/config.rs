//! [`InformerConfig`]: the settings of an informer that do not depend on the type of its objects.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use derive_where::derive_where;

use super::controller::MakeStore;
use super::error::ConfigError;
use crate::coverage::{Coverage, OnlyNames, Selectors};
use crate::delta_fifo::{Capacity, Order};
use crate::object::{ResourceInfo, Scope};
use crate::reflector::{
    Backoff, ErrorHandler, MakeBackoff, ReflectorSettings, WatchListMode, make_backoff,
};
use crate::source::Timeouts;
use crate::storage::{AnyFilter, AnyTransform};
use crate::wire::{DropFields, Encoding};

/// Declares the configuration: its fields, and what it takes from another one.
macro_rules! configuration {
    (
        $(#[$attr:meta])*
        pub struct $Config:ident {
            $($(#[$field_attr:meta])* $field:ident: $Field:ty,)*
        }
    ) => {
        $(#[$attr])*
        pub struct $Config {
            $($(#[$field_attr])* pub(crate) $field: $Field,)*
        }

        impl $Config {
            /// Returns this configuration, with unset settings taken from `defaults`.
            pub(crate) fn or(self, defaults: &Self) -> Self {
                let other = defaults.clone();
                Self {
                    $($field: self.$field.or(other.$field),)*
                }
            }
        }
    };
}

configuration! {
    /// Settings of an informer that do not depend on the type of its objects.
    ///
    /// A factory has one configuration for all of its informers. A type and a request have one each
    /// (see [`InformerOptions`](super::InformerOptions)), as does an informer that is built without a
    /// factory. A setting is resolved in this order: the request, the type, the factory, the default.
    /// Defaults are client-go's unless a setting's documentation says otherwise.
    ///
    /// # Examples
    ///
    /// ```
    /// # extern crate informer_runtime as informer;
    /// use informer::{InformerConfig, SharedInformerFactory, WatchListMode};
    ///
    /// # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let lists = InformerConfig::new().watch_list(WatchListMode::Never).page_size(100);
    /// let factory = SharedInformerFactory::builder(client).config(lists).namespace("web").build()?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone, Default)]
    #[derive_where(Debug)]
    pub struct InformerConfig {
        // --- the informer's ---
        resync_period: Option<Duration>,
        order: Option<Order>,
        queue_capacity: Option<usize>,
        queue_bytes: Option<usize>,
        drop_fields: Option<DropFields>,
        retain_deleted: Option<Duration>,
        // --- the reflector's ---
        /// 0 selects the default rule, even if the factory sets a page size.
        page_size: Option<u32>,
        watch_list: Option<WatchListMode>,
        min_watch_timeout: Option<Duration>,
        internal_error_retry: Option<Duration>,
        initial_events_deadline: Option<Duration>,
        // --- the requests' ---
        /// The empty namespace alone selects all.
        namespaces: Option<BTreeSet<String>>,
        selectors: Selectors,
        keep_managed_fields: Option<bool>,
        timeouts: Option<Timeouts>,
        gzip_streaming_lists: Option<bool>,
        encoding: Option<Encoding>,
        transform: Option<Arc<dyn AnyTransform>>,
        filter: Option<Arc<dyn AnyFilter>>,
        #[derive_where(skip)]
        backoff: Option<MakeBackoff>,
        #[derive_where(skip)]
        error_handler: Option<ErrorHandler>,
        #[derive_where(skip)]
        names: Option<OnlyNames>,
        unsharded: Option<bool>,
        // --- set by [`InformerOptions`](super::InformerOptions), which know the types ---
        /// Makes a store of the objects of one storage.
        #[derive_where(skip)]
        store: Option<MakeStore>,
    }
}

/// Declares a setter for each of these fields of the configuration.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $Value:ty;)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $field(mut self, $field: $Value) -> Self {
                self.config_mut().$field = Some($field);
                self
            }
        )*
    };
}

/// Declares the setters that most programs use, on a type with `fn config_mut(&mut self) -> &mut
/// InformerConfig`. All others are those of [`InformerConfig`].
macro_rules! informer_settings {
    () => {
        /// Takes over every setting that `config` contains; all others stay as they are.
        #[must_use]
        pub fn config(mut self, config: $crate::shared_informer::InformerConfig) -> Self {
            let merged = config.or(self.config_mut());
            *self.config_mut() = merged;
            self
        }

        $crate::shared_informer::setters! {
            /// Sets the period after which handlers receive every object again, unless a handler
            /// has its own period. Default: never. A resync sends no request to the API server.
            resync_period: ::std::time::Duration;

            /// Sets the maximum number of deltas that wait for the store. When the queue is full,
            /// the informer stops reading from the API server. Default: 4096; 0 is rejected.
            queue_capacity: usize;

            /// Cuts these fields out of every object before it is decoded, transformed or packed.
            /// Objects that are unchanged in a relist are not processed again.
            ///
            /// An empty `DropFields`, which is its default, overrides the fields that the type or
            /// the factory sets.
            drop_fields: $crate::wire::DropFields;

            /// Sets whether the initial state is fetched by a streaming list.
            ///
            /// Default: [`WatchListMode::Auto`](crate::reflector::WatchListMode::Auto).
            watch_list: $crate::reflector::WatchListMode;
        }
    };
}

/// Declares the setters of an informer's requests that most programs use, on the same types as
/// [`informer_settings`].
macro_rules! request_settings {
    () => {
        /// Caches only one namespace; the empty namespace means all. Ignored for cluster-scoped
        /// resources, as in client-go.
        #[must_use]
        pub fn namespace(self, namespace: impl Into<String>) -> Self {
            self.namespaces([namespace])
        }

        /// Caches only these namespaces. Ignored for cluster-scoped resources. Replaces those that
        /// were set before; their order does not matter, and a repeated one counts once.
        ///
        /// The informer lists and watches each namespace, so that rights in these are enough, and
        /// keeps all objects in one cache. The requests of many namespaces cost more than those of a
        /// watch of all.
        ///
        /// If the API server forbids a namespace, the others sync and are served. The informer then
        /// is [`Degraded`](crate::InformerState::Degraded), its
        /// [status](crate::InformerStatus::namespaces) and a log line name the namespace, and the
        /// objects there are added once the right is granted. The first sync waits for all
        /// namespaces but the forbidden ones, of which one at least has to be permitted.
        /// controller-runtime's counterpart is `cache.Options.DefaultNamespaces`, whose sync waits
        /// for the forbidden ones, too.
        ///
        /// An empty list is an error, and so is the empty namespace beside others; alone it means
        /// all namespaces.
        #[must_use]
        pub fn namespaces<N: Into<String>>(
            mut self,
            namespaces: impl IntoIterator<Item = N>,
        ) -> Self {
            let names = namespaces.into_iter().map(Into::into);
            self.config_mut().namespaces = Some(names.collect());
            self
        }

        /// Caches only objects with matching labels, such as `"app=web".parse()?`. The API server
        /// filters.
        ///
        /// A watch reports an object that loses the label like a [deleted one](crate::Deleted). A
        /// controller with a finalizer has to free such an object: `finalizer::release`.
        #[must_use]
        pub fn label_selector(mut self, selector: $crate::object::Selector) -> Self {
            self.config_mut().selectors.label = Some(selector);
            self
        }

        /// Caches only objects with matching fields, such as `"status.phase=Running".parse()?`. The
        /// API server filters.
        #[must_use]
        pub fn field_selector(mut self, selector: $crate::object::FieldSelector) -> Self {
            self.config_mut().selectors.field = Some(selector);
            self
        }

        $crate::shared_informer::setters! {
            /// Sets the encoding that the informer requests from the API server; see
            /// [`KubeListerWatcher::encoding`](crate::source::KubeListerWatcher::encoding).
            ///
            /// Default: the encoding that the storage
            /// [prefers](crate::Storage::preferred_encoding). That is JSON for dynamic objects that
            /// are kept decoded, and protobuf for all others, including metadata.
            encoding: $crate::wire::Encoding;
        }
    };
}

pub(crate) use {informer_settings, request_settings, setters};

// === impl InformerConfig ===

impl InformerConfig {
    /// Creates a configuration without any setting.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    informer_settings!();
    request_settings!();

    setters! {
        /// Sets the order in which deltas are processed. Default: [`Order::Global`].
        order: Order;

        /// Sets the maximum size of the objects that wait for the store, in bytes as the API server
        /// sent them. It applies in addition to [`queue_capacity`](Self::queue_capacity). An object
        /// or a list that is larger waits alone. Default: 16 MiB; 0 is rejected.
        queue_bytes: usize;

        /// Sets the period for which objects stay readable after their deletion, by
        /// [`Lister::get_retained`](crate::Lister::get_retained),
        /// [`get_retained_by_uid`](crate::Lister::get_retained_by_uid) and
        /// [`by_index_retained`](crate::Lister::by_index_retained) alone. Default: zero. Memory is
        /// bounded by what is deleted within the period.
        ///
        /// Intended for programs that must describe what has just gone, such as collectors of logs
        /// and auditors. Objects that leave the cache with their slice still exist, and are not kept.
        retain_deleted: Duration;

        /// Sets the number of objects per page, for every list.
        ///
        /// The default rule is 500 objects per page, and no limit for a list at a known
        /// resourceVersion, because the API server answers such a list from its cache. 0 selects
        /// the default rule.
        page_size: u32;

        /// Sets the minimum time after which the API server closes a watch; the maximum is twice
        /// that time. Default and lower bound: 5 min; upper bound: one day.
        min_watch_timeout: Duration;

        /// Sets the period during which a watch that ends in an internal error is reopened without
        /// a list. Default: zero, which means that a list always follows.
        internal_error_retry: Duration;

        /// Sets the time without progress after which the informer replaces a streaming list by a
        /// plain list. Default: 30 s; client-go has no limit.
        initial_events_deadline: Duration;

        /// Sets the callback that receives each failure once, in addition to the log. client-go's
        /// counterpart is `SetWatchErrorHandler`.
        error_handler: ErrorHandler;

        /// Sets whether objects keep their `metadata.managedFields`. Default: `false`, because
        /// these fields dominate the cost of decoding and few readers need them.
        keep_managed_fields: bool;

        /// Sets the time that the API server may be silent before a request is treated as lost.
        timeouts: Timeouts;

        /// Sets whether streaming lists ask for gzip; see
        /// [`KubeListerWatcher::gzip_streaming_lists`](crate::source::KubeListerWatcher::gzip_streaming_lists).
        /// Default: `true`.
        gzip_streaming_lists: bool;
    }

    /// Sets the delays between requests after failures.
    ///
    /// `make` is called twice for each informer, because rejected requests and lost connections have
    /// separate schedules. By default, the delays of
    /// [`ExponentialBackoff::default`](crate::reflector::ExponentialBackoff::default) follow a
    /// rejected request. A lost or failed connection is retried within 100 ms, then every 0.8 to
    /// 1.6 s; the delays grow only if the outage lasts longer than 60 s. A backoff that panics is
    /// replaced by the default.
    #[must_use]
    pub fn backoff<B: Backoff + 'static>(
        mut self,
        make: impl Fn() -> B + Send + Sync + 'static,
    ) -> Self {
        self.backoff = Some(make_backoff(make));
        self
    }

    fn config_mut(&mut self) -> &mut Self {
        self
    }

    /// Returns the bound of the queue, with its defaults.
    pub(super) fn capacity(&self) -> Capacity {
        let defaults = Capacity::default();
        Capacity {
            deltas: self.queue_capacity.unwrap_or(defaults.deltas),
            bytes: self.queue_bytes.unwrap_or(defaults.bytes),
        }
    }

    /// Returns the reflector's settings, with its defaults.
    pub(crate) fn reflector(&self) -> ReflectorSettings {
        let defaults = ReflectorSettings::default();
        let or = |set: Option<Duration>, default| set.unwrap_or(default);
        ReflectorSettings {
            page_size: self.page_size.filter(|page_size| *page_size > 0),
            watch_list: self.watch_list.unwrap_or_default(),
            min_watch_timeout: or(self.min_watch_timeout, defaults.min_watch_timeout).clamp(
                ReflectorSettings::MIN_WATCH_TIMEOUT,
                ReflectorSettings::MAX_WATCH_TIMEOUT,
            ),
            internal_error_retry: or(self.internal_error_retry, defaults.internal_error_retry),
            initial_events_deadline: or(
                self.initial_events_deadline,
                defaults.initial_events_deadline,
            ),
            backoff: self.backoff.clone(),
            ..defaults
        }
    }

    /// Returns this configuration, with unset settings taken from `defaults`, which belong to
    /// another storage. A store of its handles is not taken.
    pub(crate) fn or_of_storage(self, defaults: &Self) -> Self {
        let store = None;
        let others = defaults.clone();
        self.or(&Self { store, ..others })
    }

    /// Checks the settings that do not depend on the resource.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        if self.queue_capacity == Some(0) || self.queue_bytes == Some(0) {
            return Err(ConfigError::EmptyQueue);
        }
        match &self.namespaces {
            Some(none) if none.is_empty() => Err(ConfigError::NoNamespace),
            Some(several) if several.len() > 1 && several.contains("") => {
                Err(ConfigError::EmptyNamespace)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the namespaces that are cached, in order; none for all.
    pub(crate) fn named_namespaces(&self) -> impl Iterator<Item = &str> {
        let named = self.namespaces.iter().flatten();
        named.map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Returns the objects that are cached, out of a part of them if there is one.
    pub(crate) fn coverage(&self, part: Option<Coverage>) -> Coverage {
        let mut coverage = part.unwrap_or_default();
        coverage.namespaces = self.named_namespaces().map(Arc::from).collect();
        coverage.selectors = self.selectors.clone();
        coverage.names.clone_from(&self.names);
        coverage
    }

    /// Checks all settings, except that the storage accepts the transform.
    pub(crate) fn validate_for(&self, resource: &ResourceInfo) -> Result<(), ConfigError> {
        self.validate()?;
        let names_one = self.named_namespaces().next().is_some();
        if names_one && resource.scope == Scope::Cluster {
            return Err(ConfigError::NamespaceOfClusterScoped);
        }
        Ok(())
    }

    /// Returns the name of a setting that only the informer's source can apply, if one is set.
    pub(super) fn setting_of_source(&self) -> Option<&'static str> {
        let settings = [
            ("namespaces", self.named_namespaces().count() > 1),
            ("label_selector", self.selectors.label.is_some()),
            ("field_selector", self.selectors.field.is_some()),
            ("keep_managed_fields", self.keep_managed_fields.is_some()),
            ("timeouts", self.timeouts.is_some()),
            ("gzip_streaming_lists", self.gzip_streaming_lists.is_some()),
            ("encoding", self.encoding.is_some()),
        ];
        settings
            .into_iter()
            .find_map(|(name, is_set)| is_set.then_some(name))
    }
}

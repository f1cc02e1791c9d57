//! [`SharedInformerFactory`]: creates, shares and runs informers.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use kube::Client;
use kube::core::{DynamicObject, GroupVersion, PartialObjectMeta};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::builder::{Settings, SharedInformerFactoryBuilder};
use super::error::{CacheSyncError, DiscoverError, NotReady, ShutdownError, StartError};
use super::identity::{Identity, Types, storage_name};
use super::memory::{self, MemoryUsage};
use super::registry::Registry;
use super::stored_as::StoredAs;
use super::sync::{SyncResult, WaitEnd};
use crate::base::sync::Mutex;
use crate::object::{GroupVersionResource, Object, ResourceInfo, Scope, TypeForm};
use crate::processor::HandlerRegistration;
use crate::shared_informer::{
    ConfigError, GenericInformer, InformerConfig, InformerOptions, Parts, RunError, SharedInformer,
};
use crate::source::{Form, KubeListerWatcher, ListerWatcher};
use crate::status::FactoryMetrics;
use crate::storage::{Budget, Storage, Typed};
use crate::wire::{Encoding, SplitOptions};

/// Time for which a shutdown waits for running calls of handlers. It leaves 10 s of a Pod's
/// `terminationGracePeriodSeconds` of 30 s.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(20);
/// Time for which it waits for calls that are dropped.
const DROP_LIMIT: Duration = Duration::from_millis(100);

/// Factory that creates, shares and runs informers: each resource is listed and watched once per
/// process.
///
/// All clones are handles to the same factory. Dropping the last handle stops its informers; their
/// caches stay readable. client-go's counterpart is `informers.SharedInformerFactory`.
///
/// # Examples
///
/// ```
/// # use std::time::Duration;
/// # use informer_runtime::{Selector, SharedInformerFactory};
/// # use k8s_openapi::api::core::v1::Pod;
/// # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let factory = SharedInformerFactory::builder(client).resync_period(Duration::from_secs(600)).build()?;
/// let pods = factory.informer::<Pod>();
/// factory.start()?;
/// factory.wait_for_cache_sync().await?;
/// let web = pods.lister().namespace("default").list(&"app=web".parse::<Selector>()?);
/// println!("{} pods", web.len());
/// factory.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SharedInformerFactory {
    shared: Arc<FactoryShared>,
}

struct FactoryShared {
    client: Client,
    settings: Settings,
    registry: Mutex<Registry>,
}

// === impl SharedInformerFactory ===

impl SharedInformerFactory {
    /// Starts building a factory. [`connect`](crate::connect()) creates a client that hides no
    /// errors.
    #[must_use]
    pub fn builder(client: Client) -> SharedInformerFactoryBuilder {
        SharedInformerFactoryBuilder::new(client)
    }

    pub(super) fn new(client: Client, settings: Settings, runtime: Handle) -> Self {
        let registry = Mutex::new(Registry::new(runtime));
        let factory = Self {
            shared: Arc::new(FactoryShared {
                client,
                settings,
                registry,
            }),
        };
        let peers = &factory.shared.settings.peers;
        if peers.account.budget().is_some() {
            let weak = factory.weak();
            let informers = move || weak().map(|factory| factory.informers());
            factory.spawn(|stop| memory::watch(informers, peers.clone(), stop));
        }
        factory
    }

    /// Returns the client that the informers use.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Returns the informer of `K`, with the settings of the type and the factory.
    ///
    /// If the factory is started already, a new informer starts at once.
    #[must_use]
    pub fn informer<K>(&self) -> SharedInformer<K>
    where
        K: Object<DynamicType = ()>,
    {
        self.informer_with(InformerOptions::new())
    }

    /// Returns the informer of `K` with additional settings. Requests with the same settings share
    /// one informer.
    #[must_use]
    pub fn informer_with<K>(&self, options: InformerOptions<K>) -> SharedInformer<K>
    where
        K: Object<DynamicType = ()>,
    {
        self.stored_as::<Typed>().informer_with(options)
    }

    /// Returns the informer of a resource without a Rust type. [`discover`](Self::discover) finds
    /// the resource by its name.
    #[must_use]
    pub fn dynamic(&self, resource: ResourceInfo) -> SharedInformer<DynamicObject> {
        self.dynamic_with(resource, InformerOptions::new())
    }

    /// Returns the informer of a resource without a Rust type, with additional settings.
    #[must_use]
    pub fn dynamic_with(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<DynamicObject>,
    ) -> SharedInformer<DynamicObject> {
        self.stored_as::<Typed>().dynamic_with(resource, options)
    }

    /// Returns an informer that caches only the objects' metadata. The API server sends no other
    /// fields.
    #[must_use]
    pub fn metadata(
        &self,
        resource: ResourceInfo,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>> {
        self.metadata_with(resource, InformerOptions::new())
    }

    /// Returns an informer that caches only the objects' metadata, with additional settings.
    #[must_use]
    pub fn metadata_with(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<PartialObjectMeta<DynamicObject>>,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>> {
        self.stored_as::<Typed>().metadata_with(resource, options)
    }

    /// Returns a view of the factory whose informers use another storage:
    /// `factory.stored_as::<Packed>()`.
    ///
    /// The storage is part of an informer's identity: a `Typed` and a `Packed` informer of the same
    /// type are separate, each with its own watch.
    #[must_use]
    pub fn stored_as<S: Default + 'static>(&self) -> StoredAs<'_, S> {
        StoredAs::new(self, S::default)
    }

    /// Returns a view of the factory whose informers use a configured storage. `make` is called
    /// once per request, and each informer has its own storage.
    ///
    /// The storage's [settings](Storage::Settings) are part of an informer's identity.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::{Packed, SharedInformerFactory};
    /// # use k8s_openapi::api::core::v1::Event;
    /// # fn doc(factory: &SharedInformerFactory) {
    /// let small = factory.stored_as_with(|| Packed::new().level(9));
    /// let events = small.informer::<Event>();
    /// println!("{} bytes", events.storage().memory().total());
    /// # }
    /// ```
    #[must_use]
    pub fn stored_as_with<S>(
        &self,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> StoredAs<'_, S> {
        StoredAs::new(self, make)
    }

    /// Fetches a resource's kind and scope from the API server, with the default
    /// [`Timeouts`](crate::source::Timeouts).
    ///
    /// # Errors
    ///
    /// Fails if the API server does not serve the resource, does not let it be listed and watched,
    /// or cannot be reached.
    pub async fn discover(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<ResourceInfo, DiscoverError> {
        let version = GroupVersion::gv(&resource.group, &resource.version).api_version();
        let is_wanted = |found: &APIResource| found.name == resource.resource;
        super::discover::discover(self.client(), &version, resource, is_wanted).await
    }

    /// Fetches the plural name and the scope of a kind from the API server. `api_version` and
    /// `kind` are those of an object or of an owner reference, such as `apps/v1` and `Deployment`.
    ///
    /// # Errors
    ///
    /// Fails as [`discover`](Self::discover) does.
    pub async fn discover_kind(
        &self,
        api_version: &str,
        kind: &str,
    ) -> Result<ResourceInfo, DiscoverError> {
        // A subresource, such as `pods/status`, may have the same kind.
        let is_wanted = |found: &APIResource| found.kind == kind && !found.name.contains('/');
        let wanted = format!("{api_version}/{kind}");
        super::discover::discover(self.client(), api_version, wanted, is_wanted).await
    }

    /// Starts all informers that do not run yet. Informers that are requested later start at once.
    /// Can be called repeatedly.
    ///
    /// # Errors
    ///
    /// Fails if the factory was shut down.
    pub fn start(&self) -> Result<(), StartError> {
        self.shared.registry.lock().start()
    }

    /// Waits until every informer has synced, or until the reason of a failure is known.
    ///
    /// Failures that retries are unlikely to cure (forbidden, not served, not authorized) end the
    /// wait of their informer at once. Transient failures are waited out, up to the factory's sync
    /// timeout. Failed informers keep retrying, so this function can be called again. A
    /// `ReferencedCache` is not included; it has its own wait.
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
        self.wait_for_cache_sync_until(std::future::pending::<&str>())
            .await
    }

    /// Waits as [`wait_for_cache_sync`](Self::wait_for_cache_sync) does, but at most until
    /// `cancelled` completes. Its output is the reason in the errors of the informers that have not
    /// synced by then.
    ///
    /// # Errors
    ///
    /// Fails if at least one informer did not sync. The error contains the outcome of all
    /// informers.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::SharedInformerFactory;
    /// # use tokio_util::sync::CancellationToken;
    /// # async fn doc(factory: SharedInformerFactory, stop: CancellationToken) {
    /// let stopped = async {
    ///     stop.cancelled().await;
    ///     "the process ends"
    /// };
    /// if let Err(error) = factory.wait_for_cache_sync_until(stopped).await {
    ///     eprintln!("{error}");
    /// }
    /// # }
    /// ```
    pub async fn wait_for_cache_sync_until<R: fmt::Display>(
        &self,
        cancelled: impl Future<Output = R>,
    ) -> Result<SyncResult, CacheSyncError> {
        let informers = self.shared.registry.lock().requested();
        let limit = self.shared.settings.sync_timeout;
        let end = async {
            tokio::select! {
                biased;
                reason = cancelled => WaitEnd::Cancelled(reason.to_string().into()),
                () = sleep(limit) => WaitEnd::Timeout(limit),
            }
        };
        let result = SyncResult::wait(informers, end).await;
        if result.is_synced() {
            Ok(result)
        } else {
            Err(CacheSyncError(result))
        }
    }

    /// Returns all informers of this factory, by name: those that were requested, and those of
    /// relations. Each has its [`status`](GenericInformer::status) and number of objects.
    #[must_use]
    pub fn informers(&self) -> Vec<GenericInformer> {
        let mut informers = self.shared.registry.lock().all();
        informers.sort_by(|a, b| a.name().cmp(b.name()));
        informers
    }

    /// Checks that the factory was started and that every informer has synced once: the answer of a
    /// readiness probe.
    ///
    /// A cache that has synced stays readable when its informer is degraded, and so stays ready.
    /// Informers that stopped before they had synced, or by a panic, are not ready, nor those that may
    /// list but not watch.
    ///
    /// # Errors
    ///
    /// Fails with a line for each informer that has not synced: its name, its state, the time since
    /// which it is in that state, and the cause.
    pub fn check_ready(&self) -> Result<(), NotReady> {
        let registry = || self.shared.registry.lock();
        let waiting: Vec<_> = self
            .informers()
            .into_iter()
            .filter(|informer| !informer.is_ready() && !registry().is_given_up(informer))
            .map(|informer| (informer.name().to_owned(), informer.status()))
            .collect();
        if waiting.is_empty() && registry().has_started() {
            Ok(())
        } else {
            Err(NotReady(waiting))
        }
    }

    /// Returns the errors of informers whose run ended unexpectedly, in the order in which they
    /// ended.
    ///
    /// An informer of the factory ends unexpectedly only if one of its tasks panics. The panic is
    /// logged, and is the [`StopCause`](crate::StopCause) in the informer's status. The other
    /// informers continue.
    #[must_use]
    pub fn run_errors(&self) -> Vec<RunError> {
        self.shared.registry.lock().run_errors()
    }

    /// Returns a function that gives a handle to this factory while another handle exists.
    #[doc(hidden)]
    pub fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<> {
        let shared = Arc::downgrade(&self.shared);
        move || {
            let shared = shared.upgrade()?;
            Some(Self { shared })
        }
    }

    /// Returns the counters and gauges of each informer, by name.
    ///
    /// Covers only this factory's informers, even if another factory has informers with the same
    /// names. A `Collector` exports the metrics to a Prometheus registry.
    #[must_use]
    pub fn metrics(&self) -> FactoryMetrics {
        let informers = self.informers();
        FactoryMetrics {
            informers: informers.iter().map(GenericInformer::metrics).collect(),
        }
    }

    /// Stops all informers and waits until all of their tasks have ended, at most 20 s, after which
    /// running calls of handlers are dropped. The caches stay readable. Can be called repeatedly.
    ///
    /// The wait includes running calls of handlers, so a handler must not await this function. A
    /// warning names the handlers whose calls were dropped. client-go's counterpart, `Shutdown`,
    /// waits for ever.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not cancel the stop of the informers.
    pub async fn shutdown(&self) {
        if let Err(error) = self.shutdown_within(SHUTDOWN_LIMIT).await {
            warn!(%error, "running calls of handlers dropped");
        }
    }

    /// Stops all informers as [`shutdown`](Self::shutdown) does, with another limit.
    ///
    /// # Errors
    ///
    /// Fails if calls of handlers, or tasks of the factory, have not ended within `limit`. They are
    /// dropped at their next `.await`.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not cancel the stop of the informers.
    pub async fn shutdown_within(&self, limit: Duration) -> Result<(), ShutdownError> {
        let (informers, tasks) = self.shared.registry.lock().shut_down();
        let handlers: Vec<_> = informers
            .iter()
            .flat_map(GenericInformer::handlers)
            .collect();
        for informer in &informers {
            informer.stop();
        }
        if timeout(limit, tasks.wait()).await.is_ok() {
            return Ok(());
        }
        let mut running: Vec<_> = handlers
            .iter()
            .filter_map(HandlerRegistration::unfinished)
            .collect();
        for informer in &informers {
            informer.inner.abandon.cancel();
        }
        if running.is_empty() {
            running.push("a task of the factory".to_owned());
        }
        // Calls end at once unless they block their thread.
        _ = timeout(DROP_LIMIT, tasks.wait()).await;
        Err(ShutdownError { limit, running })
    }

    /// Runs a task of the factory. [`shutdown`](Self::shutdown) cancels the task's token, and waits
    /// for the task. Returns the token: cancelling it ends this task alone.
    #[doc(hidden)]
    pub fn spawn<F>(&self, task: impl FnOnce(CancellationToken) -> F) -> CancellationToken
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let cancel = self.shared.registry.lock().stop_token();
        let task = task(cancel.clone());
        self.shared.registry.lock().spawn_task(task);
        cancel
    }

    /// Returns the memory of the informers, and the [budget](SharedInformerFactoryBuilder::memory).
    #[must_use]
    pub fn memory(&self) -> MemoryUsage {
        let account = &self.shared.settings.peers.account;
        MemoryUsage {
            used: account.used(),
            budget: account.budget().map(Budget::as_bytes),
        }
    }

    /// Returns the informer that a request with these options would share, if it exists.
    pub(crate) fn find<K: Object>(
        &self,
        resource: &ResourceInfo,
        options: InformerOptions<K>,
    ) -> Option<SharedInformer<K>> {
        let (identity, _) = self.identify::<K, Typed>(resource, &Typed, options);
        self.shared.registry.lock().get(&identity)
    }

    /// Makes the first lists of informers that start later consistent reads.
    #[doc(hidden)]
    pub fn list_consistently(&self) {
        let peers = &self.shared.settings.peers;
        peers.lists_consistently.store(true, Ordering::Relaxed);
    }

    /// Removes an informer from the registry, so that the next request creates a new one. Does not
    /// stop the informer.
    #[doc(hidden)]
    pub fn forget<K: Object>(&self, informer: &SharedInformer<K>) {
        let forgotten = self.shared.registry.lock().remove(informer);
        drop(forgotten);
    }

    /// Returns the identity of a request, and its settings merged with all defaults.
    fn identify<K: Object, S: Storage<K>>(
        &self,
        resource: &ResourceInfo,
        storage: &S,
        options: InformerOptions<K, S>,
    ) -> (Identity, InformerConfig) {
        let of_storage = TypeId::of::<InformerOptions<K, S>>();
        let of_default = TypeId::of::<InformerOptions<K, Typed>>();
        let settings = &self.shared.settings;
        let config = settings.for_type(options.config, [of_storage, of_default]);
        let config = settings.complete(config, resource);
        let types = Types::of::<K, S>(storage);
        (Identity::new(resource, types, &config), config)
    }

    /// Returns the informer of a resource in the form `K`.
    pub(crate) fn request<K, S>(
        &self,
        resource: ResourceInfo,
        storage: S,
        options: InformerOptions<K, S>,
    ) -> SharedInformer<K, S>
    where
        K: Object,
        S: Storage<K>,
    {
        let (identity, config) = self.identify(&resource, &storage, options);
        // What calls the storage, which is user code, comes before the lock.
        let stored = (!S::IS_DEFAULT).then(|| storage_name(&storage));
        let form = TypeForm::of::<K>();
        let name = identity.name(&resource, form, stored);
        let accepted = SharedInformer::check_transform(&storage, &config);
        let checked = self.check(&config, &resource).and(accepted);
        let encoding = storage.preferred_encoding();
        let mut registry = self.shared.registry.lock();
        if let Some(known) = registry.get(&identity) {
            return known;
        }
        let parts = self.parts(registry.free_name(name), resource, config, encoding, form);
        let informer = SharedInformer::from_parts(storage, parts);
        let weak = Arc::downgrade(&self.shared);
        informer.set_siblings(move || {
            let shared = weak.upgrade();
            shared.map_or_else(Vec::new, |shared| shared.registry.lock().requested())
        });
        let outdated = registry.insert(identity, informer.clone().into(), checked);
        drop(registry);
        for (informer, reason) in outdated {
            warn!(informer = informer.name(), "stopped: {reason}");
            informer.stop_because(reason);
        }
        informer
    }

    /// Checks the settings of a request that do not depend on its type.
    fn check(&self, config: &InformerConfig, resource: &ResourceInfo) -> Result<(), ConfigError> {
        config.validate_for(resource)?;
        if self.shared.settings.strict_namespace && resource.scope == Scope::Cluster {
            return Err(ConfigError::ClusterScoped);
        }
        Ok(())
    }

    /// Returns the parts of an informer that do not depend on its type.
    fn parts(
        &self,
        name: String,
        resource: ResourceInfo,
        mut config: InformerConfig,
        encoding: Encoding,
        form: TypeForm,
    ) -> Parts {
        let of_factory = self.shared.settings.partition.as_ref();
        let partition = of_factory.filter(|_| config.unsharded == Some(false));
        config.order = config.order.filter(|_| partition.is_none());
        let split = SplitOptions::default()
            .keep_managed_fields(config.keep_managed_fields.unwrap_or_default())
            // The items of a list lack `apiVersion` and `kind`, and only a Rust type knows both.
            .add_type_meta(form != TypeForm::Typed);
        let source = |namespace: Option<&str>| -> Arc<dyn ListerWatcher> {
            let mut source = KubeListerWatcher::new(self.shared.client.clone(), resource.clone());
            if form == TypeForm::Metadata {
                source = source.form(Form::Metadata);
            }
            if let Some(namespace) = namespace {
                source = source.namespace(namespace);
            }
            source = source.split_options(split.clone());
            let whole = Arc::new(configured(source, &config, encoding));
            match partition {
                Some(partition) => partition.source(&resource, whole),
                None => whole,
            }
        };
        let coverage = config.coverage(partition.map(|partition| partition.coverage()));
        let sources = match &*coverage.namespaces {
            several @ [_, _, ..] => several
                .iter()
                .map(|name| (Some(Arc::clone(name)), source(Some(name))))
                .collect(),
            one_or_all => vec![(None, source(one_or_all.first().map(|name| &**name)))],
        };
        Parts {
            name: Some(name.into()),
            coverage: Arc::new(coverage),
            sources,
            resource,
            config,
            peers: self.shared.settings.peers.clone(),
            metrics: Arc::default(),
        }
    }
}

/// Returns a source whose requests follow `config`.
fn configured(
    mut source: KubeListerWatcher,
    config: &InformerConfig,
    preferred: Encoding,
) -> KubeListerWatcher {
    if let Some(label) = &config.selectors.label {
        source = source.label_selector(label.to_string());
    }
    if let Some(field) = &config.selectors.field {
        source = source.field_selector(field.to_string());
    }
    if let Some(timeouts) = config.timeouts {
        source = source.timeouts(timeouts);
    }
    if let Some(gzip) = config.gzip_streaming_lists {
        source = source.gzip_streaming_lists(gzip);
    }
    let preferred = Some(preferred).filter(|encoding| *encoding != Encoding::default());
    if let Some(encoding) = config.encoding.or(preferred) {
        source = source.encoding(encoding);
    }
    source
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedInformerFactory")
            .field(&*self.shared.registry.lock())
            .finish()
    }
}

// === impl FactoryShared ===

impl Drop for FactoryShared {
    fn drop(&mut self) {
        let (informers, _tasks) = self.registry.get_mut().shut_down();
        for informer in informers {
            informer.stop();
        }
    }
}

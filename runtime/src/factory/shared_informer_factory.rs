//! The factory.

use std::fmt;
use std::sync::Arc;

use kube::Client;
use kube::core::{DynamicObject, PartialObjectMeta};
use tokio::runtime::Handle;
use tokio::time::sleep;

use super::builder::{Settings, SharedInformerFactoryBuilder};
use super::error::{CacheSyncError, DiscoverError, StartError};
use super::identity::Identity;
use super::registry::Registry;
use super::stored_as::StoredAs;
use super::sync::{GivenUp, SyncResult};
use crate::base::sync::Mutex;
use crate::object::{GroupVersionResource, Object, ResourceInfo, Scope};
use crate::shared_informer::{
    ConfigError, InformerConfig, InformerOptions, RunError, SharedInformer,
};
use crate::source::KubeListerWatcher;
use crate::status::FactoryMetrics;
use crate::storage::{Storage, Typed};
use crate::wire::{Encoding, SplitOptions};

/// Makes, shares and runs informers: each resource is listed and watched once per process.
///
/// Clones are the same factory. When the last one is dropped its informers end; what they cached
/// stays readable. client-go's counterpart is `informers.SharedInformerFactory`.
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
    shared: Arc<Shared>,
}

struct Shared {
    client: Client,
    settings: Settings,
    registry: Mutex<Registry>,
}

// === impl SharedInformerFactory ===

impl SharedInformerFactory {
    /// Starts building a factory. [`connect`](crate::connect()) makes a client that hides no errors.
    #[must_use]
    pub fn builder(client: Client) -> SharedInformerFactoryBuilder {
        SharedInformerFactoryBuilder::new(client)
    }

    pub(super) fn new(client: Client, settings: Settings, runtime: Handle) -> Self {
        let registry = Mutex::new(Registry::new(runtime));
        Self {
            shared: Arc::new(Shared {
                client,
                settings,
                registry,
            }),
        }
    }

    /// The client that informers use.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// The informer of `K`, with the settings of type and factory.
    ///
    /// Once the factory is started, an informer that is new starts by itself.
    #[must_use]
    pub fn informer<K>(&self) -> SharedInformer<K>
    where
        K: Object<DynamicType = ()>,
    {
        self.informer_with(InformerOptions::new())
    }

    /// The informer of `K` with settings of its own: the same settings are the same informer.
    #[must_use]
    pub fn informer_with<K>(&self, options: InformerOptions<K>) -> SharedInformer<K>
    where
        K: Object<DynamicType = ()>,
    {
        self.stored_as::<Typed>().informer_with(options)
    }

    /// An informer of objects without a Rust type. [`discover`](Self::discover) finds the resource
    /// by its name.
    #[must_use]
    pub fn dynamic(&self, resource: ResourceInfo) -> SharedInformer<DynamicObject> {
        self.dynamic_with(resource, InformerOptions::new())
    }

    /// An informer of objects without a Rust type, with settings of its own.
    #[must_use]
    pub fn dynamic_with(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<DynamicObject>,
    ) -> SharedInformer<DynamicObject> {
        self.stored_as::<Typed>().dynamic_with(resource, options)
    }

    /// An informer of objects' metadata only: the server sends nothing else.
    #[must_use]
    pub fn metadata(
        &self,
        resource: ResourceInfo,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>> {
        self.metadata_with(resource, InformerOptions::new())
    }

    /// An informer of objects' metadata only, with settings of its own.
    #[must_use]
    pub fn metadata_with(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<PartialObjectMeta<DynamicObject>>,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>> {
        self.stored_as::<Typed>().metadata_with(resource, options)
    }

    /// Informers whose objects are held another way: `factory.stored_as::<Packed>()`.
    ///
    /// The storage is part of an informer's identity: `Typed` and `Packed` informers of one type
    /// live side by side, each with a watch of its own.
    #[must_use]
    pub fn stored_as<S: Default + 'static>(&self) -> StoredAs<'_, S> {
        StoredAs::new(self, S::default)
    }

    /// Informers whose objects are held by a storage with settings; `make` is called once for each
    /// request, and each informer has a storage of its own.
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

    /// Asks the server for a resource's kind and scope, under the default
    /// [`Timeouts`](crate::source::Timeouts).
    ///
    /// # Errors
    ///
    /// The server does not serve the resource, does not let it be watched, or cannot be asked.
    pub async fn discover(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<ResourceInfo, DiscoverError> {
        super::discover::discover(&self.shared.client, resource).await
    }

    /// Starts all informers that do not run yet. Can be repeated; informers that are asked for
    /// later start by themselves.
    ///
    /// # Errors
    ///
    /// The factory was shut down.
    pub fn start(&self) -> Result<(), StartError> {
        self.shared.registry.lock().start()
    }

    /// Waits until every informer has synced, or it is known why one does not.
    ///
    /// Answers at once for what waiting does not cure (forbidden, not served, not authorized);
    /// waits out what comes and goes, up to the factory's sync timeout. Informers that fail go on
    /// trying: this can be called again.
    ///
    /// # Errors
    ///
    /// At least one informer did not sync; the error holds the outcome of all.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn wait_for_cache_sync(&self) -> Result<SyncResult, CacheSyncError> {
        self.wait_for_cache_sync_until(std::future::pending::<&str>())
            .await
    }

    /// Waits as [`wait_for_cache_sync`](Self::wait_for_cache_sync) does, and no longer than until
    /// `cancelled` ends: what it says is the reason why the informers that have not synced by then
    /// were waited for no longer.
    ///
    /// # Errors
    ///
    /// At least one informer did not sync; the error holds the outcome of all.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
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
        let informers = self.shared.registry.lock().all();
        let limit = self.shared.settings.sync_timeout;
        let given_up = async {
            tokio::select! {
                biased;
                reason = cancelled => GivenUp::Cancelled(reason.to_string().into()),
                () = sleep(limit) => GivenUp::Timeout(limit),
            }
        };
        let result = SyncResult::wait(informers, given_up).await;
        if result.is_synced() {
            Ok(result)
        } else {
            Err(CacheSyncError(result))
        }
    }

    /// Returns why runs of informers ended that should not have, in the order in which they ended.
    ///
    /// An informer of the factory ends by itself only where one of its tasks panics. That is logged,
    /// and is the [`StopCause`](crate::StopCause) of its status; the other informers go on.
    #[must_use]
    pub fn run_errors(&self) -> Vec<RunError> {
        self.shared.registry.lock().run_errors()
    }

    /// Returns a function that gives this again, as long as somebody else holds it.
    #[cfg(feature = "prometheus")]
    pub(crate) fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<> {
        let shared = Arc::downgrade(&self.shared);
        move || {
            let shared = shared.upgrade()?;
            Some(Self { shared })
        }
    }

    /// What each informer has done so far, and does now; by name.
    ///
    /// Of this factory's informers only: another factory's, with the same names, are that one's.
    /// A `Collector` shows them in a registry for Prometheus; see [`metrics`](crate::metrics).
    #[must_use]
    pub fn metrics(&self) -> FactoryMetrics {
        let informers = self.shared.registry.lock().all();
        FactoryMetrics::new(
            informers
                .iter()
                .map(|informer| informer.metrics())
                .collect(),
        )
    }

    /// Ends all informers and waits until none of their tasks is left. Their caches stay readable.
    ///
    /// A handler's call that is running is waited for: do not await this inside one. Can be
    /// repeated.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the informers ending.
    pub async fn shutdown(&self) {
        let (informers, tasks) = self.shared.registry.lock().shut_down();
        for informer in informers {
            informer.stop();
        }
        tasks.wait().await;
    }

    /// The informer that [`informer_with`](Self::informer_with) and its like would give, if there
    /// is one already.
    pub(crate) fn find<K: Object>(
        &self,
        resource: &ResourceInfo,
        options: InformerOptions<K>,
    ) -> Option<SharedInformer<K>> {
        let (identity, _) = self.identify(resource, &Typed, options);
        self.shared.registry.lock().get(&identity)
    }

    /// Forgets an informer, so that the next request makes a new one. Does not stop it.
    pub(crate) fn forget<K: Object>(&self, informer: &SharedInformer<K>) {
        let forgotten = self.shared.registry.lock().remove(informer);
        drop(forgotten);
    }

    /// Returns what makes the request for an informer the same as another one, and its settings.
    fn identify<K: Object, S: Storage<K>>(
        &self,
        resource: &ResourceInfo,
        storage: &S,
        options: InformerOptions<K, S>,
    ) -> (Identity, InformerOptions<K, S>) {
        let settings = &self.shared.settings;
        let mut options = settings.for_type(options);
        let config = &mut options.config;
        let has_namespace = resource.scope == Scope::Namespaced;
        let namespace = config.namespace.take();
        config.namespace = namespace.filter(|name| has_namespace && !name.is_empty());
        if let Some(tweak) = &settings.tweak {
            tweak(resource, &mut config.selectors);
        }
        config.selectors = std::mem::take(&mut config.selectors).canonical();
        (Identity::new(resource, storage, &options), options)
    }

    pub(super) fn request<K, S>(
        &self,
        resource: ResourceInfo,
        storage: S,
        options: InformerOptions<K, S>,
        source: impl FnOnce(Client, ResourceInfo, SplitOptions) -> KubeListerWatcher,
    ) -> SharedInformer<K, S>
    where
        K: Object,
        S: Storage<K>,
    {
        let is_refused = self.shared.settings.strict_namespace && resource.scope == Scope::Cluster;
        let (identity, options) = self.identify(&resource, &storage, options);
        let name = identity.name::<K, S>(&resource, &storage);
        let make = |name: String| {
            let split = SplitOptions {
                keep_managed_fields: identity.keep_managed_fields,
                ..SplitOptions::default()
            };
            let source = source(self.shared.client.clone(), resource.clone(), split);
            let source = configured(source, &options.config, storage.preferred_encoding());
            let informer = SharedInformer::builder_with(source, storage)
                .name(name)
                .options(options)
                .build_or_refuse(resource);
            if is_refused {
                informer.refuse(ConfigError::ClusterScoped.to_string());
            }
            informer
        };
        let mut registry = self.shared.registry.lock();
        registry.get_or_insert(identity.clone(), name, make)
    }
}

/// Returns a source that asks as `config` says.
fn configured(
    mut source: KubeListerWatcher,
    config: &InformerConfig,
    preferred: Encoding,
) -> KubeListerWatcher {
    if let Some(namespace) = &config.namespace {
        source = source.namespace(namespace);
    }
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

// === impl Shared ===

impl Drop for Shared {
    fn drop(&mut self) {
        let (informers, _tasks) = self.registry.get_mut().shut_down();
        for informer in informers {
            informer.stop();
        }
    }
}

//! What can be set on an informer.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::error::BuildError;
use super::handle::{Inner, SharedInformer};
use super::life::Life;
use crate::base::sync::Mutex;
use crate::delta_fifo::{Compression, DeltaFifo, Order};
use crate::indexer::Indexer;
use crate::object::{Object, ResourceInfo, Scope};
use crate::processor::Processor;
use crate::reflector::{ReflectorConfig, Reporter};
use crate::shared_informer::controller::{DynStore, Mirror, Store};
use crate::source::ListerWatcher;
use crate::status::{Metrics, StatusCell};
use crate::storage::{Admission, Storage, Transform, Typed};
use crate::wire::DropFields;

/// How many deltas wait between reflector and controller, unless set.
const QUEUE_CAPACITY: usize = 4096;

/// Builds a [`SharedInformer`]. Settings are checked once, by [`build`](Self::build).
pub struct SharedInformerBuilder<K: Object, S: Storage<K> = Typed> {
    source: Arc<dyn ListerWatcher>,
    storage: S,
    resource: Option<ResourceInfo>,
    namespace: Option<Arc<str>>,
    name: Option<Arc<str>>,
    resync_period: Duration,
    order: Order,
    queue_capacity: usize,
    compression: Option<Arc<dyn Compression<S::Handle>>>,
    store: Option<Box<dyn DynStore<S::Handle>>>,
    transform: Option<Transform<K>>,
    drop_fields: Option<DropFields>,
    reflector: ReflectorConfig,
}

// === impl SharedInformerBuilder ===

impl<K: Object, S: Storage<K>> SharedInformerBuilder<K, S> {
    pub(super) fn new(source: impl ListerWatcher, storage: S) -> Self {
        Self {
            source: Arc::new(source),
            storage,
            resource: None,
            namespace: None,
            name: None,
            resync_period: Duration::ZERO,
            order: Order::Global,
            queue_capacity: QUEUE_CAPACITY,
            compression: None,
            store: None,
            transform: None,
            drop_fields: None,
            reflector: ReflectorConfig::default(),
        }
    }

    /// The resource; needed for types that do not know theirs, such as `DynamicObject`.
    #[must_use]
    pub fn resource(mut self, resource: ResourceInfo) -> Self {
        self.resource = Some(resource);
        self
    }

    /// Says that the source is of this namespace only, so that listers can tell an object that is
    /// missing from one that is out of scope. The empty one means all, which is the default.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.namespace = Some(namespace.into()).filter(|namespace| !namespace.is_empty());
        self
    }

    /// The name in logs and errors; default: the resource, as in `pods.v1`.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// How often handlers are shown every object again, unless they say otherwise. Default: never.
    #[must_use]
    pub fn resync_period(mut self, period: Duration) -> Self {
        self.resync_period = period;
        self
    }

    /// In which order deltas are processed; default [`Order::Global`].
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// How many deltas wait for the store before the server has to; default 4096.
    #[must_use]
    pub fn queue_capacity(mut self, deltas: usize) -> Self {
        self.queue_capacity = deltas;
        self
    }

    /// What is made of the deltas that wait for one key, with [`Order::PerKey`]; default
    /// [`DedupDeltas`](crate::delta_fifo::DedupDeltas).
    #[must_use]
    pub fn compression(mut self, compression: impl Compression<S::Handle> + 'static) -> Self {
        self.compression = Some(Arc::new(compression));
        self
    }

    /// A store of one's own that is written as the cache is, before handlers are told.
    #[must_use]
    pub fn store(mut self, store: impl Store<S::Handle>) -> Self {
        self.store = Some(Box::new(store));
        self
    }

    /// Changes every object before it is stored, indexed or shown.
    #[must_use]
    pub fn transform(mut self, transform: Transform<K>) -> Self {
        self.transform = Some(transform);
        self
    }

    /// Cuts these fields out of every object before it is decoded, transformed or packed. Objects
    /// that a relist finds unchanged are not looked at.
    #[must_use]
    pub fn drop_fields(mut self, fields: DropFields) -> Self {
        self.drop_fields = Some(fields).filter(|fields| !fields.is_empty());
        self
    }

    /// How the resource is followed.
    #[must_use]
    pub fn reflector(mut self, config: ReflectorConfig) -> Self {
        self.reflector = config;
        self
    }

    /// Builds the informer; nothing is asked of the source before it runs.
    ///
    /// # Errors
    ///
    /// The type's resource is not known, or settings contradict each other.
    pub fn build(self) -> Result<SharedInformer<K, S>, BuildError> {
        let resource = self.resource.clone().or_else(own_resource::<K>);
        let resource = resource.ok_or(BuildError::ResourceUnknown)?;
        if self.queue_capacity == 0 {
            return Err(BuildError::EmptyQueue);
        }
        if self.compression.is_some() && self.order != Order::PerKey {
            return Err(BuildError::CompressionWithoutKeys);
        }
        if self.namespace.is_some() && resource.scope == Scope::Cluster {
            return Err(BuildError::NamespaceOfClusterScoped);
        }
        if let Some(transform) = &self.transform
            && !self.storage.accepts(transform)
        {
            return Err(BuildError::TransformNotAccepted(Arc::clone(
                transform.name(),
            )));
        }
        Ok(self.assemble(resource))
    }

    /// Puts the parts together.
    pub(crate) fn assemble(self, resource: ResourceInfo) -> SharedInformer<K, S> {
        let name = self.name.unwrap_or_else(|| resource.to_string().into());
        let indexer = Indexer::new(resource.scope);
        let status = Arc::new(StatusCell::new());
        let metrics = Arc::new(Metrics::default());
        let handler = self.reflector.handler();
        let reporter = Reporter::new(
            Arc::clone(&name),
            handler,
            Arc::clone(&status),
            Arc::clone(&metrics),
        );
        let known = Arc::new(indexer.clone());
        let mirror = self.store.map(|store| Mirror::new(store, resource.scope));
        let fifo = match self.compression {
            Some(compression) => DeltaFifo::per_key(self.queue_capacity, known, compression),
            None => DeltaFifo::new(self.order, self.queue_capacity, known),
        };
        SharedInformer::from_inner(Inner {
            processor: Processor::new(&name, self.resync_period),
            fifo,
            mirror: Mutex::new(mirror),
            admission: Arc::new(Admission {
                storage: self.storage,
                transform: self.transform,
                drop_fields: self.drop_fields,
            }),
            name,
            resource: Arc::new(resource),
            namespace: self.namespace,
            source: self.source,
            reflector: self.reflector,
            reporter: Arc::new(reporter),
            indexer,
            status,
            metrics,
            life: Mutex::new(Life::default()),
            stop: CancellationToken::new(),
        })
    }
}

/// What a type knows of itself; nothing if its resource is data.
fn own_resource<K: Object>() -> Option<ResourceInfo> {
    // Not `K::DynamicType: Default`: `DynamicObject` has none, and needs the same builder.
    let no_data: &dyn Any = &();
    ResourceInfo::of::<K>(no_data.downcast_ref()?)
}

impl<K: Object, S: Storage<K>> fmt::Debug for SharedInformerBuilder<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerBuilder")
            .field("name", &self.name)
            .field("resource", &self.resource)
            .finish_non_exhaustive()
    }
}

//! What sets one informer apart from another of its type.

use std::fmt;
use std::time::Duration;

use super::parts::Parts;
use crate::delta_fifo::{Compression, Order};
use crate::object::{FieldSelector, Object, Selector};
use crate::processor::Handle;
use crate::reflector::ReflectorConfig;
use crate::shared_informer::Store;
use crate::source::Timeouts;
use crate::storage::Transform;
use crate::wire::{DropFields, Encoding};

/// Settings of one informer, or of all of one type. What is set here wins over the factory's.
pub struct InformerOptions<K: Object> {
    pub(super) resync_period: Option<Duration>,
    pub(super) namespace: Option<String>,
    pub(super) selectors: Selectors,
    pub(super) transform: Option<Transform<K>>,
    pub(super) drop_fields: Option<DropFields>,
    pub(super) reflector: ReflectorConfig,
    pub(super) order: Option<Order>,
    pub(super) queue_capacity: Option<usize>,
    pub(super) keep_managed_fields: Option<bool>,
    pub(super) timeouts: Option<Timeouts>,
    pub(super) gzip_streaming_lists: Option<bool>,
    pub(super) encoding: Option<Encoding>,
    pub(super) parts: Parts,
}

/// Selectors that the server applies to lists and watches.
///
/// `None` is the factory's, or none at all. A selector of everything stands for itself: for a type
/// it takes the factory's away.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Selectors {
    /// As in `app=web,tier in (a,b)`.
    pub label: Option<Selector>,
    /// As in `spec.nodeName=n1`.
    pub field: Option<FieldSelector>,
}

// === impl InformerOptions ===

impl<K: Object> InformerOptions<K> {
    /// Nothing set: all is the factory's.
    #[must_use]
    pub fn new() -> Self {
        Self {
            resync_period: None,
            namespace: None,
            selectors: Selectors::default(),
            transform: None,
            drop_fields: None,
            reflector: ReflectorConfig::default(),
            order: None,
            queue_capacity: None,
            keep_managed_fields: None,
            timeouts: None,
            gzip_streaming_lists: None,
            encoding: None,
            parts: Parts::default(),
        }
    }

    /// How often handlers are shown every object again, unless they say otherwise. It belongs to
    /// whoever asks for the informer first; handlers can have their own.
    #[must_use]
    pub fn resync_period(mut self, period: Duration) -> Self {
        self.resync_period = Some(period);
        self
    }

    /// Caches one namespace only, the empty one standing for all. Ignored for cluster-scoped
    /// resources.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Caches only what has these labels: `"app=web".parse()?`. The server filters.
    #[must_use]
    pub fn label_selector(mut self, selector: Selector) -> Self {
        self.selectors.label = Some(selector);
        self
    }

    /// Caches only what has these fields: `"status.phase=Running".parse()?`. The server filters.
    #[must_use]
    pub fn field_selector(mut self, selector: FieldSelector) -> Self {
        self.selectors.field = Some(selector);
        self
    }

    /// Changes every object before it is stored.
    #[must_use]
    pub fn transform(mut self, transform: Transform<K>) -> Self {
        self.transform = Some(transform);
        self
    }

    /// Cuts these fields out of every object before it is decoded, transformed or packed. None at
    /// all, [`DropFields::default`], takes those of the type away.
    #[must_use]
    pub fn drop_fields(mut self, fields: DropFields) -> Self {
        self.drop_fields = Some(fields);
        self
    }

    /// How the resource is followed: page size, backoff, shortest watch timeout, retry window,
    /// streaming lists, error handler. What `config` does not set is the factory's. It belongs to
    /// whoever asks for the informer first.
    #[must_use]
    pub fn reflector(mut self, config: ReflectorConfig) -> Self {
        self.reflector = config;
        self
    }

    /// In which order deltas are processed. It belongs to whoever asks for the informer first.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = Some(order);
        self
    }

    /// How many deltas wait for the store before the server has to. It belongs to whoever asks for
    /// the informer first. An informer with a capacity of 0 does not start, and says why.
    #[must_use]
    pub fn queue_capacity(mut self, deltas: usize) -> Self {
        self.queue_capacity = Some(deltas);
        self
    }

    /// Whether objects keep their `metadata.managedFields`, which are cut out by default: they are
    /// most of what decoding costs, and few readers need them. Part of the informer's identity.
    #[must_use]
    pub fn keep_managed_fields(mut self, keep: bool) -> Self {
        self.keep_managed_fields = Some(keep);
        self
    }

    /// For how long the server may be silent. It belongs to whoever asks for the informer first.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = Some(timeouts);
        self
    }

    /// Sets whether streaming lists ask for gzip; see
    /// [`KubeListerWatcher::gzip_streaming_lists`](crate::source::KubeListerWatcher::gzip_streaming_lists).
    /// Default: `true`. It belongs to whoever asks for the informer first.
    #[must_use]
    pub fn gzip_streaming_lists(mut self, gzip: bool) -> Self {
        self.gzip_streaming_lists = Some(gzip);
        self
    }

    /// In which encoding the server is asked; see [`KubeListerWatcher::encoding`]. Default: what the
    /// storage [prefers](crate::Storage::preferred_encoding), which is protobuf but for dynamic
    /// objects that are kept decoded; protobuf for metadata. It belongs to whoever asks for the
    /// informer first.
    ///
    /// [`KubeListerWatcher::encoding`]: crate::source::KubeListerWatcher::encoding
    #[must_use]
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    /// What is made of the deltas that wait for one key, with [`Order::PerKey`]; default
    /// [`DedupDeltas`](crate::delta_fifo::DedupDeltas). It belongs to whoever asks for the informer
    /// first, and each informer that these settings are of has this one.
    ///
    /// `H` is what the informer's storage hands out: `Arc<K>` if it is [`Typed`](crate::Typed),
    /// [`PackedObject<K>`](crate::PackedObject) if it is [`Packed`](crate::Packed). An informer with
    /// another storage, or another order, does not start, and says why.
    #[must_use]
    pub fn compression<H: Handle>(mut self, compression: impl Compression<H> + 'static) -> Self {
        self.parts.set_compression(compression);
        self
    }

    /// A store of one's own that is written as the cache is, before handlers are told. It belongs to
    /// whoever asks for the informer first.
    ///
    /// Each informer that these settings are of has a store of its own: `make` is called when there
    /// is something to write to it for the first time, and must not block for long. A panic in it is
    /// one of the store's.
    ///
    /// `H` is what the informer's storage hands out, as for [`compression`](Self::compression). An
    /// informer with another storage does not start, and says why.
    ///
    /// # Examples
    ///
    /// ```
    /// # extern crate informer_runtime as informer;
    /// use std::sync::Arc;
    ///
    /// # use informer_runtime::shared_informer::{Store, StoreBatch};
    /// # use informer_runtime::status::StoreError;
    /// use informer::{InformerOptions, SharedInformerFactory};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// /// Prints what happens to the cache.
    /// struct Journal;
    ///
    /// impl Store<Arc<Pod>> for Journal {
    ///     async fn apply(&mut self, batch: &StoreBatch<Arc<Pod>>) -> Result<(), StoreError> {
    ///         println!("{} changes at {}", batch.changes().count(), batch.resource_version());
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let factory = SharedInformerFactory::builder(client)
    ///     .with_type(InformerOptions::<Pod>::new().store(|| Journal))
    ///     .build()?;
    /// let pods = factory.informer::<Pod>();
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn store<H: Handle, T: Store<H>>(
        mut self,
        make: impl Fn() -> T + Send + Sync + 'static,
    ) -> Self {
        self.parts.set_store(make);
        self
    }

    /// What is set here, and where nothing is, what `defaults` sets.
    pub(crate) fn or(self, defaults: &Self) -> Self {
        let other = defaults.clone();
        Self {
            resync_period: self.resync_period.or(other.resync_period),
            namespace: self.namespace.or(other.namespace),
            selectors: self.selectors.or(&other.selectors),
            transform: self.transform.or(other.transform),
            drop_fields: self.drop_fields.or(other.drop_fields),
            reflector: self.reflector.or(other.reflector),
            order: self.order.or(other.order),
            queue_capacity: self.queue_capacity.or(other.queue_capacity),
            keep_managed_fields: self.keep_managed_fields.or(other.keep_managed_fields),
            timeouts: self.timeouts.or(other.timeouts),
            gzip_streaming_lists: self.gzip_streaming_lists.or(other.gzip_streaming_lists),
            encoding: self.encoding.or(other.encoding),
            parts: self.parts.or(other.parts),
        }
    }
}

impl<K: Object> Default for InformerOptions<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Object> Clone for InformerOptions<K> {
    fn clone(&self) -> Self {
        Self {
            resync_period: self.resync_period,
            namespace: self.namespace.clone(),
            selectors: self.selectors.clone(),
            transform: self.transform.clone(),
            drop_fields: self.drop_fields.clone(),
            reflector: self.reflector.clone(),
            order: self.order,
            queue_capacity: self.queue_capacity,
            keep_managed_fields: self.keep_managed_fields,
            timeouts: self.timeouts,
            gzip_streaming_lists: self.gzip_streaming_lists,
            encoding: self.encoding,
            parts: self.parts.clone(),
        }
    }
}

impl<K: Object> fmt::Debug for InformerOptions<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerOptions")
            .field("resync_period", &self.resync_period)
            .field("namespace", &self.namespace)
            .field("selectors", &self.selectors)
            .field("transform", &self.transform)
            .field("drop_fields", &self.drop_fields)
            .field("keep_managed_fields", &self.keep_managed_fields)
            .finish_non_exhaustive()
    }
}

// === impl Selectors ===

impl Selectors {
    pub(super) fn or(self, defaults: &Self) -> Self {
        Self {
            label: self.label.or_else(|| defaults.label.clone()),
            field: self.field.or_else(|| defaults.field.clone()),
        }
    }

    /// Without those that select everything: equal selections are one informer.
    pub(super) fn canonical(self) -> Self {
        Self {
            label: self.label.filter(|selector| !selector.is_empty()),
            field: self.field.filter(|selector| !selector.is_empty()),
        }
    }
}

//! [`WriteThroughStore`]: a user's store that the informer keeps equal to its cache.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::indexer::{Change, Snapshot, State};
use crate::object::ResourceVersion;
use crate::processor::Handle;
use crate::status::StoreError;

/// User's store that the informer keeps equal to its cache: a database, a search index, columns in
/// memory.
///
/// Set by [`SharedInformerBuilder::store`](crate::shared_informer::SharedInformerBuilder::store).
/// Listers and indices still read the informer's cache, which provides O(1) snapshots; readers of
/// this store use its own interface. To follow changes without further guarantees, a handler is
/// enough. A store has these guarantees of a cache:
///
/// - It receives every transaction of the cache as one [`StoreBatch`], in order, so that it can
///   write each batch as one transaction.
/// - It is written before handlers are notified and before
///   [`wait_for_sync`](crate::SharedInformer::wait_for_sync) returns: a handler that reads the
///   store sees the state of its event, or a newer state.
/// - It misses no change. A failed batch is repeated, and no later batch comes before it.
///
/// To keep only keys, versions and small handles in memory, and the objects' contents elsewhere (on
/// disk, compressed, outside the process), implement [`Storage`](crate::Storage): it defines the
/// handle type, which is `H` here. Both can be combined.
///
/// client-go's counterpart is the `Indexer` of a `SharedIndexInformer`, which cannot be replaced.
///
/// # Errors and panics
///
/// After an error, the batch is repeated with the reflector's default delays (0.8 s, doubled up to
/// 30 s, with jitter) until it succeeds. Until then the informer waits: handlers, listers and
/// finally the connection to the API server. No change is lost and memory stays bounded.
///
/// Each failure is logged, counted
/// ([`InformerMetrics::store_failures`](crate::InformerMetrics::store_failures)), and reported in
/// [`InformerStatus::store_failure`](crate::InformerStatus::store_failure). An object that can
/// never be stored must therefore be skipped, not reported as an error. A call that does not return
/// also blocks the informer, which is logged after 10 s, 20 s, 40 s and so on: set a deadline in
/// the store.
///
/// After a panic, the content of the store is unknown. The next batch therefore replaces all of it
/// ([`StoreBatch::is_replace`]).
///
/// # Cancel safety
///
/// When the informer stops, a running call is dropped at its next `.await`, and the store is
/// dropped with it.
///
/// # Examples
///
/// A table of Pods and their nodes:
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::collections::BTreeMap;
/// use std::sync::Arc;
///
/// # use informer_runtime::shared_informer::{WriteThroughStore, StoreBatch};
/// # use informer_runtime::status::StoreError;
/// use informer::{ObjectKey, SharedInformer};
/// use k8s_openapi::api::core::v1::Pod;
/// use parking_lot::RwLock;
/// # use informer_runtime::source::ListerWatcher;
///
/// struct Nodes(Arc<RwLock<BTreeMap<ObjectKey, String>>>);
///
/// impl WriteThroughStore<Arc<Pod>> for Nodes {
///     async fn apply(&mut self, batch: &StoreBatch<Arc<Pod>>) -> Result<(), StoreError> {
///         let mut nodes = self.0.write();
///         if batch.is_replace() {
///             nodes.clear();
///         }
///         for change in batch.changes() {
///             let pod = change.after().map(|entry| &entry.handle);
///             match pod.and_then(|pod| pod.spec.as_ref()?.node_name.clone()) {
///                 Some(node) => nodes.insert(change.key().clone(), node),
///                 None => nodes.remove(change.key()),
///             };
///         }
///         Ok(())
///     }
/// }
///
/// # fn doc(source: impl ListerWatcher) -> Result<(), Box<dyn std::error::Error>> {
/// let nodes = Arc::new(RwLock::new(BTreeMap::new()));
/// let written = Arc::clone(&nodes);
/// let pods = SharedInformer::<Pod>::builder(source)
///     .store(move || Nodes(Arc::clone(&written)))
///     .build()?;
/// # Ok(())
/// # }
/// ```
pub trait WriteThroughStore<H: Handle>: Send + 'static {
    /// Stores a batch. To readers of the store, the batch must appear completely or not at all.
    ///
    /// Repeating a batch, or the rest of a batch that failed halfway, must be harmless. This holds
    /// if adds and updates are both written as "insert or replace".
    ///
    /// # Errors
    ///
    /// An error means that the batch is not stored; the informer repeats it. The error is logged
    /// and is part of the informer's status, so it must not contain the content of objects.
    fn apply(
        &mut self,
        batch: &StoreBatch<H>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Changes of the cache in one transaction, or since the last batch that the store accepted.
pub struct StoreBatch<H> {
    since: Snapshot<H>,
    snapshot: Snapshot<H>,
    is_replace: bool,
}

/// [`StoreBatch`] with an erased type of handles.
pub(crate) struct States {
    pub(super) since: Arc<State>,
    pub(super) snapshot: Arc<State>,
    pub(super) is_replace: bool,
}

/// [`WriteThroughStore`] with an erased type of handles.
pub(crate) trait DynStore: Send {
    fn apply(&mut self, batch: States) -> BoxFuture<'_, Result<(), StoreError>>;
}

/// Store of handles `H`.
struct OfHandles<H, T> {
    store: T,
    handles: PhantomData<fn(H)>,
}

/// Function that creates a user's store. Called by the informer's own task, without a lock.
pub(crate) type MakeStore = Arc<dyn Fn() -> Box<dyn DynStore> + Send + Sync>;

/// Erases the type of the stores that `make` creates.
pub(crate) fn make_store<H: Handle, T: WriteThroughStore<H>>(
    make: impl Fn() -> T + Send + Sync + 'static,
) -> MakeStore {
    Arc::new(move || {
        Box::new(OfHandles {
            store: make(),
            handles: PhantomData,
        })
    })
}

// === impl StoreBatch ===

impl<H: Handle> StoreBatch<H> {
    /// Reports whether the store's content must become exactly this batch's adds. This is so for an
    /// informer's first batch and for the first batch after a panic. client-go's counterpart is
    /// `Replace`.
    ///
    /// A relist is delivered as its differences, deletions included, and is no such batch.
    #[must_use]
    pub fn is_replace(&self) -> bool {
        self.is_replace
    }

    /// Returns the changes, ordered by key, each object once. May be empty, because bookmarks
    /// change only the resourceVersion.
    pub fn changes(&self) -> impl Iterator<Item = Change<'_, H>> {
        self.snapshot.changes_since(&self.since)
    }

    /// Returns the resourceVersion that the store reflects with this batch. client-go's counterpart
    /// is `Store.Bookmark`.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        self.snapshot.resource_version()
    }

    /// Reports whether the store holds a complete list with this batch. With
    /// [`Order::Global`](crate::delta_fifo::Order::Global) this is so from the first batch on.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.snapshot.is_synced()
    }

    /// Returns the cache after the batch, including indices and undecodable objects.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot<H> {
        &self.snapshot
    }
}

impl<H: Handle> fmt::Debug for StoreBatch<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreBatch")
            .field("is_replace", &self.is_replace)
            .field("snapshot", &self.snapshot)
            .finish_non_exhaustive()
    }
}

// === impl DynStore ===

impl<H: Handle, T: WriteThroughStore<H>> DynStore for OfHandles<H, T> {
    fn apply(&mut self, batch: States) -> BoxFuture<'_, Result<(), StoreError>> {
        let batch = StoreBatch {
            since: Snapshot::new(batch.since),
            snapshot: Snapshot::new(batch.snapshot),
            is_replace: batch.is_replace,
        };
        // The call is inside the future, because it may panic before it returns one.
        async move { self.store.apply(&batch).await }.boxed()
    }
}

//! [`WriteThroughStore`]: a user's store that the informer keeps equal to its cache.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use crate::base::chain::Chain;
use crate::base::panic::{Panicked, catch_async};
use crate::indexer::{Change, Snapshot, State, Store};
use crate::object::Scope;
use crate::reflector::{Backoff, ExponentialBackoff};
use crate::status::{Metrics, StatusCell, StoreError, StoreFailure};

/// Time after which a batch that is not stored yet is logged. The interval doubles with each log
/// line.
const SLOW_STORE: Duration = Duration::from_secs(10);

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
///   [`wait_for_sync`](crate::GenericInformer::wait_for_sync) returns: a handler that reads the
///   store sees the state of its event, or a newer state.
/// - It misses no change. A failed batch is repeated, and no later batch comes before it.
///
/// To keep only keys, versions and small objects in memory, and the objects' contents elsewhere (on
/// disk, compressed, outside the process), implement [`Storage`](crate::Storage): it defines the
/// stored form of an object, which is `T` here. Both can be combined.
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
/// impl WriteThroughStore<Pod> for Nodes {
///     async fn apply(&mut self, batch: &StoreBatch<Pod>) -> Result<(), StoreError> {
///         let mut nodes = self.0.write();
///         if batch.is_replace() {
///             nodes.clear();
///         }
///         for change in batch.changes() {
///             match change.after().and_then(|pod| pod.spec.as_ref()?.node_name.clone()) {
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
pub trait WriteThroughStore<T: Send + Sync + 'static>: Send + 'static {
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
        batch: &StoreBatch<T>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Changes of the cache in one transaction, or since the last batch that the store accepted.
#[derive(Debug)]
pub struct StoreBatch<T> {
    since: Snapshot<T>,
    snapshot: Snapshot<T>,
    is_replace: bool,
}

/// [`WriteThroughStore`] with an erased type of objects.
pub(crate) trait DynStore: Send {
    /// Writes the changes since a snapshot; all of `snapshot` if there is none.
    fn apply(
        &mut self,
        since: Option<Arc<State>>,
        snapshot: Arc<State>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;
}

/// Function that creates a user's store. Called by the informer's own task, without a lock.
pub(crate) type MakeStore = Arc<dyn Fn() -> Box<dyn DynStore> + Send + Sync>;

/// Erases the type of the stores that `make` creates.
pub(crate) fn make_store<T: Send + Sync + 'static, W: WriteThroughStore<T>>(
    make: impl Fn() -> W + Send + Sync + 'static,
) -> MakeStore {
    Arc::new(move || Box::new((make(), PhantomData::<fn(T)>)))
}

/// User's store, and the last snapshot that it accepted.
///
/// The difference between two snapshots replaces a write log, so the cost of a store that lags
/// behind is bounded by the number of differing objects.
pub(crate) struct Mirror {
    make: MakeStore,
    /// Created when there is a first batch to write.
    store: Option<Box<dyn DynStore>>,
    /// Last snapshot that the store accepted; `None` if the store's content is unknown.
    taken: Option<Arc<State>>,
    backoff: ExponentialBackoff,
}

// === impl StoreBatch ===

impl<T: Send + Sync + 'static> StoreBatch<T> {
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
    pub fn changes(&self) -> impl Iterator<Item = Change<'_, T>> {
        self.snapshot.changes_since(&self.since)
    }

    /// Returns the cache after the batch, with its resourceVersion, indices and undecodable objects.
    ///
    /// A snapshot that has not synced is a part of the first list
    /// ([`Order::PerKey`](crate::delta_fifo::Order::PerKey)).
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot<T> {
        &self.snapshot
    }
}

// === impl DynStore ===

impl<T: Send + Sync + 'static, W: WriteThroughStore<T>> DynStore for (W, PhantomData<fn(T)>) {
    fn apply(
        &mut self,
        since: Option<Arc<State>>,
        snapshot: Arc<State>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let is_replace = since.is_none();
        let since = since.unwrap_or_else(|| Store::of::<T>(Scope::Namespaced).state());
        let batch = StoreBatch {
            since: Snapshot::new(since),
            snapshot: Snapshot::new(snapshot),
            is_replace,
        };
        // The call is inside the future, because it may panic before it returns one.
        async move { self.0.apply(&batch).await }.boxed()
    }
}

// === impl Mirror ===

impl Mirror {
    pub(crate) fn new(make: MakeStore) -> Self {
        Self {
            make,
            store: None,
            taken: None,
            backoff: ExponentialBackoff::default(),
        }
    }

    /// Returns when the store reflects `snapshot`.
    pub(super) async fn follow(
        &mut self,
        snapshot: &Arc<State>,
        informer: &str,
        status: &StatusCell,
        metrics: &Metrics,
    ) {
        let mut attempts = 0_u32;
        while let Err(failure) = self.apply(snapshot, informer).await {
            attempts += 1;
            metrics.store_failures.increment();
            if matches!(failure, StoreFailure::Panicked) {
                self.taken = None;
            }
            // The delay between two attempts bounds the rate of this log line.
            let error = Chain(&failure).to_string();
            warn!(
                informer,
                error, attempts, "store failed; the informer waits and retries"
            );
            status.store_failed(Some(Arc::new(failure)));
            sleep(self.backoff.next_delay()).await;
        }
        if attempts > 0 {
            info!(informer, attempts, "store recovered");
            status.store_failed(None);
            self.backoff.reset();
        }
        self.taken = Some(Arc::clone(snapshot));
    }

    async fn apply(&mut self, snapshot: &Arc<State>, informer: &str) -> Result<(), StoreFailure> {
        let applied = catch_async(async {
            let store = self.store.get_or_insert_with(|| (self.make)());
            store.apply(self.taken.clone(), Arc::clone(snapshot)).await
        });
        let mut applied = pin!(applied);
        let mut patience = SLOW_STORE;
        let mut waited = Duration::ZERO;
        let applied = loop {
            if let Ok(applied) = timeout(patience, &mut applied).await {
                break applied;
            }
            waited += patience;
            patience = waited;
            let seconds = waited.as_secs();
            warn!(
                informer,
                seconds, "store has not finished a batch yet; the informer waits"
            );
        };
        match applied {
            Ok(applied) => applied.map_err(StoreFailure::Failed),
            Err(Panicked) => Err(StoreFailure::Panicked),
        }
    }
}

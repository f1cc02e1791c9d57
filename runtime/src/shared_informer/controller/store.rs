//! [`WriteThroughStore`]: a store of the user's that is kept as the informer's cache is.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::indexer::{Change, Snapshot};
use crate::object::ResourceVersion;
use crate::processor::Handle;
use crate::status::StoreError;

/// A store of one's own, which the informer keeps equal to its cache: a database, a search index,
/// columns in memory.
///
/// Given to [`SharedInformerBuilder::store`](crate::shared_informer::SharedInformerBuilder::store).
/// Listers and indices read the informer's cache as ever, from which O(1) snapshots come; whoever
/// reads this store reads it in its own way. For following changes loosely a handler is enough. A
/// store is for those who need what a cache promises:
///
/// - It gets every transaction of the cache as one [`StoreBatch`], in order, so that it can be
///   written as one transaction too.
/// - It is written before handlers are told and before
///   [`wait_for_sync`](crate::SharedInformer::wait_for_sync) returns: a handler that reads it sees the
///   state that it is told of, or a newer one.
/// - It misses nothing. What it fails to take is given to it again, and nothing after it before that.
///
/// To keep the objects' contents elsewhere (on disk, compressed, outside the process), and in
/// memory but keys, versions and small handles, implement [`Storage`](crate::Storage): it decides
/// what a handle is, and `H` is that handle. The two go together.
///
/// client-go's counterpart is the `Indexer` of a `SharedIndexInformer`, which cannot be replaced.
///
/// # Errors and panics
///
/// A batch is given again after an error, with the reflector's default delays (0.8 s, doubled, up to
/// 30 s, each lengthened by chance) and for as long as it fails. Until then the informer waits:
/// handlers, listers and in the end the socket, so that nothing is lost and memory stays bounded.
/// The failure is logged, counted
/// ([`InformerMetrics::store_failures`](crate::InformerMetrics::store_failures)), and is in
/// [`InformerStatus::store_failure`](crate::InformerStatus::store_failure). An object that can never
/// be stored must therefore not be an error: skip it. A call that never ends holds up the informer
/// too, which is logged after 10 s, 20 s, 40 s and so on: give it a deadline.
///
/// After a panic the next batch is a whole one ([`StoreBatch::is_replace`]), because nobody knows
/// what the store holds then.
///
/// # Cancel safety
///
/// When the informer stops, a call is dropped at its next `.await`, and the store with it.
///
/// # Examples
///
/// A table of which Pod is on which node:
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
    /// Takes a batch, whole or not at all as far as others see it.
    ///
    /// Writing the same batch again, or the rest of one that failed halfway, must do no harm; it
    /// does none where adds and updates are both written as "insert or replace".
    ///
    /// # Errors
    ///
    /// The batch is not stored, and will come again. The error is logged and is in the informer's
    /// status: leave the content of objects out of it.
    fn apply(
        &mut self,
        batch: &StoreBatch<H>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// What happened to the cache in one transaction, or since the last batch that was taken.
pub struct StoreBatch<H> {
    pub(super) since: Snapshot<H>,
    pub(super) snapshot: Snapshot<H>,
    pub(super) is_replace: bool,
}

/// A [`WriteThroughStore`] of which only the handle is known.
pub(crate) trait DynStore<H>: Send {
    fn apply<'a>(&'a mut self, batch: &'a StoreBatch<H>) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// Makes a user's store, for an informer that runs: by its own task and under no lock.
pub(crate) type MakeStore<H> = Arc<dyn Fn() -> Box<dyn DynStore<H>> + Send + Sync>;

/// Forgets the type of the stores that `make` makes.
pub(crate) fn make_store<H: Handle, T: WriteThroughStore<H>>(
    make: impl Fn() -> T + Send + Sync + 'static,
) -> MakeStore<H> {
    Arc::new(move || Box::new(make()))
}

// === impl StoreBatch ===

impl<H: Handle> StoreBatch<H> {
    /// The store shall hold what is added here and nothing else: the first batch of an informer, and
    /// the first after a panic. client-go's counterpart is `Replace`.
    ///
    /// A later list is told by its difference, deletions included, and is not such a batch.
    #[must_use]
    pub fn is_replace(&self) -> bool {
        self.is_replace
    }

    /// What has changed, ordered by key, each object once. May be empty: bookmarks change the
    /// resourceVersion only.
    pub fn changes(&self) -> impl Iterator<Item = Change<'_, H>> {
        self.snapshot.changes_since(&self.since)
    }

    /// What the store reflects with this batch. client-go's counterpart is `Store.Bookmark`.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        self.snapshot.resource_version()
    }

    /// Whether the store holds a whole list with this batch. With
    /// [`Order::Global`](crate::delta_fifo::Order::Global) the first batch already does.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.snapshot.is_synced()
    }

    /// The cache after the batch, indices and undecodable objects included.
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

impl<H: Handle, S: WriteThroughStore<H>> DynStore<H> for S {
    fn apply<'a>(&'a mut self, batch: &'a StoreBatch<H>) -> BoxFuture<'a, Result<(), StoreError>> {
        // The call is inside: it may panic before it has made a future.
        async move { WriteThroughStore::apply(self, batch).await }.boxed()
    }
}

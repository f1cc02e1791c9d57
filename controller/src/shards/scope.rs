//! [`Scope`]: the slices whose objects the informers of this replica cache.
//!
//! ```text
//! ownership ── enter, leave ──► Scope ──► a source for each reflector ──► list and watch of the slices
//!                                 └─────► keeps: what the caches accept
//! ```
//!
//! # Invariants
//!
//! 1. The caches accept no object of a slice that has left, also if its event or list was on the way.
//! 2. A slice that leaves and enters again has another tenure, so that a list of the earlier tenure
//!    does not count for the later one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use tokio::sync::watch;
use tracing::{info, warn};

use super::slices::{ShardBy, Slices, hash};
use crate::base::sync::Mutex;
use crate::engine::Covers;
use crate::object::{self, ObjectKey, ResourceInfo, Uid};

/// Slices whose objects the informers of this replica cache. Clones share them.
#[derive(Clone)]
pub(crate) struct Scope {
    shared: Arc<Shared>,
}

struct Shared {
    by: ShardBy,
    count: u16,
    owned: watch::Sender<Tenures>,
    /// Number of the next tenure.
    next: AtomicU64,
    caches: Mutex<Vec<Weak<dyn Caches>>>,
    /// `true` if the API server has sent objects that a shard selector excludes.
    is_ignored: AtomicBool,
}

/// Cache of the objects of one source.
pub(super) trait Caches: Send + Sync {
    /// Completes when the cache and the mailboxes of its handlers have the slices of `entering` that
    /// do not leave meanwhile, or when the informer has stopped.
    fn enter(self: Arc<Self>, entering: Arc<Tenures>) -> BoxFuture<'static, ()>;

    /// Drops the objects of all slices that have left.
    fn leave(self: Arc<Self>) -> BoxFuture<'static, ()>;
}

/// Slices, each with a number of the time in which it is cached without interruption.
pub(super) type Tenures = BTreeMap<u16, u64>;

// === impl Scope ===

impl Scope {
    /// Creates a scope without slices, out of `count`.
    pub(crate) fn new(by: ShardBy, count: u16) -> Self {
        Self {
            shared: Arc::new(Shared {
                by,
                count: count.max(1),
                owned: watch::Sender::default(),
                next: AtomicU64::new(1),
                caches: Mutex::default(),
                is_ignored: AtomicBool::new(false),
            }),
        }
    }

    /// Returns the slices.
    pub(crate) fn owned(&self) -> Slices {
        self.slices(&self.shared.owned.borrow())
    }

    /// Returns `true` if the API server ignores shard selectors, so that each informer receives all
    /// objects and drops those of other replicas undecoded.
    pub(crate) fn is_ignored(&self) -> bool {
        self.shared.is_ignored.load(Ordering::Relaxed)
    }

    /// Adds slices. Completes when all informers of the scope have listed them, and have put the
    /// objects into their caches and into the mailboxes of their handlers.
    ///
    /// Informers that do not run are not awaited: their first lists contain the slices. An informer
    /// whose lists fail is awaited until it is stopped, or until the slices leave.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the slices enter nevertheless.
    pub(crate) fn enter(&self, slices: &Slices) -> impl Future<Output = ()> + Send + use<> {
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let mut entering = Tenures::new();
        self.shared.owned.send_modify(|owned| {
            for slice in slices.iter() {
                entering.insert(slice, *owned.entry(slice).or_insert(number));
            }
        });
        let entering = Arc::new(entering);
        let caches = self.caches().into_iter();
        let entered = caches.map(|cache| cache.enter(Arc::clone(&entering)));
        join_all(entered).map(drop)
    }

    /// Removes slices. Completes when the caches have dropped their objects, and the deletions are in
    /// the mailboxes of the handlers.
    ///
    /// # Cancel safety
    ///
    /// The caches accept no object of the slices from this call on. If the future is dropped, they
    /// may keep the objects that they have.
    pub(crate) fn leave(&self, slices: &Slices) -> impl Future<Output = ()> + Send + use<> {
        self.shared
            .owned
            .send_modify(|owned| owned.retain(|slice, _| !slices.contains(*slice)));
        join_all(self.caches().into_iter().map(Caches::leave)).map(drop)
    }

    fn caches(&self) -> Vec<Arc<dyn Caches>> {
        let mut caches = self.shared.caches.lock();
        caches.retain(|cache| cache.strong_count() > 0);
        caches.iter().filter_map(Weak::upgrade).collect()
    }

    /// Adds a cache, which follows the scope until it is dropped.
    pub(super) fn add(&self, cache: Weak<dyn Caches>) {
        self.shared.caches.lock().push(cache);
    }

    pub(super) fn tenures(&self) -> watch::Receiver<Tenures> {
        self.shared.owned.subscribe()
    }

    pub(super) fn slices(&self, tenures: &Tenures) -> Slices {
        Slices::of(self.shared.count, tenures.keys().copied())
    }

    /// Returns the slice of an object; `None` if it has no uid and goes by it.
    pub(super) fn slice_of(&self, by: ShardBy, key: &ObjectKey, uid: Option<&Uid>) -> Option<u16> {
        let hash = match (by, key.namespace()) {
            (ShardBy::Namespace, Some(namespace)) => hash(namespace),
            (ShardBy::Namespace | ShardBy::Uid, _) => hash(&uid?.to_string()),
        };
        Some(Slices::none(self.shared.count).slice_of(hash))
    }

    /// Returns the condition that the slice of an object meets `condition`.
    pub(super) fn covers(
        &self,
        by: ShardBy,
        condition: impl Fn(u16) -> bool + Send + Sync + 'static,
    ) -> Covers {
        let scope = self.clone();
        Arc::new(move |key, uid| scope.slice_of(by, key, uid).is_some_and(&condition))
    }

    /// Returns the rule for the objects of a resource.
    pub(super) fn by(&self, resource: &ResourceInfo) -> ShardBy {
        self.by_scope(resource.scope == object::Scope::Namespaced)
    }

    /// Returns the rule for namespaced objects, or for cluster-scoped ones.
    pub(super) fn by_scope(&self, is_namespaced: bool) -> ShardBy {
        self.shared.by.of_scope(is_namespaced)
    }

    /// Notes whether the API server applies shard selectors.
    pub(super) fn note_ignored(&self, is_ignored: bool) {
        let before = self.shared.is_ignored.swap(is_ignored, Ordering::Relaxed);
        match (before, is_ignored) {
            (false, true) => warn!(
                "the API server ignores shard selectors, and sends all objects to each replica: \
                 enable its feature gate ShardedListAndWatch"
            ),
            (true, false) => info!("the API server applies shard selectors"),
            (true, true) | (false, false) => {}
        }
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("by", &self.shared.by)
            .field("owned", &self.owned())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! [`CachedSlices`]: the slices whose objects the informers of this replica cache.
//!
//! ```text
//! ownership ── enter, leave ──► CachedSlices ──► a ShardedPart for each reflector ──► list and watch
//!                                    └─────────► coverage: the objects that the caches accept
//! ```
//!
//! # Invariants
//!
//! 1. The caches accept no object of a slice that has left, also if its event or list was on the way.
//! 2. A slice that leaves and enters again has another tenure, so that a list of the earlier tenure
//!    does not count for the later one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use futures::FutureExt as _;
use futures::future::join_all;
use informer_runtime::engine::{Coverage, PartWriter};
use informer_runtime::object;
use informer_runtime::source::ListerWatcher;
use informer_runtime::{ObjectKey, ResourceInfo, ResourceVersion, Uid};
use tokio::sync::watch;
use tracing::warn;

use super::slices::{ShardBy, hash, slice_of};
use crate::base::sync::Mutex;

/// Slices whose objects the informers of this replica cache.
pub(crate) struct CachedSlices {
    by: ShardBy,
    /// Number of slices of all replicas.
    count: u16,
    owned: watch::Sender<Tenures>,
    /// Number of the next tenure.
    next: AtomicU64,
    parts: Mutex<Vec<Weak<ShardedPart>>>,
    /// `true` if the API server has sent objects that a shard selector excludes.
    is_ignored: AtomicBool,
}

/// Slices, each with a number of the time in which it is cached without interruption.
pub(super) type Tenures = BTreeMap<u16, u64>;

/// Part of one reflector's objects that its store has.
pub(super) struct ShardedPart {
    pub(super) cached: Arc<CachedSlices>,
    by: ShardBy,
    /// Source of all objects.
    pub(super) inner: Arc<dyn ListerWatcher>,
    /// Way into the store; `None` before the informer runs.
    pub(super) writer: Mutex<Option<Arc<dyn PartWriter>>>,
    pub(super) state: watch::Sender<PartState>,
}

#[derive(Debug, Default)]
pub(super) struct PartState {
    /// Slices of the list that is being made.
    pub(super) listing: Tenures,
    pub(super) held: BTreeMap<u16, HeldSlice>,
}

/// Slice of which the store had a list, and whose events the watch returns.
#[derive(Debug)]
pub(super) struct HeldSlice {
    pub(super) tenure: u64,
    /// Version up to which the store reflects the slice, whatever the watch sends.
    pub(super) reflects: ResourceVersion,
}

// === impl CachedSlices ===

impl CachedSlices {
    /// Creates an empty set of slices, out of `count`.
    pub(crate) fn new(by: ShardBy, count: u16) -> Arc<Self> {
        Arc::new(Self {
            by,
            count,
            owned: watch::Sender::default(),
            next: AtomicU64::new(1),
            parts: Mutex::default(),
            is_ignored: AtomicBool::new(false),
        })
    }

    /// Returns `true` if the API server ignores shard selectors, so that each informer receives all
    /// objects and drops those of other replicas undecoded.
    pub(crate) fn is_ignored(&self) -> bool {
        self.is_ignored.load(Ordering::Relaxed)
    }

    /// Adds slices. Completes when all informers have listed them, and have put the
    /// objects into their caches.
    ///
    /// Informers that do not run are not awaited: their first lists contain the slices. An informer
    /// whose lists fail is awaited until it is stopped, or until the slices leave.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the slices enter nevertheless.
    pub(crate) fn enter(&self, slices: &BTreeSet<u16>) -> impl Future<Output = ()> + Send + use<> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut entering = Tenures::new();
        self.owned.send_modify(|owned| {
            for slice in slices {
                entering.insert(*slice, *owned.entry(*slice).or_insert(number));
            }
        });
        let tenures = Arc::new(entering);
        let entered = self
            .parts()
            .into_iter()
            .map(move |part| part.has_entered(Arc::clone(&tenures)));
        join_all(entered).map(drop)
    }

    /// Returns the handlers that keep the caches from changing, because their mailboxes are
    /// full.
    pub(super) fn waits_for(&self) -> Vec<String> {
        self.parts()
            .into_iter()
            .filter_map(|part| part.writer()?.waits_for())
            .collect()
    }

    /// Removes slices. Completes when the caches have dropped their objects.
    ///
    /// # Cancel safety
    ///
    /// The caches accept no object of the slices from this call on. If the future is dropped, they
    /// may keep the objects that they have.
    pub(crate) fn leave(&self, slices: &BTreeSet<u16>) -> impl Future<Output = ()> + Send + use<> {
        self.owned.send_modify(|owned| {
            owned.retain(|slice, _| !slices.contains(slice));
        });
        let left = self.parts().into_iter().map(ShardedPart::has_left);
        join_all(left).map(drop)
    }

    fn parts(&self) -> Vec<Arc<ShardedPart>> {
        let mut parts = self.parts.lock();
        parts.retain(|part| part.strong_count() > 0);
        parts.iter().filter_map(Weak::upgrade).collect()
    }

    /// Adds the part of a source. It follows the slices until it is dropped.
    pub(super) fn add(
        self: &Arc<Self>,
        resource: &ResourceInfo,
        inner: Arc<dyn ListerWatcher>,
    ) -> Arc<ShardedPart> {
        let is_namespaced = resource.scope == object::Scope::Namespaced;
        let part = Arc::new(ShardedPart {
            cached: Arc::clone(self),
            by: if is_namespaced { self.by } else { ShardBy::Uid },
            inner,
            writer: Mutex::default(),
            state: watch::Sender::default(),
        });
        self.parts.lock().push(Arc::downgrade(&part));
        part
    }

    pub(super) fn tenures(&self) -> watch::Receiver<Tenures> {
        self.owned.subscribe()
    }

    /// Returns the slice of an object; `None` if it has no uid and goes by it.
    pub(super) fn slice_of(&self, key: &ObjectKey, uid: Option<&Uid>) -> Option<u16> {
        let hashed = match (self.by, key.namespace()) {
            (ShardBy::Namespace, Some(namespace)) => hash(namespace),
            (ShardBy::Namespace | ShardBy::Uid, _) => {
                let text = uid?.to_string();
                hash(&text)
            }
        };
        Some(slice_of(hashed, self.count))
    }

    /// Returns the part of the objects whose slices meet `condition`.
    pub(super) fn coverage(
        self: &Arc<Self>,
        condition: impl Fn(u16) -> bool + Send + Sync + 'static,
    ) -> Coverage {
        let slices = Arc::clone(self);
        Coverage::part(move |key, uid| slices.slice_of(key, uid).is_some_and(&condition))
    }

    /// Notes whether the API server applies shard selectors.
    pub(super) fn note_ignored(&self, is_ignored: bool) {
        let before = self.is_ignored.swap(is_ignored, Ordering::Relaxed);
        if is_ignored && !before {
            warn!(
                "the API server ignores shard selectors, and sends all objects to each replica: \
                 enable its feature gate ShardedListAndWatch"
            );
        }
    }
}

// === impl ShardedPart ===

impl ShardedPart {
    /// Completes when the store has the slices of `entering` that do not leave meanwhile, or when the
    /// informer has stopped.
    async fn has_entered(self: Arc<Self>, entering: Arc<Tenures>) {
        let Some(writer) = self.writer() else { return };
        let mut state = self.state.subscribe();
        let mut owned = self.cached.tenures();
        let is_awaited = |slice: &u16, tenure: &u64| {
            self.cached.tenures().borrow().get(slice) == Some(tenure)
                && !self.state.borrow().holds(*slice, *tenure)
        };
        while entering
            .iter()
            .any(|(slice, tenure)| is_awaited(slice, tenure))
        {
            tokio::select! {
                _ = state.changed() => {}
                _ = owned.changed() => {}
                () = writer.stopped() => return,
            }
        }
        // Removes nothing, and completes after all that was queued before.
        writer.remove(Coverage::part(|_, _| false)).await;
    }

    /// Drops the objects of all slices that have left.
    async fn has_left(self: Arc<Self>) {
        let Some(writer) = self.writer() else { return };
        let owned = self.cached.tenures();
        let is_foreign = move |slice| !owned.borrow().contains_key(&slice);
        writer.remove(self.cached.coverage(is_foreign)).await;
    }

    /// Returns the selector of slices.
    pub(super) fn selector(&self, slices: &Tenures) -> String {
        self.by.selector(slices.keys().copied(), self.cached.count)
    }

    pub(super) fn writer(&self) -> Option<Arc<dyn PartWriter>> {
        self.writer.lock().clone()
    }
}

// === impl PartState ===

impl PartState {
    pub(super) fn holds(&self, slice: u16, tenure: u64) -> bool {
        let held = self.held.get(&slice);
        held.is_some_and(|held| held.tenure == tenure)
    }
}

#[cfg(test)]
mod tests;

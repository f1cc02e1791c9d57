//! [`Store`]: the states of a store, whatever the type of its objects.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::AddIndexError;
use super::index::AnyIndex;
use super::retained::Retained;
use super::state::State;
use super::transaction::{Transaction, assert_accepts};
use crate::base::sync::{ArcSwap, Mutex, Notify, wait_for};
use crate::object::{KeyLookup, ResourceVersion, Scope};
use crate::storage::Entry;

/// Maximum number of past states that the writer keeps, so that the writer frees them and not their
/// last reader.
///
/// Beyond this number the writer drops the oldest state, and its last reader frees it.
const MAX_RETIRED: usize = 8;

/// Part of an [`Indexer`](super::Indexer) that does not depend on the type of its objects. A clone
/// refers to the same store.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    /// Returns `true` for entries of the store's type.
    accepts: fn(&Entry) -> bool,
    /// State that readers see; replaced as a whole.
    current: ArcSwap<State>,
    /// Held by the writer, from reading `current` to replacing it.
    writer: Mutex<Retired>,
    /// Signals that `current` was replaced. Carries no data, so no data can be missed or reordered.
    changed: Notify,
    /// Signals that an index lacks an object because its body was evicted.
    lacking: Notify,
}

/// Past states that readers still held when they were replaced.
struct Retired(Vec<Arc<State>>);

// === impl Store ===

impl Store {
    /// Creates an empty store of objects of type `T`.
    pub(crate) fn of<T: 'static>(scope: Scope) -> Self {
        Self::new::<T>(scope, None, &[])
    }

    /// Creates an empty store of objects of type `T`. It keeps objects for a period after their
    /// deletion, and has a version for each of these namespaces.
    pub(crate) fn new<T: 'static>(
        scope: Scope,
        retain: Option<Duration>,
        namespaces: &[Arc<str>],
    ) -> Self {
        let unset = |namespace: &Arc<str>| (Arc::clone(namespace), ResourceVersion::UNSET);
        let empty = State {
            retained: retain.map(Retained::new),
            versions: namespaces.iter().map(unset).collect(),
            ..State::new(scope)
        };
        Self {
            shared: Arc::new(Shared {
                accepts: |entry| entry.object.is::<T>(),
                current: ArcSwap::from_pointee(empty),
                writer: Mutex::new(Retired(Vec::new())),
                changed: Notify::new(),
                lacking: Notify::new(),
            }),
        }
    }

    /// Returns the current state, in O(1) and without a lock.
    pub(crate) fn state(&self) -> Arc<State> {
        self.shared.current.load_full()
    }

    /// Returns the time at which the next deleted object expires.
    pub(crate) fn expires(&self) -> Option<Instant> {
        self.shared.current.load().retained.as_ref()?.expires()
    }

    /// Returns the scope of the objects.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.shared.current.load().scope
    }

    /// Calls `read` with the entry of a key. Holds no lock meanwhile: a writer replaces the state,
    /// and the state that is read is freed later.
    pub(super) fn with<Q: KeyLookup + ?Sized, R>(
        &self,
        key: &Q,
        read: impl FnOnce(&Arc<Entry>) -> R,
    ) -> Option<R> {
        self.shared.current.load().get(key).map(read)
    }

    /// Runs a transaction. Readers see all of its writes or none, and the generation increases by
    /// one. A transaction that changes nothing is not published.
    ///
    /// Transactions wait for each other; readers never wait. Replaced objects are freed after the lock
    /// is released, by the writer unless readers hold very old snapshots.
    ///
    /// # Panics
    ///
    /// Panics only if `f` panics. The transaction is then discarded and the store stays usable. A
    /// transaction inside a transaction of the same store deadlocks.
    pub fn transaction<R>(&self, f: impl FnOnce(&mut Transaction) -> R) -> R {
        // Declared before the lock is taken, so it is dropped after the lock is released.
        let mut garbage = Vec::new();
        let (result, lacks) = {
            let mut retired = self.shared.writer.lock();
            let mut writer = Transaction::new(
                State::clone(&self.shared.current.load()),
                self.shared.accepts,
            );
            let result = f(&mut writer);
            let Some(state) = writer.finish() else {
                return result;
            };
            let lacked = state.lacked();
            let old = self.shared.current.swap(Arc::new(state));
            let lacks = lacked > old.lacked();
            retired.replace(old, &mut garbage);
            (result, lacks)
        };
        self.shared.changed.notify_waiters();
        if lacks {
            self.shared.lacking.notify_waiters();
        }
        drop(garbage);
        result
    }

    /// Panics if the store has objects of another type.
    pub(super) fn assert_accepts(&self, entry: &Entry) {
        assert_accepts(self.shared.accepts, entry);
    }

    /// Runs a transaction that inserts objects. `compute` computes the values of their indices first,
    /// without the lock, and once more if another index was added before the lock was taken.
    ///
    /// # Panics
    ///
    /// Panics only if `f` panics, as [`transaction`](Self::transaction) does.
    pub(crate) fn write<I, R>(
        &self,
        inserts: I,
        compute: impl Fn(&mut I, &State),
        f: impl FnOnce(&mut Transaction, I) -> R,
    ) -> R {
        let mut pending = Some((inserts, f));
        loop {
            // Not held in the transaction, after which the writer frees old states.
            let state = self.state();
            if let Some((inserts, _)) = &mut pending {
                compute(inserts, &state);
            }
            let computed = state.indices.len();
            drop(state);
            let written = self.transaction(|writer| {
                if writer.indices.len() > computed {
                    return None;
                }
                let (inserts, f) = pending.take()?;
                Some(f(writer, inserts))
            });
            if let Some(written) = written {
                return written;
            }
        }
    }

    /// Adds an index, which contains all objects when this function returns, and returns its
    /// position.
    ///
    /// Calls the index function without the lock: for all objects, then for those that were written
    /// meanwhile, until none was.
    pub(super) fn add_boxed(&self, index: Box<dyn AnyIndex>) -> Result<usize, AddIndexError> {
        let mut seen = Arc::new(State::new(self.scope()));
        let mut pending = Some(index);
        loop {
            let current = self.state();
            if let Some(index) = &mut pending {
                current.check_free(index.name())?;
                current.catch_up(&mut **index, &seen);
            }
            let position = self.transaction(|writer| {
                if writer.generation != current.generation {
                    return None;
                }
                Some(writer.push_index(pending.take()?))
            });
            if let Some(position) = position {
                return Ok(position);
            }
            seen = current;
        }
    }

    /// Waits until [`State::lacked`] exceeds a number.
    pub(crate) async fn lacks_more_than(&self, lacked: u64) {
        let check = || (self.state().lacked() > lacked).then_some(());
        wait_for(&self.shared.lacking, check).await;
    }

    /// Returns the address, which tells the store from all others while it exists.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.shared).addr()
    }

    /// Prints counts and versions, under the name of the type that contains the store.
    pub(super) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.current.load();
        f.debug_struct(name)
            .field("len", &state.objects.len())
            .field("resource_version", &state.resource_version)
            .field("generation", &state.generation)
            .finish_non_exhaustive()
    }

    /// Returns the signal that wakes waiters after each transaction that changed something.
    pub(super) fn changed(&self) -> &Notify {
        &self.shared.changed
    }

    /// Returns `true` while a transaction runs.
    #[cfg(test)]
    pub(super) fn is_locked(&self) -> bool {
        self.shared.writer.is_locked()
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as("Store", f)
    }
}

// === impl Retired ===

impl Retired {
    /// Adds a state that was replaced, and moves the states without readers to `garbage`.
    ///
    /// Only the writer clones or drops retired states. Besides it, only snapshots refer to a
    /// retired state, so a state that has no reader never gets one again.
    fn replace(&mut self, old: Arc<State>, garbage: &mut Vec<Arc<State>>) {
        self.0.push(old);
        let is_read = |state: &mut Arc<State>| Arc::strong_count(state) > 1;
        garbage.extend(self.0.extract_if(.., |state| !is_read(state)));
        if self.0.len() > MAX_RETIRED {
            garbage.push(self.0.remove(0));
        }
    }
}

//! [`ExpiringStore`]: values that are known for a while.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::object::ObjectKey;

/// A store whose values expire when they are older than a time to live, measured on tokio's clock.
///
/// A value expires once its age is greater than the time to live, which a time of zero never lets
/// happen. Adding again starts its age afresh. Nothing runs in the background: each call first drops
/// what has expired, so that no call ever sees it and memory holds at most what was added within
/// the time to live.
///
/// client-go's counterparts are `ExpirationCache` and `NewTTLStore`; its `ListKeys` still has
/// expired keys.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::time::Duration;
/// use informer::ObjectKey;
/// # use informer_runtime::consistency::ExpiringStore;
///
/// let expected = ExpiringStore::new(Duration::from_secs(300));
/// let key = ObjectKey::namespaced("default", "web");
/// expected.add(key.clone(), 3);
/// assert_eq!(expected.get(&key), Some(3));
/// assert_eq!(expected.delete(&key), Some(3));
/// assert!(expected.is_empty());
/// ```
pub struct ExpiringStore<V, Q = ObjectKey> {
    ttl: Duration,
    state: Mutex<State<V, Q>>,
}

/// When a value was added; the number keeps those of one time apart.
type Slot = (Instant, u64);

/// # Invariants
///
/// `values` and `by_age` hold the same keys.
struct State<V, Q> {
    values: BTreeMap<Q, (Slot, V)>,
    by_age: BTreeMap<Slot, Q>,
    next_number: u64,
}

// === impl ExpiringStore ===

impl<V: Clone, Q: Ord + Clone> ExpiringStore<V, Q> {
    /// An empty store whose values live for `ttl`; zero means for ever.
    #[must_use]
    pub fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            state: Mutex::new(State {
                values: BTreeMap::new(),
                by_age: BTreeMap::new(),
                next_number: 0,
            }),
        }
    }

    /// How long values live; zero means for ever.
    #[must_use]
    pub fn ttl(&self) -> Duration {
        self.ttl
    }

    /// Stores a value with an age of zero, and gives back the one that `key` had.
    pub fn add(&self, key: Q, value: V) -> Option<V> {
        self.with(|state, now| state.add(key, value, now))
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &Q) -> Option<V> {
        self.with(|state, _| state.values.get(key).map(|(_, value)| value.clone()))
    }

    /// Removes the value of `key`, and gives it back.
    pub fn delete(&self, key: &Q) -> Option<V> {
        self.with(|state, _| state.remove(key))
    }

    /// All values, ordered by key.
    #[must_use]
    pub fn list(&self) -> Vec<V> {
        self.with(|state, _| {
            state
                .values
                .values()
                .map(|(_, value)| value.clone())
                .collect()
        })
    }

    /// All keys, in order.
    #[must_use]
    pub fn keys(&self) -> Vec<Q> {
        self.with(|state, _| state.values.keys().cloned().collect())
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with(|state, _| state.values.len())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes `values` the whole contents, each with an age of zero.
    pub fn replace(&self, values: impl IntoIterator<Item = (Q, V)>) {
        let values: Vec<_> = values.into_iter().collect();
        let _replaced = self.with(|state, now| {
            state.by_age.clear();
            let replaced = std::mem::take(&mut state.values);
            let doubles: Vec<V> = values
                .into_iter()
                .filter_map(|(key, value)| state.add(key, value, now))
                .collect();
            (replaced, doubles)
        });
    }

    /// Runs `f` on what has not expired.
    fn with<R>(&self, f: impl FnOnce(&mut State<V, Q>, Instant) -> R) -> R {
        let now = Instant::now();
        // Declared before the lock is taken: values are dropped after it is released.
        let _expired;
        let mut state = self.state.lock();
        _expired = state.expire(self.ttl, now);
        f(&mut state, now)
    }
}

impl<V, Q> fmt::Debug for ExpiringStore<V, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpiringStore")
            .field("ttl", &self.ttl)
            .finish_non_exhaustive()
    }
}

// === impl State ===

impl<V, Q: Ord + Clone> State<V, Q> {
    fn add(&mut self, key: Q, value: V, now: Instant) -> Option<V> {
        let slot = (now, self.next_number);
        self.next_number += 1;
        self.by_age.insert(slot, key.clone());
        let (before, value) = self.values.insert(key, (slot, value))?;
        self.by_age.remove(&before);
        Some(value)
    }

    fn remove(&mut self, key: &Q) -> Option<V> {
        let (slot, value) = self.values.remove(key)?;
        self.by_age.remove(&slot);
        Some(value)
    }

    /// Takes out what is older than `ttl`.
    fn expire(&mut self, ttl: Duration, now: Instant) -> Vec<V> {
        let mut expired = Vec::new();
        if ttl.is_zero() {
            return expired;
        }
        while let Some(oldest) = self.by_age.first_entry() {
            let (added, _) = *oldest.key();
            if now.saturating_duration_since(added) <= ttl {
                break;
            }
            let key = oldest.remove();
            expired.extend(self.values.remove(&key).map(|(_, value)| value));
        }
        expired
    }
}

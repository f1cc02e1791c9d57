//! [`ExpiringStore`]: a store whose values expire.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::object::ObjectKey;

/// Store whose values expire after a time to live, measured with tokio's clock.
///
/// A value expires when its age exceeds the time to live; with a time to live of zero, values never
/// expire. Adding a value again resets its age. Each call first drops expired values, so no
/// background task is needed, and no call returns an expired value. Memory is bounded by the values
/// that were added within the time to live.
///
/// client-go's counterparts are `ExpirationCache` and `NewTTLStore`, whose `ListKeys` still returns
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

/// Time at which a value was added. The number distinguishes values that were added at the same
/// time.
type Slot = (Instant, u64);

/// State of an [`ExpiringStore`].
///
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
    /// Creates an empty store whose values expire after `ttl`. With zero, values never expire.
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

    /// Returns the time to live of values; zero if values never expire.
    #[must_use]
    pub fn ttl(&self) -> Duration {
        self.ttl
    }

    /// Stores a value with age zero, and returns the previous value of `key`.
    pub fn add(&self, key: Q, value: V) -> Option<V> {
        self.with(|state, now| state.add(key, value, now))
    }

    /// Returns the value of `key`.
    #[must_use]
    pub fn get(&self, key: &Q) -> Option<V> {
        self.with(|state, _| state.values.get(key).map(|(_, value)| value.clone()))
    }

    /// Removes and returns the value of `key`.
    pub fn delete(&self, key: &Q) -> Option<V> {
        self.with(|state, _| state.remove(key))
    }

    /// Returns all values, ordered by key.
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

    /// Returns all keys, in order.
    #[must_use]
    pub fn keys(&self) -> Vec<Q> {
        self.with(|state, _| state.values.keys().cloned().collect())
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with(|state, _| state.values.len())
    }

    /// Reports whether the store is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the entire content by `values`, each with age zero.
    pub fn replace(&self, values: impl IntoIterator<Item = (Q, V)>) {
        let values: Vec<_> = values.into_iter().collect();
        let _replaced = self.with(|state, now| {
            state.by_age.clear();
            let replaced = std::mem::take(&mut state.values);
            let duplicates: Vec<V> = values
                .into_iter()
                .filter_map(|(key, value)| state.add(key, value, now))
                .collect();
            (replaced, duplicates)
        });
    }

    /// Calls `f` after dropping expired values.
    fn with<R>(&self, f: impl FnOnce(&mut State<V, Q>, Instant) -> R) -> R {
        let now = Instant::now();
        // Declared before the lock is taken, so that values are dropped after its release.
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
        let (previous, value) = self.values.insert(key, (slot, value))?;
        self.by_age.remove(&previous);
        Some(value)
    }

    fn remove(&mut self, key: &Q) -> Option<V> {
        let (slot, value) = self.values.remove(key)?;
        self.by_age.remove(&slot);
        Some(value)
    }

    /// Removes and returns the values that are older than `ttl`.
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

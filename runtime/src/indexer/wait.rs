//! Waiting for a state of the store.

use std::cmp::Ordering;

use futures::{Stream, stream};

use super::{FreshnessError, Indexer, Snapshot};
use crate::base::sync::wait_for;
use crate::object::ResourceVersion;

impl<T: Send + Sync + 'static> Indexer<T> {
    /// Waits until `condition` holds for the current snapshot, and returns that snapshot.
    ///
    /// The condition is checked at once, and then after transactions. It may miss a state that is
    /// replaced immediately.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing. The future waits forever if the condition never holds:
    /// use a timeout.
    pub fn wait_until<F>(
        &self,
        mut condition: F,
    ) -> impl Future<Output = Snapshot<T>> + Send + 'static + use<T, F>
    where
        F: FnMut(&Snapshot<T>) -> bool + Send + 'static,
    {
        let indexer = self.clone();
        async move {
            let current = || Some(indexer.snapshot()).filter(|snapshot| condition(snapshot));
            wait_for(indexer.changed(), current).await
        }
    }

    /// Waits until reads of a namespace, or of the empty one for all, reflect `resource_version` or a
    /// later one, without a time limit; see
    /// [`SharedInformer::wait_for_resource_version`](crate::SharedInformer::wait_for_resource_version).
    ///
    /// Before the first list the store has no version, so the future waits. It also waits if the
    /// server went back to an older version (restored from a backup).
    pub(crate) fn wait_for_in(
        &self,
        namespace: &str,
        resource_version: &ResourceVersion,
    ) -> impl Future<Output = Result<Snapshot<T>, FreshnessError>> + Send + 'static + use<T> {
        let wanted = resource_version.clone();
        let namespace = namespace.to_owned();
        let decided = self.wait_until({
            let wanted = wanted.clone();
            let namespace = namespace.clone();
            move |snapshot| {
                let stored = snapshot.version_of(&namespace);
                reaches(stored, &wanted) != Some(false)
            }
        });
        async move {
            let snapshot = decided.await;
            let stored = snapshot.version_of(&namespace);
            if reaches(stored, &wanted).is_some() {
                return Ok(snapshot);
            }
            Err(FreshnessError::Incomparable {
                stored: stored.clone(),
                wanted,
            })
        }
    }

    /// Returns a stream with an item after each change of the versions that did not decode. Several
    /// changes can share one item.
    #[doc(hidden)]
    pub fn undecodable_changes(&self) -> impl Stream<Item = ()> + Send + use<T> {
        let seen = self.snapshot().undecodable.clone();
        stream::unfold((self.clone(), seen), |(indexer, seen)| async move {
            let has_changed = move |snapshot: &Snapshot<T>| !snapshot.undecodable.ptr_eq(&seen);
            let snapshot = indexer.wait_until(has_changed).await;
            Some(((), (indexer, snapshot.undecodable.clone())))
        })
    }
}

/// Returns `true` if `stored` is `wanted` or later; `None` if the versions cannot be compared.
#[must_use]
pub fn reaches(stored: &ResourceVersion, wanted: &ResourceVersion) -> Option<bool> {
    if stored == wanted && wanted.is_exact() {
        return Some(true);
    }
    // A version that is comparable with itself may be comparable with the next version of a store
    // that has none yet.
    let is_comparable = wanted.compare(wanted).is_some();
    if !stored.is_exact() && is_comparable {
        return Some(false);
    }
    stored.compare(wanted).map(Ordering::is_ge)
}

//! Waiting for a state of the store.

use std::cmp::Ordering;
use std::pin::pin;

use super::{Indexer, Snapshot, WaitError};
use crate::object::ResourceVersion;

impl<H: Clone + Send + Sync + 'static> Indexer<H> {
    /// Waits until `condition` holds for the current snapshot, and gives that snapshot.
    ///
    /// The condition is looked at once now and then after transactions; a state that is replaced
    /// at once may go unseen.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing. It waits for ever if the condition never holds: use a
    /// timeout.
    pub fn wait_until<F>(
        &self,
        mut condition: F,
    ) -> impl Future<Output = Snapshot<H>> + Send + 'static + use<H, F>
    where
        F: FnMut(&Snapshot<H>) -> bool + Send + 'static,
    {
        let indexer = self.clone();
        async move {
            loop {
                let mut changed = pin!(indexer.changed().notified());
                // Before the look at the state, or a change in between would wake nobody.
                changed.as_mut().enable();
                let snapshot = indexer.snapshot();
                if condition(&snapshot) {
                    return snapshot;
                }
                drop(snapshot);
                changed.await;
            }
        }
    }

    /// Waits until reads reflect `resource_version` or a later one, and gives the snapshot that
    /// does: read-your-writes, with the version that a write returned.
    ///
    /// Before the first list the store has no version, and is waited for. A store whose server
    /// went back in time (restored from a backup) is waited for too.
    ///
    /// # Errors
    ///
    /// The versions cannot be compared, now or when the store gets another: see
    /// [`ResourceVersion::compare`]. Equal ones always can, unless they are `""` or `"0"`, which name
    /// no state.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing. It waits for ever if the store never gets there: use a
    /// timeout.
    pub fn wait_for(
        &self,
        resource_version: &ResourceVersion,
    ) -> impl Future<Output = Result<Snapshot<H>, WaitError>> + Send + 'static + use<H> {
        let wanted = resource_version.clone();
        let decided = self.wait_until({
            let wanted = wanted.clone();
            move |snapshot| reaches(snapshot.resource_version(), &wanted) != Some(false)
        });
        async move {
            let snapshot = decided.await;
            let stored = snapshot.resource_version();
            if reaches(stored, &wanted).is_some() {
                return Ok(snapshot);
            }
            Err(WaitError {
                stored: stored.clone(),
                wanted,
            })
        }
    }
}

/// Whether `stored` is `wanted` or later; `None` if there is no telling.
fn reaches(stored: &ResourceVersion, wanted: &ResourceVersion) -> Option<bool> {
    if stored == wanted && wanted.is_exact() {
        return Some(true);
    }
    // What compares with itself may compare with the version that an empty store will get.
    let is_comparable = wanted.compare(wanted).is_some();
    if stored.is_unset() && is_comparable {
        return Some(false);
    }
    stored.compare(wanted).map(Ordering::is_ge)
}

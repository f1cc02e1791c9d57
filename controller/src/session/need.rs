//! [`Need`]: a write that a cache has to show.

use std::sync::Arc;
use std::time::Duration;

use informer_runtime::{Entry, Snapshot};

use super::cache::Cache;
use super::error::SessionError;
use super::notes::{Note, Sight};

/// Write that a cache has to show.
pub(super) struct Need {
    pub(super) number: u64,
    pub(super) note: Arc<Note>,
    pub(super) cache: Arc<Cache>,
    /// Number of answers of the server at the time of the look.
    pub(super) answers: u64,
}

// === impl Need ===

impl Need {
    pub(super) fn new(number: u64, note: &Arc<Note>, cache: &Arc<Cache>, answers: u64) -> Self {
        Self {
            number,
            note: Arc::clone(note),
            cache: Arc::clone(cache),
            answers,
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.cache.is_refused(&self.note.write.namespace)
    }

    /// Returns the condition that a snapshot of the cache shows the write, or never will.
    fn is_decided(&self) -> impl Fn(&Snapshot<Entry>) -> bool + Send + 'static {
        let note = Arc::clone(&self.note);
        let cache = Arc::clone(&self.cache);
        move |snapshot| cache.sight_in(snapshot, &note) != Sight::Missing
    }

    /// Waits until the cache shows the write, or until a
    /// [`ReferencedCache`](crate::relations::ReferencedCache) has released the cache, whose names other
    /// watches may follow.
    pub(super) async fn wait(&self) -> Result<(), SessionError> {
        let Self { note, cache, .. } = self;
        let informer = || Arc::from(cache.informer.name());
        let snapshot = tokio::select! {
            biased;
            snapshot = cache.store.wait_until(self.is_decided()) => snapshot,
            () = cache.informer.wait_until_stopped() => {
                if cache.names.is_some() {
                    return Ok(());
                }
                return Err(SessionError::Stopped { informer: informer() });
            }
        };
        match cache.sight_in(&snapshot, note) {
            Sight::Incomparable => Err(SessionError::Incomparable {
                write: Box::new(note.write.clone()),
                informer: informer(),
                stored: cache.version(&note.write.namespace),
            }),
            Sight::Seen | Sight::Clear | Sight::LeftOut | Sight::Unable | Sight::Missing => Ok(()),
        }
    }
}

/// Returns the error of a read without these writes.
pub(super) fn unseen(needs: &[Need], after: Duration) -> SessionError {
    let mut missing = Vec::new();
    for Need { note, cache, .. } in needs {
        let informer = cache.informer.name().into();
        let version = cache.version(&note.write.namespace);
        missing.push((note.write.clone(), informer, version));
    }
    SessionError::Unseen { after, missing }
}

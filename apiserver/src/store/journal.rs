//! Changes that are not yet in the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use super::object::Stored;

/// Changed objects by table name and key; `None` if the object was removed.
pub(crate) type Changed = BTreeMap<String, Option<Arc<Stored>>>;

/// Changes since the last write, with at most one entry for each object.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    changed: Changed,
    dirty: watch::Sender<()>,
}

// === impl Journal ===

impl Journal {
    pub(super) fn note(&mut self, table: &str, key: &str, now: Option<Arc<Stored>>) {
        self.changed.insert(format!("{table}/{key}"), now);
        self.dirty.send_replace(());
    }

    /// Removes and returns the pending changes.
    pub(crate) fn take(&mut self) -> Changed {
        std::mem::take(&mut self.changed)
    }

    /// Adds back changes that could not be written; newer changes of the same objects win.
    pub(crate) fn take_back(&mut self, changed: Changed) {
        for (key, object) in changed {
            self.changed.entry(key).or_insert(object);
        }
    }

    /// Returns a receiver that wakes when a change is pending.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.dirty.subscribe()
    }
}

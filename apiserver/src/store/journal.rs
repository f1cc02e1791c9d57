//! What is to be written to the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use super::object::Stored;

/// Objects by the name of their table and their key; nothing where one was removed.
pub(crate) type Changed = BTreeMap<String, Option<Arc<Stored>>>;

/// What has changed since it was last written. At most one entry for each object.
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

    /// Takes out what is to be written.
    pub(crate) fn take(&mut self) -> Changed {
        std::mem::take(&mut self.changed)
    }

    /// Takes back what could not be written; what has changed since is newer.
    pub(crate) fn take_back(&mut self, changed: Changed) {
        for (key, object) in changed {
            self.changed.entry(key).or_insert(object);
        }
    }

    /// Wakes when there is something to write.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.dirty.subscribe()
    }
}

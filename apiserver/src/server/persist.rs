//! The task that writes objects and versions to the file (feature `persist`).
//!
//! ```text
//! put, remove, rewind --note--> Journal --take (now and then)--> File::write, one transaction
//! File::read --restore--> State, before anybody is served
//! ```
//!
//! The state never waits for the disk: the journal has the newest version of what has changed, and
//! this task writes it. A crash loses the last moments, a shutdown loses nothing. The event log is not
//! kept: after a restart, versions before the last one have expired.

use std::sync::Arc;

use crate::shared::Shared;
use crate::store::file::File;
use crate::store::journal::Journal;

/// Writes what has changed, again and again, until the server is to end.
pub(crate) async fn keep(file: Arc<File>, shared: Arc<Shared>) {
    let dirty = shared
        .state()
        .store
        .journal
        .as_ref()
        .map(Journal::subscribe);
    let Some(mut dirty) = dirty else {
        return;
    };
    dirty.mark_changed();
    while !shared.shutdown.is_cancelled() {
        tokio::select! {
            () = shared.shutdown.cancelled() => {}
            _ = dirty.changed() => {}
        }
        flush(&file, &shared).await;
    }
}

/// Writes what has changed. What cannot be written is said, and tried again with the next change.
pub(crate) async fn flush(file: &Arc<File>, shared: &Arc<Shared>) {
    let (file, shared) = (Arc::clone(file), Arc::clone(shared));
    let writing = tokio::task::spawn_blocking(move || {
        let (revision, changed) = {
            let mut state = shared.state();
            let revision = state.store.revision();
            (revision, state.store.journal.as_mut().map(Journal::take))
        };
        let Some(changed) = changed.filter(|changed| !changed.is_empty()) else {
            return;
        };
        if let Err(error) = file.write(revision, &changed) {
            tracing::error!(%error, "cannot write the objects to disk");
            let mut state = shared.state();
            if let Some(journal) = &mut state.store.journal {
                journal.take_back(changed);
            }
        }
    });
    if let Err(error) = writing.await {
        tracing::error!(%error, "cannot write the objects to disk");
    }
}

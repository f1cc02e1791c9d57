//! Task that writes objects and resourceVersions to the file (feature `persist`).
//!
//! ```text
//! put, remove, rewind --note--> Journal --take (after a change)--> File::write, one transaction
//! File::read --restore--> State, before the first request is served
//! ```
//!
//! The state never waits for the disk: the journal holds the newest version of each changed object,
//! and this task writes the journal. A crash loses the most recent changes, a shutdown loses none.
//! The event log is not kept: after a restart, all versions before the last one have expired.

use std::sync::Arc;

use crate::shared::Shared;
use crate::store::file::File;
use crate::store::journal::Journal;

/// Writes changes whenever the journal reports some, until the shutdown begins.
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

/// Writes the pending changes. A failure is logged, and the changes are written with the next ones.
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

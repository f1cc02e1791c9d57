//! [`Replay`]: shows a handler every object of a snapshot, one at a time.

use std::sync::Arc;

use derive_where::derive_where;

use crate::event::{Added, Event, Origin, Updated};
use crate::storage::Entry;

/// Objects of one snapshot, yielded lazily.
///
/// The initial adds of a late handler and a resync wait in a mailbox as one replay, which takes
/// O(1) memory besides the snapshot. The handler's task drops it after the last object.
pub(crate) type Replay = Box<dyn Iterator<Item = Arc<Entry>> + Send>;

/// Kind of notifications that a [`Replay`] produces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ReplayKind {
    /// Adds with [`Origin::Initial`].
    Initial,
    /// Updates from an object to itself, with [`Origin::Resync`].
    Resync,
}

/// State of the cache that a late handler starts from.
pub(crate) struct Current {
    /// Generation of the last batch that `replay` contains. Batches up to this generation are not
    /// distributed to the handler.
    pub(crate) generation: u64,
    /// All objects of that state.
    pub(crate) replay: Replay,
    /// `true` if the informer is synced, so that the handler is synced after `replay`.
    pub(crate) synced: bool,
}

/// Replay that has left its mailbox.
#[derive_where(Debug)]
pub(crate) struct Replaying {
    kind: ReplayKind,
    #[derive_where(skip)]
    replay: Replay,
}

// === impl Replaying ===

impl Replaying {
    pub(super) fn new(kind: ReplayKind, replay: Replay) -> Self {
        Self { kind, replay }
    }

    /// Returns the kind of notifications that the replay produces.
    #[must_use]
    pub(crate) fn kind(&self) -> ReplayKind {
        self.kind
    }

    /// Returns the next notification; `None` after the last object.
    #[must_use]
    pub(crate) fn next_event(&mut self) -> Option<Event<Entry>> {
        let object = self.replay.next()?;
        let key = object.key.clone();
        Some(match self.kind {
            ReplayKind::Initial => Event::Added(Added {
                key,
                object,
                origin: Origin::Initial,
            }),
            ReplayKind::Resync => Event::Updated(Updated {
                key,
                old: object.clone(),
                new: object,
                origin: Origin::Resync,
            }),
        })
    }
}

//! [`Replay`]: showing a handler every object of a snapshot, one at a time.

use std::fmt;

use crate::event::{Added, Event, Origin, Updated};
use crate::object::ObjectKey;

/// The objects of one snapshot, yielded lazily.
///
/// A late handler's initial adds and a resync wait in a mailbox as one of these: O(1) memory
/// beside the snapshot, however many objects there are. It is dropped when it is used up, on the
/// handler's task.
pub trait Replay<H>: Send {
    /// The next object; `None` when all have been yielded.
    fn next(&mut self) -> Option<(ObjectKey, H)>;
}

impl<H, I: Iterator<Item = (ObjectKey, H)> + Send> Replay<H> for I {
    fn next(&mut self) -> Option<(ObjectKey, H)> {
        Iterator::next(self)
    }
}

/// What the objects of a [`Replay`] are shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplayKind {
    /// Adds with [`Origin::Initial`].
    Initial,
    /// Updates from an object to itself with [`Origin::Resync`].
    Resync,
}

/// The state that a late handler starts from: what the cache holds.
pub struct Current<H> {
    /// The generation of the last batch that `replay` contains. Batches up to it are not
    /// distributed to the handler.
    pub generation: u64,
    /// Every object of that state.
    pub replay: Box<dyn Replay<H>>,
    /// Whether the informer is synced, so that the handler is once it has seen `replay`.
    pub synced: bool,
}

/// A replay that has left its mailbox.
pub struct Replaying<H> {
    kind: ReplayKind,
    replay: Box<dyn Replay<H>>,
}

// === impl Replaying ===

impl<H: Clone> Replaying<H> {
    pub(super) fn new(kind: ReplayKind, replay: Box<dyn Replay<H>>) -> Self {
        Self { kind, replay }
    }

    /// What the objects are shown as.
    #[must_use]
    pub fn kind(&self) -> ReplayKind {
        self.kind
    }

    /// The next notification; `None` when every object has been shown.
    #[must_use]
    pub fn next_event(&mut self) -> Option<Event<H>> {
        let (key, object) = self.replay.next()?;
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

impl<H> fmt::Debug for Replaying<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replaying")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl<H> fmt::Debug for Current<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Current")
            .field("generation", &self.generation)
            .field("synced", &self.synced)
            .finish_non_exhaustive()
    }
}

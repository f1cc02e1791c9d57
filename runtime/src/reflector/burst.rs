//! [`Burst`]: watch events on their way to deltas, in order.
//!
//! ```text
//!   event ──► waiting ──┬─ few, and no more come ──► decoded in place ──┬──► deltas, in order
//!                       └─ many ──► chunks, decoded on several threads ─┘
//! ```
//!
//! # Invariants
//!
//! 1. Deltas leave in the order in which events came: nothing is decoded in place while there are
//!    chunks.
//! 2. At most a chunk for each core and one more is held.

use std::future;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesOrdered;
use tokio::task::{JoinError, JoinHandle};
use tokio_util::task::TaskTracker;

use super::decoding;
use crate::base::cores::cores;
use crate::delta_fifo::{Delta, Removed};
use crate::object::ResourceVersion;
use crate::storage::{MakeEntry, Undecodable};
use crate::wire::RawObject;

/// How many events one task decodes; and for how many the controller is woken once.
const CHUNK: usize = 32;
/// So few are decoded in place: handing them over would cost more.
const FEW: usize = 4;

/// Live events that are not in the queue yet.
pub(super) struct Burst<H> {
    intake: Arc<dyn MakeEntry<H>>,
    tasks: TaskTracker,
    waiting: Vec<Arrived>,
    chunks: FuturesOrdered<JoinHandle<Vec<Decoded<H>>>>,
}

/// An event that becomes a delta.
pub(super) enum Arrived {
    Added(RawObject),
    Modified(RawObject),
    Deleted(RawObject),
    Bookmark(ResourceVersion),
}

/// What became of an event.
pub(super) struct Decoded<H> {
    pub(super) delta: Delta<H>,
    /// What is to be reported of it.
    pub(super) undecodable: Option<Undecodable>,
}

// === impl Burst ===

impl<H: Send + 'static> Burst<H> {
    /// Decodes in `tasks`, which the caller joins.
    pub(super) fn new(intake: Arc<dyn MakeEntry<H>>, tasks: TaskTracker) -> Self {
        Self {
            intake,
            tasks,
            waiting: Vec::new(),
            chunks: FuturesOrdered::new(),
        }
    }

    pub(super) fn push(&mut self, event: Arrived) {
        self.waiting.push(event);
    }

    /// Whether events wait to be decoded.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether so many wait that they should be decoded now, whatever else comes.
    pub(super) fn is_due(&self) -> bool {
        self.waiting.len() >= CHUNK
    }

    /// Whether chunks are being decoded.
    pub(super) fn is_decoding(&self) -> bool {
        !self.chunks.is_empty()
    }

    /// Whether as many chunks are being decoded as there may be.
    pub(super) fn is_busy(&self) -> bool {
        self.chunks.len() >= cores()
    }

    /// Whether what waits is better decoded in place, by [`take_waiting`](Self::take_waiting).
    pub(super) fn is_for_this_task(&self) -> bool {
        let is_little = self.waiting.len() <= FEW || !decoding::is_parallel();
        self.chunks.is_empty() && is_little
    }

    /// What waits, to be decoded in place and given back empty to [`reuse`](Self::reuse).
    pub(super) fn take_waiting(&mut self) -> Vec<Arrived> {
        std::mem::take(&mut self.waiting)
    }

    pub(super) fn reuse(&mut self, emptied: Vec<Arrived>) {
        if self.waiting.is_empty() {
            self.waiting = emptied;
        }
    }

    /// Has what waits decoded by a task.
    pub(super) fn hand_over(&mut self) {
        let chunk = std::mem::replace(&mut self.waiting, Vec::with_capacity(CHUNK));
        let intake = Arc::clone(&self.intake);
        let decode = move |event| decode(&*intake, event);
        self.chunks
            .push_back(decoding::spawn(&self.tasks, chunk, decode));
    }

    /// The oldest chunk, once it is decoded; never, if there is none.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it ends has taken nothing.
    pub(super) async fn next(&mut self) -> Result<Vec<Decoded<H>>, JoinError> {
        match self.chunks.next().await {
            Some(decoded) => decoded,
            None => future::pending().await,
        }
    }
}

/// Turns an event into a delta.
pub(super) fn decode<H>(intake: &dyn MakeEntry<H>, event: Arrived) -> Decoded<H> {
    let (raw, delta): (_, fn(_) -> _) = match event {
        Arrived::Added(raw) => (raw, Delta::Added),
        Arrived::Modified(raw) => (raw, Delta::Updated),
        Arrived::Deleted(raw) => return deletion(intake, &raw),
        Arrived::Bookmark(version) => {
            return Decoded {
                delta: Delta::Bookmark(version),
                undecodable: None,
            };
        }
    };
    match intake.make_entry(&raw) {
        Ok(entry) => Decoded {
            delta: delta(entry),
            undecodable: None,
        },
        Err(undecodable) => Decoded {
            delta: Delta::Undecodable(undecodable.clone()),
            undecodable: Some(undecodable),
        },
    }
}

/// The header is enough to delete; without a body the last known state stands in.
fn deletion<H>(intake: &dyn MakeEntry<H>, raw: &RawObject) -> Decoded<H> {
    let (object, undecodable) = match intake.make_entry(raw) {
        Ok(entry) => (Some(entry.handle), None),
        Err(undecodable) => (None, Some(undecodable)),
    };
    let header = raw.header();
    let delta = Delta::Deleted(Removed {
        key: header.key.clone(),
        uid: header.uid.clone(),
        resource_version: header.resource_version.clone(),
        object,
        final_state_unknown: false,
    });
    Decoded { delta, undecodable }
}

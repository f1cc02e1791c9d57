//! Bound on the first lists that the informers of a factory run at the same time.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Turns that several reflectors share; without a bound by default. Clones share the turns.
#[derive(Clone, Default)]
pub(crate) struct Turns(Option<Arc<Semaphore>>);

/// Turn of one reflector: held while its first list runs, and given up while it backs off.
#[derive(Debug)]
pub(super) struct Turn {
    /// Without a bound once the first list is complete.
    turns: Turns,
    held: Option<OwnedSemaphorePermit>,
}

// === impl Turns ===

impl Turns {
    /// Allows `bound` reflectors at a time, in the order in which they ask.
    pub(crate) fn new(bound: NonZeroUsize) -> Self {
        let bound = bound.get().min(Semaphore::MAX_PERMITS);
        Self(Some(Arc::new(Semaphore::new(bound))))
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = self.0.as_ref().map(|turns| turns.available_permits());
        f.debug_struct("Turns").field("free", &free).finish()
    }
}

// === impl Turn ===

impl Turn {
    pub(super) fn new(turns: Turns) -> Self {
        Self { turns, held: None }
    }

    /// Waits for the turn. Completes at once if it is held, or not needed any more.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes gives up its place.
    pub(super) async fn acquire(&mut self) {
        let Turns(Some(turns)) = &self.turns else {
            return;
        };
        if self.held.is_none() {
            // The semaphore is never closed.
            self.held = Arc::clone(turns).acquire_owned().await.ok();
        }
    }

    /// Gives the turn to the next reflector.
    pub(super) fn release(&mut self) {
        self.held = None;
    }

    /// Ends the need for turns: the first list is complete.
    pub(super) fn complete(&mut self) {
        self.turns = Turns::default();
        self.release();
    }
}

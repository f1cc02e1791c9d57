//! Bound on the first lists that the informers of a factory run at the same time.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Time without an answer after which a turn is given up. Informers that a server or a proxy does not
/// answer would else delay all others for as long as their deadlines.
const PATIENCE: Duration = Duration::from_secs(5);

/// Turns that several reflectors share; without a bound by default. Clones share the turns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns(Option<Arc<Semaphore>>);

/// Turn of one reflector: held while its first list runs, and given up while it backs off or is not
/// answered.
#[derive(Debug)]
pub(super) struct Turn {
    /// Without a bound once the first list is complete.
    turns: Turns,
    held: Option<OwnedSemaphorePermit>,
}

// === impl Turns ===

impl Turns {
    /// Allows `bound` reflectors at a time, in the order in which they ask; all of them if it is 0.
    pub(crate) fn new(bound: usize) -> Self {
        let turns = || Arc::new(Semaphore::new(bound.min(Semaphore::MAX_PERMITS)));
        Self((bound > 0).then(turns))
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

    /// Waits for the source. Gives the turn up if that takes longer than [`PATIENCE`].
    ///
    /// # Cancel safety
    ///
    /// The same as that of `answer`.
    pub(super) async fn during<T>(&mut self, answer: impl Future<Output = T>) -> T {
        let mut answer = pin!(answer);
        if self.held.is_some() {
            if let Ok(answer) = timeout(PATIENCE, answer.as_mut()).await {
                return answer;
            }
            self.release();
        }
        answer.await
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

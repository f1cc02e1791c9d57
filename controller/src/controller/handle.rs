//! [`ControllerHandle`]: the view of a controller for other parts of the program.

use std::fmt;
use std::sync::{Arc, OnceLock};

use informer_runtime::ObjectKey;
use tokio::sync::watch;

use crate::session::Gate;
use crate::workqueue::WorkQueue;

/// Queue and state of a [`Controller`](super::Controller), for other parts of the program. Cheap to
/// clone; does not keep the controller running.
#[derive(Clone)]
pub struct ControllerHandle {
    pub(super) name: Arc<str>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) state: watch::Receiver<ControllerState>,
    pub(super) running: Arc<OnceLock<Running>>,
}

/// Parts of a run that a handle shows.
pub(super) struct Running {
    pub(super) workers: usize,
    /// Gate of the session, if there is one.
    pub(super) session: Option<Arc<Gate>>,
}

/// State of a controller. The states follow each other in this order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ControllerState {
    /// Has not begun, or waits for the first lists of its informers.
    #[default]
    Waiting,
    /// Reconciles.
    Running,
    /// Takes no further keys, except to drain the queue, and waits for running calls.
    ShuttingDown,
    /// Has ended, or was dropped.
    Ended,
}

// === impl ControllerHandle ===

impl ControllerHandle {
    /// Returns the name of the controller.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the queue, for keys from other sources, for metrics, or to drain it.
    #[must_use]
    pub fn queue(&self) -> &WorkQueue<ObjectKey> {
        &self.queue
    }

    /// Returns the state of the controller.
    #[must_use]
    pub fn state(&self) -> ControllerState {
        // The sender belongs to the controller.
        match self.state.has_changed() {
            Ok(_) => *self.state.borrow(),
            Err(_) => ControllerState::Ended,
        }
    }

    /// Returns the number of workers; 0 before the run.
    #[must_use]
    pub fn workers(&self) -> usize {
        match self.running.get() {
            Some(running) => running.workers,
            None => 0,
        }
    }

    /// Returns the keys that a [session](super::Controller::session) holds back now.
    #[must_use]
    pub fn held_back(&self) -> Vec<ObjectKey> {
        let Some(running) = self.running.get() else {
            return Vec::new();
        };
        match &running.session {
            Some(gate) => gate.held(),
            None => Vec::new(),
        }
    }

    /// Waits until the controller has reached `state`, or a later one.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_until(&self, state: ControllerState) {
        let mut changes = self.state.clone();
        // Fails when the controller has ended.
        let _reached = changes.wait_for(|current| *current >= state).await;
    }
}

impl fmt::Debug for ControllerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerHandle")
            .field("name", &self.name)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

//! [`ManagerError`]: reason for which a program ended, other than a request.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use informer_runtime::engine::Chain;
use informer_runtime::factory::StartError;

use crate::controller::ControllerError;
use crate::leader_election::LeaderElectionError;

/// Error of [`Manager::run`](super::Manager::run).
///
/// Its `Debug` form is a sentence with all causes, because that is what a `main` prints that returns
/// it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// The factory was shut down before the manager ran.
    #[error("cannot start")]
    Start(#[from] StartError),
    /// An informer was stopped before its cache had synced.
    #[error("informer \"{informer}\" was stopped before its cache had synced")]
    InformerStopped {
        /// Name of the informer.
        informer: String,
    },
    /// The address of the page, probes and metrics cannot be used.
    #[error("cannot listen on {address}")]
    Serve {
        /// The address.
        address: String,
        /// Error of the system.
        source: Arc<io::Error>,
    },
    /// The settings of the leader election are invalid.
    #[error("cannot take part in the leader election")]
    LeaderElection(#[source] Arc<LeaderElectionError>),
    /// The lease was lost: another process may lead.
    #[error("lost the lease \"{lease}\"")]
    LeaseLost {
        /// Name of the lease.
        lease: String,
    },
    /// A controller ended by an error.
    #[error(transparent)]
    Controller(ControllerError),
    /// A task ended by an error.
    #[error("task \"{task}\" failed")]
    Task {
        /// Name of the task.
        task: Arc<str>,
        /// Error of the task.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// A controller or a task panicked. The panic's message is on stderr, or where the program's
    /// panic hook puts it.
    #[error("\"{name}\" panicked")]
    Panicked {
        /// Name of the controller or task.
        name: Arc<str>,
    },
}

impl fmt::Debug for ManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Chain(self), f)
    }
}

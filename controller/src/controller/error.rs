//! [`ControllerError`]: reason for which a controller did not start, or did not end by its trigger.

use std::sync::Arc;

use informer_runtime::processor::{AddHandlerError, HandlerSyncError};

/// Error of [`Controller::run`](super::Controller::run).
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// The informer, or an informer of a relation, had stopped before the controller began.
    #[error("controller \"{controller}\" cannot receive events")]
    AddHandler {
        /// Name of the controller.
        controller: Arc<str>,
        /// Error of adding the handler.
        source: AddHandlerError,
    },
    /// The informer, or an informer of a relation, stopped before it had synced.
    #[error("controller \"{controller}\" has reconciled nothing")]
    NotSynced {
        /// Name of the controller.
        controller: Arc<str>,
        /// Error of waiting for the initial objects.
        source: HandlerSyncError,
    },
    /// The lease was lost: another process may lead.
    #[error("controller \"{controller}\" has ended, because its process lost the lease")]
    LeaseLost {
        /// Name of the controller.
        controller: Arc<str>,
    },
}

//! Errors of handlers.

/// Error of adding a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddHandlerError {
    /// The informer has stopped, and will never call a handler again.
    #[error("the handler was not added because the informer has stopped already")]
    Stopped,
}

/// Error of waiting for a handler to see the whole initial state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HandlerSyncError {
    /// The handler was removed, or its stream was dropped, before that.
    #[error("the handler was removed before it had seen the initial state")]
    Removed,
    /// The informer stopped before that.
    #[error("the informer stopped before the handler had seen the initial state")]
    Stopped,
}

//! What can go wrong with a handler.

/// Says why a handler was not added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddHandlerError {
    /// The informer has stopped: it will never call a handler again.
    #[error("the handler was not added because the informer has stopped already")]
    Stopped,
}

/// Says why a handler will never have seen the whole initial state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HandlerSyncError {
    /// It was removed, or its stream dropped, before that.
    #[error("the handler was removed before it had seen the initial state")]
    Removed,
    /// The informer stopped before that.
    #[error("the informer stopped before the handler had seen the initial state")]
    Stopped,
}

/// Says that a processor has been run before: it runs once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the processor has been run already")]
pub struct AlreadyRunError(());

// === impl AlreadyRunError ===

impl AlreadyRunError {
    pub(super) fn new() -> Self {
        Self(())
    }
}

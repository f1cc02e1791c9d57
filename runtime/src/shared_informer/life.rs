//! Life cycle of an informer: it runs at most once, and never after a stop. Pure.

use std::sync::Arc;

/// State in an informer's life cycle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Life {
    /// The informer may run.
    #[default]
    Created,
    /// The informer runs, or has run.
    Started,
    /// The informer was stopped before it ran.
    Stopped,
    /// The informer's factory does not let it run.
    Refused(Arc<str>),
}

/// Result of an attempt to run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The informer starts now, run by the caller.
    Runs,
    /// The informer was stopped before: the run ends at once.
    IsOver,
    /// The informer runs, or has run.
    AlreadyStarted,
    /// The informer must not run.
    Refused(Arc<str>),
}

// === impl Life ===

impl Life {
    pub(super) fn start(&mut self) -> Start {
        match self {
            Self::Created => {
                *self = Self::Started;
                Start::Runs
            }
            Self::Stopped => {
                *self = Self::Started;
                Start::IsOver
            }
            Self::Started => Start::AlreadyStarted,
            Self::Refused(reason) => Start::Refused(Arc::clone(reason)),
        }
    }

    /// Ends the life cycle without a run. Returns `true` if the caller must notify all waiters.
    /// This includes an informer that another caller has stopped, because that caller may not have
    /// notified all waiters yet.
    pub(super) fn end_before_start(&mut self, end: Self) -> bool {
        match self {
            Self::Created => {
                *self = end;
                true
            }
            Self::Stopped => true,
            Self::Started | Self::Refused(_) => false,
        }
    }
}

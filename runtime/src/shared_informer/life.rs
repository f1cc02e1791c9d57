//! Whether an informer may run: once, and not after it was stopped. Pure.

use std::sync::Arc;

/// Where an informer is in its life.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Life {
    /// It may run.
    #[default]
    Created,
    /// It runs, or ran.
    Started,
    /// It was stopped before it ran.
    Stopped,
    /// Its factory does not let it run.
    Refused(Arc<str>),
}

/// What becomes of an attempt to run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// It runs now; whoever asked runs it.
    Runs,
    /// It was stopped before: its run is over as it begins.
    IsOver,
    /// It runs, or ran.
    AlreadyStarted,
    /// It must not run.
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

    /// Ends a life without a run. Says whether the caller is to tell everybody: also if another one
    /// has ended it, who may not have got that far.
    pub(super) fn end_before_start(&mut self, how: Self) -> bool {
        match self {
            Self::Created => {
                *self = how;
                true
            }
            Self::Stopped => true,
            Self::Started | Self::Refused(_) => false,
        }
    }
}

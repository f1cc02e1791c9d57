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

// === impl Life ===

impl Life {
    /// Attempts to run, and returns the state before.
    pub(super) fn start(&mut self) -> Self {
        let before = self.clone();
        if matches!(before, Self::Created | Self::Stopped) {
            *self = Self::Started;
        }
        before
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

//! [`UserBackoff`]: contains panics of a user's backoff.

use std::any::type_name;
use std::time::Duration;

use tracing::error;

use super::backoff::{Backoff, ExponentialBackoff};
use crate::base::panic::{HINT, Panicked, catch};

/// User's backoff. After a panic the default backoff replaces it, because its state may be
/// inconsistent.
#[derive(Debug)]
pub(super) struct UserBackoff<B> {
    /// `None` after a panic.
    own: Option<B>,
    default: ExponentialBackoff,
}

// === impl UserBackoff ===

impl<B: Backoff> UserBackoff<B> {
    pub(super) fn new(make: impl FnOnce() -> B) -> Self {
        Self {
            own: Self::reported(catch(make)),
            default: ExponentialBackoff::default(),
        }
    }

    fn reported<R>(outcome: Result<R, Panicked>) -> Option<R> {
        if outcome.is_err() {
            let backoff = type_name::<B>();
            error!(
                backoff,
                "backoff panicked, using the default backoff instead; {HINT}"
            );
        }
        outcome.ok()
    }
}

impl<B: Backoff> Backoff for UserBackoff<B> {
    fn next_delay(&mut self) -> Duration {
        if let Some(mut own) = self.own.take()
            && let Some(delay) = Self::reported(catch(|| own.next_delay()))
        {
            self.own = Some(own);
            return delay;
        }
        self.default.next_delay()
    }

    fn reset(&mut self) {
        self.default.reset();
        if let Some(mut own) = self.own.take()
            && Self::reported(catch(|| own.reset())).is_some()
        {
            self.own = Some(own);
        }
    }
}

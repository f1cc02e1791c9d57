//! What becomes of an item after an attempt.

use std::error::Error;
use std::time::Duration;

use super::item::QueueItem;
use super::work_queue::WorkQueue;
use crate::base::chain::Chain;
use crate::base::panic::HINT;

/// What shall happen to an item after its work succeeded, or after an error policy looked at its error.
///
/// Made from `()` too, which means [`Done`](Self::Done). controller-runtime's counterpart is
/// `reconcile.Result`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing: the item is forgotten by the rate limiter.
    #[default]
    Done,
    /// It is forgotten by the rate limiter, and added again after this delay.
    RequeueAfter(Duration),
    /// It is added again with a rate limit, as after an error, and not forgotten: there was no
    /// error, but the work is not complete either.
    Requeue,
}

impl From<()> for Action {
    fn from((): ()) -> Self {
        Self::Done
    }
}

/// An error that work on an item may end with: whatever converts into `Box<dyn Error + Send + Sync>`.
///
/// That is every type that implements [`Error`], is `Send + Sync` and borrows nothing, such as
/// `Infallible`, the box itself, `anyhow::Error`, and texts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no error that a worker can return",
    label = "the work may end with a `{Self}`",
    note = "return `Box<dyn std::error::Error + Send + Sync>`, or implement `std::error::Error` for a type that is `Send + Sync`"
)]
pub trait ReconcileError: Send + 'static {
    /// Returns the error as what is logged.
    fn into_error(self) -> Box<dyn Error + Send + Sync>;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>> + Send + 'static> ReconcileError for E {
    fn into_error(self) -> Box<dyn Error + Send + Sync> {
        self.into()
    }
}

/// How an attempt ended, and what is to happen next.
pub(super) enum Outcome {
    Succeeded(Action),
    Failed(Failure, Action),
}

/// Why an attempt failed.
pub(super) enum Failure {
    Returned(Box<dyn Error + Send + Sync>),
    Panicked,
}

// === impl WorkQueue ===

impl<T: QueueItem> WorkQueue<T> {
    pub(super) fn settle(&self, item: T, priority: i32, outcome: Outcome) {
        let action = match outcome {
            Outcome::Succeeded(action) => action,
            Outcome::Failed(failure, action) => {
                self.count_failure(matches!(failure, Failure::Panicked));
                failure.log(self.name(), &item, action);
                action
            }
        };
        match action {
            Action::Done => self.forget(&item),
            Action::RequeueAfter(delay) => {
                self.forget(&item);
                self.requeue_after(item, delay, priority);
            }
            Action::Requeue => self.retry(item, priority),
        }
    }
}

// === impl Failure ===

impl Failure {
    fn log(&self, queue: &str, item: &impl std::fmt::Debug, next: Action) {
        match self {
            Self::Returned(error) => {
                let error = Chain(&**error).to_string();
                tracing::warn!(queue, ?item, ?next, error, "reconcile failed");
            }
            Self::Panicked => {
                tracing::warn!(queue, ?item, ?next, "reconcile panicked; {HINT}");
            }
        }
    }
}

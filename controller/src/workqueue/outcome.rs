//! Outcome of an attempt, and the next action for its item.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use informer_runtime::engine::{Chain, HINT, seconds};
use tracing::warn;

/// Next action for an item after its work succeeded, or after an error policy has handled its
/// error.
///
/// `()` converts into [`Done`](Self::Done). controller-runtime's counterpart is `reconcile.Result`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Action {
    /// Does not add the item again. The rate limiter forgets the item.
    #[default]
    Done,
    /// Adds the item again after this delay. The rate limiter forgets the item.
    ///
    /// For a periodic refresh, which waits behind changes in a queue with
    /// [priorities](super::PriorityOrder). A delay of zero, as of a deadline that has passed, is a
    /// [`Poll`](Self::Poll). In Go it means that the item does not come back: return
    /// [`Done`](Self::Done) for that.
    RequeueAfter(Duration),
    /// Adds the item again soon: after 0.5 s, and then after twice the last delay, up to 10 s. The
    /// rate limiter forgets the item.
    ///
    /// For work that waits for something without an event, such as an external resource. Any other
    /// result ends the series.
    Poll,
    /// Adds the item again after the delay of the rate limiter, as after an error. The rate limiter
    /// does not forget the item.
    Requeue,
}

impl From<()> for Action {
    fn from((): ()) -> Self {
        Self::Done
    }
}

/// Error of the work on an item: any type that converts into `Box<dyn Error + Send + Sync>`.
///
/// This includes every `'static` type that implements [`Error`] and is `Send + Sync`, such as
/// `Infallible`, and the box itself, `anyhow::Error`, and strings.
#[diagnostic::on_unimplemented(
    message = "a worker cannot return `{Self}` as its error",
    label = "`{Self}` is not a valid error type of a worker",
    note = "return `Box<dyn std::error::Error + Send + Sync>`, or implement `std::error::Error` for a type that is `Send + Sync`"
)]
pub trait ReconcileError: Send + 'static {
    /// Converts the error for the log.
    fn into_error(self) -> Box<dyn Error + Send + Sync>;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>> + Send + 'static> ReconcileError for E {
    fn into_error(self) -> Box<dyn Error + Send + Sync> {
        self.into()
    }
}

/// Outcome of an attempt, and the next action for its item.
#[derive(Debug)]
pub enum Outcome {
    /// The call succeeded.
    Succeeded(Action),
    /// The call failed.
    Failed(Failure, Action),
    /// There was no call. The item waits elsewhere, from where it is added again.
    PutBack,
}

/// Time at which an item comes back.
///
/// Prints as a phrase, such as `again in 1.6 s (attempt 5)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Again {
    /// Delay.
    pub after: Duration,
    /// Number of failures, or polls, in a row that the delay is for; zero for a delay that
    /// `reconcile` chose.
    pub attempt: u32,
}

/// Failure of an attempt.
#[derive(Debug)]
pub enum Failure {
    /// The call returned an error.
    Returned(Box<dyn Error + Send + Sync>),
    /// The call panicked.
    Panicked,
}

// === impl Outcome ===

impl Outcome {
    pub(super) fn action(&self) -> Action {
        match self {
            Self::Succeeded(action) | Self::Failed(_, action) => *action,
            Self::PutBack => Action::Done,
        }
    }
}

// === impl Again ===

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "again in {} s", seconds(self.after))?;
        match self.attempt {
            0 => Ok(()),
            attempt => write!(f, " (attempt {attempt})"),
        }
    }
}

// === impl Failure ===

impl Failure {
    /// Logs the failure, with the number of those that were not logged before it.
    pub(super) fn log(
        &self,
        queue: &str,
        item: &impl fmt::Debug,
        again: Option<Again>,
        held_back: u32,
    ) {
        let more = (held_back > 0).then_some(held_back);
        let next = again.map_or_else(|| "not again".to_owned(), |again| again.to_string());
        match self {
            Self::Returned(error) => {
                let chain = Chain(&**error).to_string();
                warn!(
                    queue,
                    ?item,
                    error = chain,
                    held_back = more,
                    "reconcile failed, {next}"
                );
            }
            Self::Panicked => warn!(
                queue,
                ?item,
                held_back = more,
                "reconcile panicked, {next}; {HINT}"
            ),
        }
    }
}

//! [`Work`]: tasks by name, which end together.

use std::sync::Arc;
use std::time::Duration;

use informer_runtime::engine::{Panicked, catch_async};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, warn};

use super::error::ManagerError;

/// Time after the grace period for controllers to drop their calls, and to log them.
const WORK: Duration = Duration::from_millis(200);
/// Time after the grace period for tasks that run beside the work.
const TASKS: Duration = Duration::from_millis(400);
/// Time after the grace period for everything, such as the release of the lease.
const ALL: Duration = Duration::from_millis(700);
/// Time for tasks that are dropped.
const DROP: Duration = Duration::from_millis(100);

/// Moments of an end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadlines {
    /// End of controllers and leading tasks.
    pub(super) work: Instant,
    /// End of the tasks beside the work.
    pub(super) tasks: Instant,
    /// End of everything else.
    pub(super) all: Instant,
}

/// Tasks of one kind, which a token asks to end.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) stop: CancellationToken,
    /// Names of the tasks that run.
    names: Vec<Arc<str>>,
    tasks: JoinSet<(Arc<str>, Result<(), ManagerError>)>,
}

// === impl Deadlines ===

impl Deadlines {
    pub(super) fn after(grace_period: Duration) -> Self {
        let began = Instant::now();
        let over = began.checked_add(grace_period).unwrap_or(began);
        let later = |time| over.checked_add(time).unwrap_or(over);
        Self {
            work: later(WORK),
            tasks: later(TASKS),
            all: later(ALL),
        }
    }
}

// === impl Work ===

impl Work {
    pub(super) fn spawn(
        &mut self,
        name: &Arc<str>,
        task: impl Future<Output = Result<(), ManagerError>> + Send + 'static,
    ) {
        self.names.push(Arc::clone(name));
        let own_name = Arc::clone(name);
        let run = async move {
            let end = catch_async(task).await.unwrap_or_else(|Panicked| {
                Err(ManagerError::Panicked {
                    name: Arc::clone(&own_name),
                })
            });
            (own_name, end)
        };
        self.tasks.spawn(run.in_current_span());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Waits until one task has ended; `None` if there are no more.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Option<Result<(), ManagerError>> {
        // Tasks contain their panics, and are aborted only by `end`.
        let (name, ended) = self.tasks.join_next().await?.ok()?;
        if let Some(place) = self.names.iter().position(|running| *running == name) {
            self.names.swap_remove(place);
        }
        Some(ended)
    }

    /// Asks all tasks to end, and waits for them until `deadline`. Then they are dropped at their
    /// next `.await`, and the log names them and the reason. Returns `true` if all have ended.
    pub(super) async fn end(&mut self, deadline: Instant, reason: &'static str) -> bool {
        self.stop.cancel();
        let joined = async { while self.next().await.is_some() {} };
        if timeout_at(deadline, joined).await.is_ok() {
            return true;
        }
        let tasks = self.names.join(", ");
        warn!(tasks, "dropped: {reason}");
        self.tasks.abort_all();
        let dropped = async { while self.tasks.join_next().await.is_some() {} };
        timeout_at(Instant::now() + DROP, dropped).await.is_ok()
    }
}

//! Primitives that pass data between tasks: locks, published pointers, wake-ups, tasks.
//!
//! The modules that use these primitives import them from here only, so that a checker can replace
//! them. In a build of this crate they are the types of tokio, `parking_lot` and `arc_swap`
//! themselves: there is no cost and nothing to enable. In the unit tests of this crate
//! they are wrappers that behave like the originals, unless a test runs inside `check`. Then
//! shuttle schedules the tasks, and may switch to another task at each operation. The choice is
//! made at run time, so one build serves all tests, checked or not, and needs no feature or flag
//! that a user could meet.
//!
//! The checker trusts tokio's `watch`, `CancellationToken` and timers: it treats each call of them
//! as one step.

#[cfg(test)]
mod tests;

#[cfg(not(test))]
pub(crate) use arc_swap::ArcSwap;
#[cfg(not(test))]
pub(crate) use parking_lot::Mutex;
#[cfg(not(test))]
pub(crate) use tokio::sync::Notify;
#[cfg(not(test))]
pub(crate) use tokio::task::JoinSet;
#[cfg(not(test))]
pub(crate) use tokio::task_local;
#[cfg(not(test))]
pub(crate) use tokio_util::task::TaskTracker;

#[cfg(test)]
pub(crate) use informer_test_harness::checked::{
    ArcSwap, JoinSet, Mutex, Notify, TaskTracker, task_local,
};

/// Calls `check` at once and after each [`notify_waiters`](Notify::notify_waiters), until it returns a
/// value. A notification during the call counts.
pub(crate) async fn wait_for<T>(changed: &Notify, mut check: impl FnMut() -> Option<T>) -> T {
    loop {
        let notified = changed.notified();
        if let Some(value) = check() {
            return value;
        }
        notified.await;
    }
}

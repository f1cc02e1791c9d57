//! What hands something on from task to task: locks, published pointers, wake-ups, tasks.
//!
//! They are named here, and nowhere else in the modules that use them, so that a checker can take
//! their place. In a build of this crate they are tokio's, `parking_lot`'s and `arc_swap`'s own
//! types, and `papaya`'s map, under their own names: there is nothing to pay for and nothing to switch on. In this
//! crate's unit tests, and only there, they are wrappers that work as ever, until a test runs inside
//! `check`: then shuttle schedules, and another task may come in at each of them. That is decided
//! when the program runs, so that one build serves all tests, checked or not, and needs no feature
//! or flag that a user could meet.
//!
//! What tokio's `watch`, `CancellationToken` and timers do is taken for granted: to the checker, a
//! call of theirs is one step.

#[cfg(test)]
mod checked;
#[cfg(test)]
mod tests;

#[cfg(not(test))]
pub(crate) use arc_swap::ArcSwap;
#[cfg(not(test))]
pub(crate) use papaya::HashMap;
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
pub(crate) use self::checked::{
    ArcSwap, HashMap, JoinSet, LocalKey, Mutex, Notify, TaskTracker, task_local,
};

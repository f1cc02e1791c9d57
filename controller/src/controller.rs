//! [`Controller`]: an informer, a queue and workers that reconcile the informer's objects.
//!
//! ```text
//! informer ── changes ──────────┐
//! relations ── keys that they ──┼──► queue ──► workers ──► reconcile(object, context)
//! concern                       │                │
//!                               └── retries ◄────┘
//! ```
//!
//! # The end of a controller
//!
//! | cause | keys that wait | calls that run | result of `run` |
//! |---|---|---|---|
//! | a [trigger](Controller::shutdown_on) | dropped, or reconciled with [`drain`](Controller::drain) | finish within the [grace period](Controller::grace_period), then they are dropped | `Ok` |
//! | the loss of the [lease](Controller::while_leading) | dropped | dropped at their next `.await` | [`ControllerError::LeaseLost`] |
//! | [`WorkQueue::shut_down`](crate::WorkQueue::shut_down) of the queue | reconciled | finish | `Ok` |
//!
//! Delayed keys are dropped in all cases. The log names the keys whose calls were dropped.

mod attempt;
mod builder;
mod end;
mod error;
mod handle;
mod handlers;
mod run;

pub use self::builder::Controller;
pub use self::error::ControllerError;
pub use self::handle::{ControllerHandle, ControllerState};

#[cfg(test)]
mod tests;

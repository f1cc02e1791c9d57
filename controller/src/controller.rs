//! [`Controller`]: an informer, a queue and workers that reconcile the informer's objects.
//!
//! ```text
//! informer ── changes ──────────┐
//! relations ── keys that they ──┼──► queue ──► workers ──► reconcile(object, context)
//! concern                       │                │
//!                               └── retries ◄────┘
//! ```

mod attempt;
mod attempt_counts;
mod builder;
mod end;
mod error;
mod gates;
mod handle;
mod handlers;
mod run;

pub use self::builder::Controller;
pub(crate) use self::builder::GRACE_PERIOD;
pub use self::error::ControllerError;
pub use self::handle::{ControllerHandle, ControllerState};

#[cfg(test)]
mod tests;

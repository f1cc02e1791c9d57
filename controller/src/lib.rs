//! Parts of a controller over informers: work queues and workers, relations between objects,
//! finalizers, leader election, metrics, and a manager that joins them.

mod base;

pub mod workqueue;

pub mod metrics;
pub mod reconcile;
pub mod relations;
pub mod session;
pub mod shards;

pub mod controller;
pub mod manager;

#[cfg(feature = "kube-runtime")]
pub mod kube_runtime;
#[doc(hidden)]
pub mod private;

#[cfg(test)]
mod tests;

#[cfg(test)]
use informer_test_harness::logged;

pub use self::controller::{Controller, ControllerError, ControllerHandle, ControllerState};
pub use self::manager::{Manager, ManagerError, Serve};
pub use self::reconcile::{finalizer, is_condition_true, leader_election, shutdown_signal};
pub use self::session::Session;
pub use self::workqueue::{Action, WorkQueue};

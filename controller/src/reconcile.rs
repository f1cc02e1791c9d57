//! Parts of a controller beside informers and a work queue: finalizers, conditions, leader election,
//! and the signals that ask a process to shut down.
//!
//! The control loop itself is [`Controller`](crate::Controller).

mod condition;
pub mod finalizer;
pub mod leader_election;
mod shutdown;

pub use self::condition::is_condition_true;
pub use self::finalizer::finalizer;
pub use self::shutdown::shutdown_signal;

//! Behaviour of the reflector. [`support`] defines the text form of scripts.

mod backoff;
mod beliefs;
mod burst;
mod lists;
mod logging;
mod machine_support;
mod outage;
mod recovery;
mod schedule;
mod streaming;
pub(crate) mod support;
mod task;
mod task_failures;
mod task_objects;
mod task_streaming;
mod watches;
mod went_back;
pub(crate) mod world;

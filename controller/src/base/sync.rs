//! Primitives that pass data between tasks, as in the runtime's `base/sync.rs`: a schedule checker
//! replaces them in the unit tests of this crate.

#[cfg(test)]
mod tests;

#[cfg(not(test))]
pub(crate) use parking_lot::Mutex;
#[cfg(not(test))]
pub(crate) use tokio::sync::Notify;
#[cfg(not(test))]
pub(crate) use tokio::task::JoinSet;

#[cfg(test)]
pub(crate) use informer_test_harness::checked::{JoinSet, Mutex, Notify};

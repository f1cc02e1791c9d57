//! Primitives that pass data between tasks, as in the runtime's `base/sync.rs`: a schedule checker
//! replaces them in the unit tests of this crate.

#[cfg(test)]
#[expect(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "the runtime uses more of them"
)]
#[path = "../../../runtime/src/base/sync/checked.rs"]
mod checked;
#[cfg(test)]
mod tests;

#[cfg(not(test))]
pub(crate) use parking_lot::Mutex;
#[cfg(not(test))]
pub(crate) use tokio::sync::Notify;
#[cfg(not(test))]
pub(crate) use tokio::task::JoinSet;

#[cfg(test)]
pub(crate) use self::checked::{JoinSet, Mutex, Notify};

//! The verbs of the API, over the store and the registry.

pub(crate) mod collector;
pub(crate) mod eviction;
pub(crate) mod list;
#[cfg(feature = "persist")]
pub(crate) mod persist;
pub(crate) mod query;
pub(crate) mod scale;
pub(crate) mod selector;
pub(crate) mod state;
pub(crate) mod watch;
pub(crate) mod write;

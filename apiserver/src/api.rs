//! The verbs of the API, over the store and the registry.
//!
//! Functions take the [`State`](state::State), or what they read of it. What a change brings about in
//! other objects happens when the [collector](collector::settle) is let work, at the end of a request.

pub(crate) mod binding;
mod change;
pub(crate) mod collector;
mod definitions;
mod dependents;
pub(crate) mod eviction;
pub(crate) mod list;
mod namespace;
pub(crate) mod query;
#[cfg(feature = "persist")]
pub(crate) mod restore;
pub(crate) mod scale;
pub(crate) mod selector;
pub(crate) mod state;
pub(crate) mod watch;
pub(crate) mod write;

pub(crate) use self::change::{put, rewind};

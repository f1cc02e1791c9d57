//! Verbs of the API, over the store and the registry.
//!
//! Functions take the [`ServerState`](state::ServerState), or the parts of it that they read. The
//! [collector](collector::settle) applies the consequences of a change for other objects at the end
//! of a request.

mod change;
pub(crate) mod collector;
mod definitions;
mod dependents;
pub(crate) mod list;
mod namespace;
pub(crate) mod query;
pub(crate) mod scale;
pub(crate) mod selector;
pub(crate) mod state;
pub(crate) mod watch;
pub(crate) mod write;

pub(crate) use self::change::{put, rewind};

//! Field ownership: what server-side apply decides by, and what every other write is recorded with.
//!
//! The rules are those of `sigs.k8s.io/structured-merge-diff`. A schema says which lists are maps or
//! sets in disguise and what is one value, however large ([`Types`]). By it a document is walked, and
//! gives the set of its fields ([`Set`]); two documents give what was added, modified and removed.
//! Each manager owns a set ([`Managers`]), and a write moves fields from one to the other ([`apply`],
//! [`record`]).
//!
//! ```text
//! applied document ─ walk ─► set ─┐
//! live document ─ merge, remove ──┴► next document ─ compare with live ─► conflicts, or new owners
//! ```
//!
//! Nothing here waits, reads a clock or knows of requests.

mod compact;
mod compare;
mod compile;
mod conflict;
mod context;
mod element;
mod fields_v1;
mod last_applied;
mod managers;
mod merge;
mod owners;
mod remove;
mod scalar;
mod scale;
mod set;
mod types;
mod walk;

pub(crate) use compile::{compile_built_in, compile_custom};
pub(crate) use conflict::Conflicts;
pub(crate) use context::Context;
pub(crate) use managers::{Managers, same_but_for_times};
pub(crate) use owners::{Failure, Outcome, apply, record};
pub(crate) use scale::SCALE_VERSION;
pub(crate) use set::Set;
pub(crate) use types::{Types, Typing};

#[cfg(test)]
mod tests;

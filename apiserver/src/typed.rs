//! Field ownership: the basis of server-side apply, and the record of every other write.
//!
//! The rules are those of `sigs.k8s.io/structured-merge-diff`. A schema tells which lists are
//! associative (maps or sets) and which values are atomic, however large ([`Types`]). Walking a
//! document along its schema gives the set of its fields ([`Set`]). Comparing two documents gives
//! the added, modified and removed fields. Each manager owns a set ([`Managers`]), and a write
//! moves fields between the sets ([`apply`], [`record`]).
//!
//! ```text
//! applied document ─ walk ─► set ─┐
//! live document ─ merge, remove ──┴► next document ─ compare with live ─► conflicts, or new owners
//! ```
//!
//! This module is pure: it performs no IO, reads no clock and has no knowledge of requests.

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
mod set;
mod types;
mod walk;

pub(crate) use compile::{compile_built_in, compile_custom};
pub(crate) use conflict::Conflicts;
pub(crate) use context::Context;
pub(crate) use managers::{Managers, same_but_for_times};
pub(crate) use owners::{ApplyFailure, ApplyOutcome, apply, record};
pub(crate) use set::Set;
pub(crate) use types::{Types, Typing};

#[cfg(test)]
mod tests;

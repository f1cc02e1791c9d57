//! Each hand-off under a checker that decides who runs next, at every lock, pointer and wake-up.
//!
//! The tests drive the very types that ship. A failure prints its schedule:
//! `INFORMER_CHECK_SCHEDULE` plays it again. `PROPTEST_CASES` says how many schedules
//! each test plays of each kind.

mod factory;
mod handlers;
mod informer;
mod queue;
mod snapshots;
mod support;
mod workers;

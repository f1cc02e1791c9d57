//! Tests of each hand-off between tasks under a checker, which chooses the next task at every lock,
//! pointer and wake-up.
//!
//! The tests use the production types. A failure prints its schedule; set `INFORMER_CHECK_SCHEDULE`
//! to that text to replay it. `PROPTEST_CASES` sets the number of schedules of each kind per test.

mod factory;
mod handlers;
mod informer;
mod queue;
mod snapshots;
mod support;

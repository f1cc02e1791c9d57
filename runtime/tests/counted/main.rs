//! Costs of operations as counts: allocations, decodings, requests, publications, wake-ups. Never
//! time.
//!
//! Allocations are counted on the test's thread. All measured code runs there: each test has a
//! single-threaded runtime, and long lists, which other threads decode, precede the measurement.
//! Bounds are slightly above the measured counts.

#![cfg(test)]

mod events;
mod flood;
mod held;
#[path = "../../src/tests.rs"]
mod newtypes;
mod pages;
mod reads;
mod requests;
mod support;

//! What work costs, counted: allocations, decodes, requests, publications, wake-ups. Never time.
//!
//! Allocations are counted on the thread of the test, where all that is measured runs: each test
//! has a runtime of one thread, and long lists, which are decoded on others, come before. Bounds
//! are a little above what was measured; the measured number stands beside each.

#![cfg(test)]

mod events;
mod flood;
mod held;
mod reads;
mod requests;
mod support;

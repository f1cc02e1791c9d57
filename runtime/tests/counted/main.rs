//! What work costs, counted: allocations, decodes, requests, publications, wake-ups. Never time.
//!
//! Allocations are counted on the thread of the test, where everything here runs: each test has a
//! runtime of one thread, and no list is long enough to be decoded on others, unless a test says
//! so. Bounds are a little above what was measured; the measured number stands beside each.

mod events;
mod flood;
mod requests;
mod support;

//! The facade end to end: informers over real HTTP, against an API server in this process.
//!
//! One binary, so that it links once. Nothing here sleeps: a test waits for a condition, and says
//! which one if it waits too long ([`support::within`]).

// Helpers are part of the tests; clippy is to know.
#![cfg(test)]

mod answers;
#[path = "../../apiserver/tests/support/assets.rs"]
mod assets;
mod bad_input;
mod both;
mod cache;
mod churn;
mod control;
mod dynamic;
mod encodings;
mod factory;
mod faults;
mod generated;
mod leaks;
mod lifecycle;
mod oversize;
mod proxy;
mod script;
mod support;
mod work;

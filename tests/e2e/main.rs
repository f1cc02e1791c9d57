//! End-to-end tests of the facade: informers over real HTTP, against an embedded API server.
//!
//! One binary, so that only one is linked. No test sleeps: a test waits for a condition, and names
//! the condition if the wait takes too long ([`support::within`]).

// The helpers are part of the tests, which clippy has to know.
#![cfg(test)]

mod answers;
#[path = "../../apiserver/tests/support/assets.rs"]
mod assets;
mod bad_input;
mod both;
mod cache;
mod connections;
mod control;
mod debug;
mod dynamic;
mod encodings;
mod factory;
mod faults;
mod generated;
mod leaks;
#[cfg(target_os = "linux")]
mod manager;
mod matrix;
#[path = "../support/cases.rs"]
mod named;
mod namespaces;
mod oversize;
mod proxy;
mod referenced;
mod script;
mod shards;
mod sizes;
mod support;
mod tiered;
mod work;

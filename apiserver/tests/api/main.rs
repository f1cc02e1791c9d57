//! Tests of the server as clients see it: over HTTP, mostly through `kube`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure fails the test; clippy exempts only the test functions themselves"
)]

mod access;
mod apply;
#[path = "../support/assets.rs"]
mod assets;
mod clients;
mod collector;
mod compress;
mod connections;
mod crud;
mod custom;
mod discovery;
mod faults;
mod lifecycle;
mod limits;
mod list;
mod moments;
mod negotiation;
mod openapi;
mod protobuf;
mod reviews;
mod script;
mod shards;
mod support;
mod table;
mod tls;
mod watch;

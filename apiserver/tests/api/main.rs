//! Tests of the server as clients see it: over HTTP, mostly through `kube`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure fails the test; clippy exempts only the test functions themselves"
)]

#[path = "../support/assets.rs"]
mod assets;
mod cases;
mod compress;
mod connections;
mod discovery;
mod faults;
mod lifecycle;
mod limits;
mod moments;
#[path = "../../../tests/support/cases.rs"]
mod named;
mod negotiation;
mod protobuf;
mod script;
mod shards;
mod support;
mod tls;
mod watch;

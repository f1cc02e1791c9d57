//! The crate from outside, held against Kubernetes, against `k8s-openapi`, and against any bytes.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what a test cannot go on without fails it, in helpers too"
)]

mod dynamic;
mod fuzz;
mod kubernetes;
#[path = "../../../tests/support/require.rs"]
mod require;
mod support;
mod types;

//! The crate from outside, held against Kubernetes and against `k8s-openapi`.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what a test cannot go on without fails it, in helpers too"
)]

mod dynamic;
mod kubernetes;
#[path = "../../../tests/support/require.rs"]
mod require;
mod support;
mod types;

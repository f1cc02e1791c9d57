//! Tests of the public API, compared with Kubernetes and with `k8s-openapi`.
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

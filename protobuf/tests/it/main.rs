//! Tests of the public API, compared with Kubernetes and with `k8s-openapi`.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a missing prerequisite fails the test, in helpers too"
)]

#[macro_use]
#[path = "../../../tests/support/kinds.rs"]
mod kinds;

mod dynamic;
#[path = "../../../tests/support/go.rs"]
mod go;
#[path = "../../../tests/support/k8s_openapi.rs"]
mod k8s_openapi_sources;
mod kubernetes;
mod support;
mod types;

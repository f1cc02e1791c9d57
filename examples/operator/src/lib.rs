//! An operator for `Document`s, after kube's example `controller-rs`: a document is published or hidden, its status
//! says which, events tell of it, and a finalizer sees it go.
//!
//! `controller` is what you would write for your own; `main` runs it with leader election, metrics and signals.

#![expect(missing_debug_implementations, reason = "nobody prints them")]

pub mod controller;
pub mod metrics;

//! An operator for `Document`s, modelled on kube's example `controller-rs`: it publishes or hides
//! documents, sets their status, records events, and cleans up with a finalizer.
//!
//! `controller` is the part that you would write for your own resource. `main` runs it with leader
//! election, metrics, a readiness probe and signals.

#![expect(missing_debug_implementations, reason = "the types are never printed")]

pub mod controller;
pub mod metrics;

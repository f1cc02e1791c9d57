//! Tests of relations. `world` declares them as generated code does.

#![allow(
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    dead_code,
    reason = "the macros of generated code expand here, which rustc does not report in other crates"
)]

mod enqueue;
mod keys;
mod model;
mod reads;
mod selectors;
mod world;

//! What `#[derive(Informer)]` generates compiles in awkward places, and does what it should.

#![deny(
    missing_docs,
    unused,
    unreachable_pub,
    unused_qualifications,
    missing_debug_implementations,
    rust_2018_idioms
)]
#![forbid(unsafe_code)]

pub mod documented;
mod elsewhere;
mod forms;
mod hygiene;
mod indices;
mod paths;
mod spec;
mod walks;

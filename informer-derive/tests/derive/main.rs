//! The output of `#[derive(Informer)]` compiles in unusual environments, and works.

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
mod walks;

//! The queue's behaviours. [`support`] has the texts in which they are written.

mod bounds;
mod compression;
mod global;
mod per_key;
pub(crate) mod properties;
pub(crate) mod support;

//! Behaviour of the queue. [`support`] defines the text form of deltas.

mod bounds;
mod global;
mod per_key;
pub(crate) mod properties;
pub(crate) mod support;

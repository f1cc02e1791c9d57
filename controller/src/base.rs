//! Primitives of hand-offs between tasks. All others are the runtime's.

pub(crate) mod sync;

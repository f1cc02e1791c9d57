//! Primitives of hand-offs between tasks, and names. All others are the runtime's.

pub(crate) mod names;
pub(crate) mod sync;

//! Primitives of hand-offs between tasks, names, and the limit of requests. All others are the
//! runtime's.

pub(crate) mod names;
pub(crate) mod request;
pub(crate) mod sync;

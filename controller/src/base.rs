//! Primitives of hand-offs between tasks, names, the limit of requests, and waits that are logged. All
//! others are the runtime's.

pub(crate) mod names;
pub(crate) mod request;
pub(crate) mod sync;
pub(crate) mod wait;

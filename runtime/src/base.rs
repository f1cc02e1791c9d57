//! What every module may use: primitives of tasks, contained panics, chains of errors, durations in
//! buckets. Knows nothing of Kubernetes.

pub(crate) mod buckets;
pub(crate) mod chain;
pub(crate) mod cores;
pub(crate) mod panic;
pub(crate) mod sync;
pub(crate) mod time;

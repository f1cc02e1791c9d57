//! Primitives that every module may use: task primitives, contained panics, bounded logs, error
//! chains, duration histograms, objects on their way back to the allocating thread. They know
//! nothing of Kubernetes.

pub(crate) mod buckets;
pub(crate) mod chain;
pub(crate) mod cores;
pub(crate) mod footprint;
pub(crate) mod home;
pub(crate) mod log_limit;
pub(crate) mod panic;
pub(crate) mod sync;
pub(crate) mod text;
pub(crate) mod time;

//! Primitives that every module may use. Except for those of hand-offs between tasks, they are the
//! runtime's.

pub(crate) mod sync;

pub(crate) mod buckets {
    pub(crate) use informer_runtime::engine::Buckets;
}
pub(crate) mod chain {
    pub(crate) use informer_runtime::engine::Chain;
}
pub(crate) mod panic {
    pub(crate) use informer_runtime::engine::{HINT, Panicked, catch, catch_async};
}

//! Listers: read access to the cache, as controllers use it.
//!
//! `lister.namespace("x").get("y")` exists for namespaced types only, `lister.get("y")` for
//! cluster-scoped types only; the wrong call does not compile. Every list is a consistent view of
//! one moment, ordered by key.

mod caches;
mod error;
mod index;
mod lister;
mod namespace;
mod select;
#[cfg(test)]
mod tests;

pub use self::caches::{CacheId, ReadsCaches, VisitCache};
pub use self::error::{GetError, ScopeError};
pub use self::index::{defined, over_objects};
pub(crate) use self::index::{over_label, over_path};
pub(crate) use self::lister::EarlyReads;
pub use self::lister::Lister;
pub use self::namespace::NamespaceLister;

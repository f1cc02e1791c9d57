//! Listers: the cache as a controller reads it.
//!
//! `lister.namespace("x").get("y")` exists for namespaced types only, `lister.get("y")` for
//! cluster-scoped ones; the other one does not compile. Every list is of one moment and ordered by
//! key.

mod error;
mod index;
mod lister;
mod namespace;
#[cfg(test)]
mod tests;

pub use self::error::{GetError, ScopeError};
pub(crate) use self::index::{over_objects, over_path};
pub use self::lister::Lister;
pub use self::namespace::NamespaceLister;

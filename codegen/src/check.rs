//! Checks a declaration, and resolves its names, paths and types: each rule once, for every input.
//!
//! The result is always complete. It includes wrong indices and relations, without a source, for
//! the code that the derive emits next to errors.

mod index;
mod name;
mod relation;
pub mod resolver;
pub mod selectable;
pub mod value;

use syn::Path;

pub use self::name::{accessor, prefix};
use self::resolver::Resolver;
use crate::declaration::Declaration;
use crate::ir::{Index, Relation};

/// Checks the indices of `declaration`. `runtime` is the path of the crate `informer`.
pub fn indices(resolver: &dyn Resolver, declaration: &Declaration, runtime: &Path) -> Vec<Index> {
    index::check(resolver, &declaration.indices, runtime)
}

/// Checks the relations of `declaration`, whose indices are `indices`.
pub fn relations(
    resolver: &dyn Resolver,
    declaration: &Declaration,
    indices: &[Index],
) -> Vec<Relation> {
    relation::check(resolver, &declaration.relations, indices)
}

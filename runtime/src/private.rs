//! Items that generated code may name, as `informer::__private`.
//!
//! This module is not public API. It changes together with the generators, and
//! [`assert_codegen_abi`] rejects code that does not match. [`path!`] reads the values at the path of
//! an index, by means of [`Peel`] and [`map_value`].

mod definition;
mod dynamic;
mod identity;
mod path;
mod scope;
mod selector;
mod spelling;
mod table;
mod walk;

use k8s_openapi::DeepMerge;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

pub use self::definition::{Definition, EachIndex, Reads, ValuesOf, assert_index_value, values_of};
pub use self::dynamic::{
    DynamicObject, dynamic_get, dynamic_lister, dynamic_namespace, dynamic_resource, json_values,
    places, values_at,
};
pub use self::identity::{
    DefinedCluster, DefinedNamespaced, assert_defined, assert_defined_cluster,
    assert_defined_namespaced,
};
pub use self::scope::{
    IsCluster, IsNamespaced, TypedObject, assert_cluster, assert_namespaced, assert_object,
};
pub use self::spelling::{Spelt, SpeltAsInKubernetes, SpeltOtherwise};
pub use self::table::{ResourceTable, discover_or_metadata, or_metadata};
pub use self::walk::{IndexValue, Map, Peel, PeelNothing, index_value, map_value};
#[doc(hidden)]
pub use crate::__path as path;
pub use crate::factory::DiscoverError;
pub use crate::indexer::IndexValue as AnyIndexValue;

/// Revision of this module. Generated code must be written for the same revision.
pub const CODEGEN_ABI: u32 = 8;

/// Fails the build of code that was generated for another revision of this module.
///
/// # Panics
///
/// Panics if `found` is not [`CODEGEN_ABI`]. It is called in constants only, so the panic is a
/// build error.
pub const fn assert_codegen_abi(found: u32) {
    assert!(
        found >= CODEGEN_ABI,
        "this code was generated for an older version of `informer`: update `informer-derive` and \
         `informer-gen` to the version of `informer`, and generate it again"
    );
    assert!(
        found <= CODEGEN_ABI,
        "this code was generated for a newer version of `informer`: update `informer` to the \
         version of `informer-derive` and `informer-gen`"
    );
}

/// Returns the metadata of `object`.
#[must_use]
pub fn metadata<K: Resource>(object: &K) -> &ObjectMeta {
    object.meta()
}

#[cfg(test)]
mod tests;

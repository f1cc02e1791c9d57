//! What generated code may name, as `informer::__private`.
//!
//! No part of the public interface: it changes with the generators, and [`assert_codegen_abi`]
//! tells when the two do not fit. Values at the path of an index are reached by [`Peel`],
//! [`map_value`] and [`index_value`].

mod dynamic;
mod identity;
mod owner;
mod scope;
mod spelling;
mod walk;

use std::borrow::Borrow;
use std::sync::Arc;

use k8s_openapi::DeepMerge;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use crate::indexer;
use crate::indexer::Snapshot;
use crate::lister::Index;
use crate::object::Object;
use crate::shared_informer::SharedInformer;

/// Not every user has the prelude.
pub use core::iter::Iterator;

pub use self::dynamic::{DynamicObject, dynamic, dynamic_get, dynamic_namespace};
pub use self::identity::{
    DefinedCluster, DefinedNamespaced, assert_defined, assert_defined_cluster,
    assert_defined_namespaced,
};
pub use self::owner::{controller_of, controller_uid};
pub use self::scope::{
    ClusterObject, IsCluster, IsNamespaced, NamespacedObject, assert_cluster, assert_namespaced,
    assert_object,
};
pub use self::spelling::{Spelt, SpeltAsInKubernetes, SpeltOtherwise};
pub use self::walk::{IndexValue, Map, Peel, PeelNothing, index_value, map_value};

/// The revision of this module that generated code must be written for.
pub const CODEGEN_ABI: u32 = 1;

/// Fails the build of generated code that was written for another revision of this module.
///
/// # Panics
///
/// If `found` is not [`CODEGEN_ABI`]; called in constants only.
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

/// The metadata of `object`.
#[must_use]
pub fn metadata<K: Resource>(object: &K) -> &ObjectMeta {
    object.meta()
}

/// The index of this name over `informer`, added if it is not there.
///
/// Every call of a generated constructor asks for it; the first one adds it.
#[must_use]
pub fn index<K, V>(
    informer: &SharedInformer<K>,
    name: &'static str,
    values: impl Fn(&K) -> Vec<V> + Send + Sync + 'static,
) -> Index<K, V>
where
    K: Object,
    V: indexer::IndexValue,
{
    if let Some(index) = informer.index(name) {
        return index;
    }
    let values = Arc::new(values);
    let add = |name: String| {
        let values = Arc::clone(&values);
        informer.add_index(name, move |object: &K| values(object))
    };
    // Somebody was faster, or took the name for an index of their own with other values. That one
    // is theirs: ours goes under a name that nobody picks.
    let mut name = name.to_owned();
    loop {
        if let Ok(index) = add(name.clone()) {
            return index;
        }
        if let Some(index) = informer.index(&name) {
            return index;
        }
        name.push_str(" (generated)");
    }
}

/// The objects that have this value in `snapshot`, ordered by key.
///
/// A generated lister's snapshots are younger than its indices, so none of them is missing there.
#[must_use]
pub fn all<K, V, Q>(index: &Index<K, V>, snapshot: &Snapshot<Arc<K>>, value: &Q) -> Vec<Arc<K>>
where
    K: Object,
    V: indexer::IndexValue + Borrow<Q>,
    Q: Ord + ?Sized,
{
    let view = index.in_snapshot(snapshot);
    view.map(|view| view.get(value)).unwrap_or_default()
}

/// The first object by key that has this value in `snapshot`. O(log n), however many have it.
#[must_use]
pub fn first<K, V, Q>(index: &Index<K, V>, snapshot: &Snapshot<Arc<K>>, value: &Q) -> Option<Arc<K>>
where
    K: Object,
    V: indexer::IndexValue + Borrow<Q>,
    Q: Ord + ?Sized,
{
    let entry = index.in_snapshot(snapshot)?.iter(value).next()?;
    Some(Arc::clone(&entry.handle))
}

#[cfg(test)]
mod tests {
    use super::*;

    const _: () = assert_codegen_abi(CODEGEN_ABI);

    #[test]
    #[should_panic(expected = "older version of `informer`")]
    fn code_of_an_older_generator_is_refused() {
        assert_codegen_abi(CODEGEN_ABI - 1);
    }

    #[test]
    #[should_panic(expected = "newer version of `informer`")]
    fn code_of_a_newer_generator_is_refused() {
        assert_codegen_abi(CODEGEN_ABI + 1);
    }
}

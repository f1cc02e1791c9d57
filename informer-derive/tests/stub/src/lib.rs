//! The least that generated code compiles against, for the tests of informer-derive.
//!
//! Types and bounds are those of `informer`; there is no server and no cache. An informer holds
//! the objects that a test gives the factory, and an index really indexes them.

use std::any::Any;
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

pub use informer_derive_stub_macros::{CustomResource, Resource};

// The real one: walking is the half of generated code that rustc decides about.
#[path = "../../../../runtime/src/private/walk.rs"]
mod walk;

// The real one, too.
#[path = "../../../../runtime/src/private/spelling.rs"]
mod spelling;

/// `k8s_openapi::DeepMerge`, by which its types are told.
pub trait DeepMerge {}

/// Metadata of an object.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "they are Kubernetes'")]
pub struct ObjectMeta {
    pub name: Option<String>,
    pub namespace: Option<String>,
    pub generation: Option<i64>,
    pub finalizers: Option<Vec<String>>,
    pub labels: Option<std::collections::BTreeMap<String, String>>,
    pub annotations: Option<std::collections::BTreeMap<String, String>>,
    pub owner_references: Option<Vec<OwnerReference>>,
}

/// The owner of an object.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "they are Kubernetes'")]
pub struct OwnerReference {
    pub kind: String,
    pub name: String,
    pub uid: String,
    pub controller: Option<bool>,
}

/// `informer::ObjectKey`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are Kubernetes'")]
pub struct ObjectKey {
    pub namespace: Option<String>,
    pub name: String,
}

/// `informer::index::IndexValue`.
#[diagnostic::on_unimplemented(message = "an index cannot hold values of type `{Self}`")]
pub trait IndexValue: Ord + Clone + Send + Sync + 'static {}

macro_rules! index_values {
    ($($value:ty),*) => {
        $(impl IndexValue for $value {})*
    };
}

index_values!(String, ObjectKey, bool, char, i32, i64, u8, u16, u32, u64);

/// `kube::Resource`.
pub trait Resource {
    /// Where objects live.
    type Scope;

    /// The kind.
    const KIND: &'static str = "";

    /// The metadata.
    fn meta(&self) -> &ObjectMeta;
}

/// `informer::Object`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type that an informer can cache",
    label = "cannot be cached"
)]
pub trait Object: Resource + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<K: Resource + Send + Sync + 'static> Object for K {}

/// `k8s_openapi::NamespaceResourceScope`.
#[derive(Debug)]
pub struct NamespaceScope;

/// `k8s_openapi::ClusterResourceScope`.
#[derive(Debug)]
pub struct ClusterScope;

/// Holds the objects of all types.
#[derive(Default, Debug)]
pub struct SharedInformerFactory {
    objects: Vec<Arc<dyn Any2>>,
}

/// `Any` that prints.
trait Any2: Any + fmt::Debug + Send + Sync {}

impl<T: Any + fmt::Debug + Send + Sync> Any2 for T {}

/// Objects of one type.
pub struct SharedInformer<K: Object> {
    objects: Arc<[Arc<K>]>,
}

/// Reads objects of one type.
pub struct Lister<K: Object> {
    objects: Arc<[Arc<K>]>,
}

/// Reads objects of one type in one namespace.
pub struct NamespaceLister<K: Object> {
    objects: Vec<Arc<K>>,
}

/// Objects by value.
pub struct Index<K, V> {
    name: &'static str,
    entries: Arc<[(V, Arc<K>)]>,
}

/// The objects of one moment, as `H` holds them.
pub struct Snapshot<H> {
    objects: Arc<[H]>,
}

// Derives would ask for `K: Clone` and `K: Debug`.
macro_rules! clone_and_debug {
    ($name:ident<$($parameter:ident $(: $bound:ident)?),*> { $($field:ident),* }) => {
        impl<$($parameter $(: $bound)?),*> Clone for $name<$($parameter),*> {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),* }
            }
        }

        impl<$($parameter $(: $bound)?),*> fmt::Debug for $name<$($parameter),*> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

clone_and_debug!(SharedInformer<K: Object> { objects });
clone_and_debug!(Lister<K: Object> { objects });
clone_and_debug!(NamespaceLister<K: Object> { objects });
clone_and_debug!(Snapshot<H> { objects });
clone_and_debug!(Index<K, V> { name, entries });

impl SharedInformerFactory {
    /// Adds an object.
    #[must_use]
    pub fn with<K: fmt::Debug + Send + Sync + 'static>(mut self, object: K) -> Self {
        self.objects.push(Arc::new(Arc::new(object)));
        self
    }

    /// The informer of `K`.
    #[must_use]
    pub fn informer<K: Object>(&self) -> SharedInformer<K> {
        let objects = self.objects.iter().filter_map(|object| {
            let object: &dyn Any = &**object;
            object.downcast_ref::<Arc<K>>().cloned()
        });
        SharedInformer {
            objects: objects.collect(),
        }
    }
}

impl<K: Object> SharedInformer<K> {
    /// Reads the objects.
    #[must_use]
    pub fn lister(&self) -> Lister<K> {
        Lister {
            objects: Arc::clone(&self.objects),
        }
    }
}

impl<K: Object> Lister<K> {
    /// All objects.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<K>> {
        self.objects.to_vec()
    }

    /// The objects of this moment.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<Arc<K>> {
        Snapshot {
            objects: Arc::clone(&self.objects),
        }
    }
}

impl<H> Snapshot<H> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
}

impl<K: Object<Scope = NamespaceScope>> Lister<K> {
    /// The objects of one namespace.
    #[must_use]
    pub fn namespace(&self, namespace: &str) -> NamespaceLister<K> {
        let inside = |k: &&Arc<K>| k.meta().namespace.as_deref() == Some(namespace);
        NamespaceLister {
            objects: self.objects.iter().filter(inside).cloned().collect(),
        }
    }
}

impl<K: Object> NamespaceLister<K> {
    /// The object `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        self.objects
            .iter()
            .find(|k| k.meta().name.as_deref() == Some(name))
            .cloned()
    }
}

impl<K, V> Index<K, V> {
    /// The name that the index was added with.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The objects with `value`.
    #[must_use]
    pub fn get<Q: ?Sized + Ord>(&self, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q>,
    {
        let entries = self.entries.iter().filter(|(v, _)| v.borrow() == value);
        entries.map(|(_, object)| Arc::clone(object)).collect()
    }
}

/// What generated code may name.
#[doc(hidden)]
pub mod __private {
    use super::{
        Arc, Borrow, ClusterScope, Index, NamespaceScope, Object, ObjectKey, ObjectMeta,
        OwnerReference, Resource, SharedInformer, Snapshot,
    };

    pub use super::spelling::{Spelt, SpeltAsInKubernetes, SpeltOtherwise};
    pub use super::walk::{IndexValue, Map, Peel, PeelNothing, index_value, map_value};

    pub fn controller_uid<K: Resource>(object: &K) -> Vec<String> {
        controllers(object).map(|owner| owner.uid.clone()).collect()
    }

    pub fn controller_of<O: Resource, K: Resource>(object: &K) -> Vec<ObjectKey> {
        let of_type = controllers(object).filter(|owner| owner.kind == O::KIND);
        of_type
            .map(|owner| ObjectKey {
                namespace: object.meta().namespace.clone(),
                name: owner.name.clone(),
            })
            .collect()
    }

    fn controllers(object: &impl Resource) -> impl Iterator<Item = &OwnerReference> {
        let owners = object.meta().owner_references.iter().flatten();
        owners.filter(|owner| owner.controller == Some(true))
    }

    pub fn all<K, V: Borrow<Q>, Q: ?Sized + Ord>(
        index: &Index<K, V>,
        _: &Snapshot<Arc<K>>,
        value: &Q,
    ) -> Vec<Arc<K>> {
        index.get(value)
    }

    pub fn first<K, V: Borrow<Q>, Q: ?Sized + Ord>(
        index: &Index<K, V>,
        _: &Snapshot<Arc<K>>,
        value: &Q,
    ) -> Option<Arc<K>> {
        index.get(value).into_iter().next()
    }

    pub const fn assert_codegen_abi(found: u32) {
        assert!(found == 1, "another version of `informer`");
    }

    #[diagnostic::on_unimplemented(
        message = "`scope = \"Namespaced\"` is not the scope of this type, which is `{Self}`"
    )]
    pub trait IsNamespaced {}
    impl IsNamespaced for NamespaceScope {}

    #[diagnostic::on_unimplemented(
        message = "`scope = \"Cluster\"` is not the scope of this type, which is `{Self}`"
    )]
    pub trait IsCluster {}
    impl IsCluster for ClusterScope {}

    pub const fn assert_object<K: Object>() {}
    pub const fn assert_namespaced<K: Object<Scope: IsNamespaced>>() {}
    pub const fn assert_cluster<K: Object<Scope: IsCluster>>() {}

    pub trait NamespacedObject: Object<Scope = NamespaceScope> {}
    impl<K: Object<Scope = NamespaceScope>> NamespacedObject for K {}

    pub trait ClusterObject: Object<Scope = ClusterScope> {}
    impl<K: Object<Scope = ClusterScope>> ClusterObject for K {}

    pub fn metadata<K: Resource>(object: &K) -> &ObjectMeta {
        object.meta()
    }

    pub fn index<K: Object, V: super::IndexValue>(
        informer: &SharedInformer<K>,
        name: &'static str,
        values: impl Fn(&K) -> Vec<V> + Send + Sync + 'static,
    ) -> Index<K, V> {
        let entries = informer.objects.iter().flat_map(|object| {
            values(object)
                .into_iter()
                .map(|value| (value, Arc::clone(object)))
        });
        Index {
            name,
            entries: entries.collect(),
        }
    }
}

//! What generated code needs of the runtime: just enough to compile it and to see it work.

use std::any::{Any, TypeId};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Gives each type the objects that were put in.
#[derive(Clone, Debug, Default)]
pub struct SharedInformerFactory {
    objects: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

/// Has the objects of one type.
#[derive(Debug)]
pub struct SharedInformer<K> {
    objects: Arc<Vec<Arc<K>>>,
}

/// Lists all objects.
#[derive(Debug)]
pub struct Lister<K> {
    objects: Arc<Vec<Arc<K>>>,
}

/// Remembers its namespace.
#[derive(Debug)]
pub struct NamespaceLister<'a, K> {
    lister: &'a Lister<K>,
    /// What `namespace` was called with.
    pub namespace: &'a str,
}

/// All objects at one moment.
#[derive(Debug)]
pub struct Snapshot<H> {
    objects: Arc<Vec<H>>,
}

/// The name of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectKey(pub String);

/// The name of a resource.
#[derive(Debug)]
pub struct GroupVersionResource {
    /// Empty for the core group.
    pub group: String,
    /// Version.
    pub version: String,
    /// Plural.
    pub resource: String,
}

/// Remembers the type of its objects.
#[derive(Debug)]
pub struct GenericInformer {
    /// The name of the type.
    pub of: &'static str,
}

impl<K> From<SharedInformer<K>> for GenericInformer {
    fn from(_: SharedInformer<K>) -> Self {
        Self {
            of: std::any::type_name::<K>(),
        }
    }
}

type Values<K, V> = dyn Fn(&K) -> Vec<V> + Send + Sync;

/// Finds objects by the values that a function gives for each.
pub struct Index<K, V> {
    objects: Arc<Vec<Arc<K>>>,
    values: Arc<Values<K, V>>,
    /// The name it was registered with.
    pub name: &'static str,
}

impl SharedInformerFactory {
    /// Puts the objects of one type in.
    #[must_use]
    pub fn with<K: Send + Sync + 'static>(mut self, objects: Vec<K>) -> Self {
        let objects: Vec<Arc<K>> = objects.into_iter().map(Arc::new).collect();
        self.objects.insert(TypeId::of::<K>(), Arc::new(objects));
        self
    }

    /// The informer of one type.
    #[must_use]
    pub fn informer<K: Send + Sync + 'static>(&self) -> SharedInformer<K> {
        let objects = self.objects.get(&TypeId::of::<K>()).cloned();
        let objects = objects.and_then(|objects| objects.downcast().ok());
        SharedInformer {
            objects: objects.unwrap_or_default(),
        }
    }
}

impl<K> SharedInformer<K> {
    /// The lister.
    #[must_use]
    pub fn lister(&self) -> Lister<K> {
        Lister {
            objects: self.objects.clone(),
        }
    }
}

impl<K> Lister<K> {
    /// The lister of one namespace.
    #[must_use]
    pub fn namespace<'a>(&'a self, namespace: &'a str) -> NamespaceLister<'a, K> {
        NamespaceLister {
            lister: self,
            namespace,
        }
    }

    /// What is there now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<Arc<K>> {
        Snapshot {
            objects: self.objects.clone(),
        }
    }

    /// How many objects there are.
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

impl<K, V: PartialEq> Index<K, V> {
    /// The objects with a value.
    #[must_use]
    pub fn get<Q: ?Sized + PartialEq>(&self, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q>,
    {
        let has = |object: &&Arc<K>| (self.values)(object).iter().any(|v| v.borrow() == value);
        self.objects.iter().filter(has).cloned().collect()
    }
}

impl<K> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self {
            objects: self.objects.clone(),
        }
    }
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self {
            objects: self.objects.clone(),
        }
    }
}

impl<H> Clone for Snapshot<H> {
    fn clone(&self) -> Self {
        Self {
            objects: self.objects.clone(),
        }
    }
}

impl<K> Deref for NamespaceLister<'_, K> {
    type Target = Lister<K>;

    fn deref(&self) -> &Lister<K> {
        self.lister
    }
}

impl<K, V> Clone for Index<K, V> {
    fn clone(&self) -> Self {
        Self {
            objects: self.objects.clone(),
            values: self.values.clone(),
            name: self.name,
        }
    }
}

impl<K, V> fmt::Debug for Index<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What only generated code names.
pub mod __private {
    use super::{
        Arc, Borrow, Index, Lister, NamespaceLister, ObjectKey, SharedInformer,
        SharedInformerFactory, Snapshot,
    };
    use k8s_openapi::Metadata;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

    /// Refuses code of another generator.
    ///
    /// # Panics
    ///
    /// If `abi` is not 1.
    pub const fn assert_codegen_abi(abi: u32) {
        assert!(abi == 1, "generated by another version of informer-gen");
    }

    /// Adds an index.
    pub fn index<K, V>(
        informer: &SharedInformer<K>,
        name: &'static str,
        values: impl Fn(&K) -> Vec<V> + Send + Sync + 'static,
    ) -> Index<K, V> {
        Index {
            objects: informer.objects.clone(),
            values: Arc::new(values),
            name,
        }
    }

    pub use core::iter::Iterator;

    /// Objects without a type.
    #[derive(Debug)]
    pub struct DynamicObject {
        /// As in all objects.
        pub metadata: ObjectMeta,
    }

    /// Checks nothing here.
    pub const fn assert_defined_namespaced<K>() {}

    /// Checks nothing here.
    pub const fn assert_defined_cluster<K>() {}

    /// Checks nothing here.
    pub fn assert_defined<K>(_group: &str, _version: &str, _kind: &str, _plural: &str) {}

    /// The informer of a resource.
    #[must_use]
    pub fn dynamic(
        factory: &SharedInformerFactory,
        _group: &str,
        _version: &str,
        _kind: &str,
        _plural: &str,
        _namespaced: bool,
    ) -> SharedInformer<DynamicObject> {
        factory.informer()
    }

    /// One namespace of a resource.
    #[must_use]
    pub fn dynamic_namespace<'a>(
        lister: &'a Lister<DynamicObject>,
        namespace: &'a str,
    ) -> NamespaceLister<'a, DynamicObject> {
        lister.namespace(namespace)
    }

    /// An object of a resource.
    #[must_use]
    pub fn dynamic_get(lister: &Lister<DynamicObject>, _name: &str) -> Option<Arc<DynamicObject>> {
        lister.objects.first().cloned()
    }

    /// The objects with a value, of whatever moment.
    #[must_use]
    pub fn all<K, V, Q>(index: &Index<K, V>, _: &Snapshot<Arc<K>>, value: &Q) -> Vec<Arc<K>>
    where
        V: PartialEq + Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        index.get(value)
    }

    /// The first of them.
    #[must_use]
    pub fn first<K, V, Q>(index: &Index<K, V>, _: &Snapshot<Arc<K>>, value: &Q) -> Option<Arc<K>>
    where
        V: PartialEq + Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        index.get(value).into_iter().next()
    }

    /// The UID of the controller.
    #[must_use]
    pub fn controller_uid<K: Metadata<Ty = ObjectMeta>>(object: &K) -> Vec<String> {
        let owners = object.metadata().owner_references.iter().flatten();
        let controllers = owners.filter(|owner| owner.controller == Some(true));
        controllers.map(|owner| owner.uid.clone()).collect()
    }

    /// The name of the controller, if it is of a kind.
    #[must_use]
    pub fn controller_of<O, K>(object: &K) -> Vec<ObjectKey>
    where
        O: k8s_openapi::Resource,
        K: Metadata<Ty = ObjectMeta>,
    {
        let owners = object.metadata().owner_references.iter().flatten();
        let controllers = owners.filter(|owner| owner.controller == Some(true));
        controllers
            .filter(|owner| owner.kind == O::KIND)
            .map(|owner| ObjectKey(owner.name.clone()))
            .collect()
    }

    pub use super::walk::{Peel, PeelNothing, index_value, map_value};
}

// The real thing: what generated code is to work with.
#[path = "../../../runtime/src/private/walk.rs"]
#[allow(
    unreachable_pub,
    dead_code,
    clippy::allow_attributes,
    reason = "a part of the runtime"
)]
mod walk;

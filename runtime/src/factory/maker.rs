//! [`MakeInformers`]: what generated accessors are methods of.

use kube::core::DynamicObject;

use super::shared_informer_factory::SharedInformerFactory;
use super::stored_as::StoredAs;
use crate::object::{Object, ResourceInfo};
use crate::shared_informer::{InformerOptions, SharedInformer};
use crate::storage::{Storage, Typed};

/// Makes informers, and shares those that it made: a [`SharedInformerFactory`], or its informers in
/// another [storage](Self::Storage).
///
/// Accessors such as `factory.foos()` and `factory.apps().v1().deployments()` are written for
/// whatever implements this. So are yours, once you implement it: for a factory of many clusters, or
/// for a stand-in that a test fills.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// # use k8s_openapi::api::core::v1::Pod;
/// use informer::{InformerOptions, MakeInformers, SharedInformer, Storage};
///
/// fn pods<M: MakeInformers<Storage: Storage<Pod>>>(maker: &M) -> SharedInformer<Pod, M::Storage> {
///     maker.make(InformerOptions::new())
/// }
/// ```
pub trait MakeInformers {
    /// How the informers hold their objects.
    type Storage;

    /// Returns the informer of `K` with these settings: the same settings are the same informer.
    fn make<K>(
        &self,
        options: InformerOptions<K, Self::Storage>,
    ) -> SharedInformer<K, Self::Storage>
    where
        K: Object<DynamicType = ()>,
        Self::Storage: Storage<K>;

    /// Returns the informer of a resource without a Rust type.
    fn make_dynamic(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<DynamicObject, Self::Storage>,
    ) -> SharedInformer<DynamicObject, Self::Storage>
    where
        Self::Storage: Storage<DynamicObject>;
}

impl MakeInformers for SharedInformerFactory {
    type Storage = Typed;

    fn make<K>(&self, options: InformerOptions<K>) -> SharedInformer<K>
    where
        K: Object<DynamicType = ()>,
    {
        self.informer_with(options)
    }

    fn make_dynamic(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<DynamicObject>,
    ) -> SharedInformer<DynamicObject> {
        self.dynamic_with(resource, options)
    }
}

impl<S> MakeInformers for StoredAs<'_, S> {
    type Storage = S;

    fn make<K>(&self, options: InformerOptions<K, S>) -> SharedInformer<K, S>
    where
        K: Object<DynamicType = ()>,
        S: Storage<K>,
    {
        self.informer_with(options)
    }

    fn make_dynamic(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<DynamicObject, S>,
    ) -> SharedInformer<DynamicObject, S>
    where
        S: Storage<DynamicObject>,
    {
        self.dynamic_with(resource, options)
    }
}

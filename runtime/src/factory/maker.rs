//! [`MakeInformers`]: the trait whose implementations have the generated accessors.

use kube::core::DynamicObject;

use super::shared_informer_factory::SharedInformerFactory;
use super::stored_as::StoredAs;
use crate::object::{Object, ResourceInfo};
use crate::shared_informer::{InformerOptions, SharedInformer};
use crate::storage::{Storage, Typed};

/// Creates informers, and shares those that exist already. Implemented by
/// [`SharedInformerFactory`], and by its view with another [storage](Self::Storage).
///
/// Generated accessors such as `factory.foos()` and `factory.apps().v1().deployments()` are methods
/// of every implementation of this trait. Users can implement it too, for example for a factory
/// over many clusters, or for a fake that a test fills.
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
    /// Storage that holds the objects of the informers.
    type Storage;

    /// Returns the informer of `K` with these settings. Requests with the same settings share one
    /// informer.
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

impl<K: Object<DynamicType = ()>, S: Storage<K>> SharedInformer<K, S> {
    /// Returns the informer that `maker` shares. Creates it if it does not exist.
    #[must_use]
    pub fn new<M: MakeInformers<Storage = S>>(maker: &M) -> Self {
        maker.make(InformerOptions::new())
    }

    /// Returns the informer that `maker` shares for these settings, such as a selector, a namespace
    /// or a transform. Requests with the same settings share one informer.
    #[must_use]
    pub fn with<M: MakeInformers<Storage = S>>(maker: &M, options: InformerOptions<K, S>) -> Self {
        maker.make(options)
    }
}

//! [`StoredAs`]: a view of a factory with another storage.

use std::sync::Arc;

use derive_where::derive_where;
use kube::core::{DynamicObject, PartialObjectMeta};

use super::shared_informer_factory::SharedInformerFactory;
use crate::object::{Object, ResourceInfo};
use crate::shared_informer::{InformerOptions, SharedInformer};
use crate::storage::Storage;

/// View of a factory whose informers hold their objects in an `S`. Returned by
/// [`SharedInformerFactory::stored_as`] and
/// [`stored_as_with`](SharedInformerFactory::stored_as_with).
///
/// The settings of types and of the factory apply here too. If `S` does not accept an informer's
/// transform, the informer does not run, and reports the reason to its waiters.
///
/// # Examples
///
/// ```
/// # use informer_runtime::{Packed, SharedInformerFactory};
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(factory: &SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
/// let pods = factory.stored_as::<Packed>().informer::<Pod>();
/// if let Some(pod) = pods.lister().namespace("default").get("web") {
///     println!("{} {:?}", pod.key(), pod.decode()?.status);
/// }
/// # Ok(())
/// # }
/// ```
#[derive_where(Clone, Debug)]
pub struct StoredAs<'f, S> {
    factory: &'f SharedInformerFactory,
    /// Creates a storage for each informer.
    #[derive_where(skip(Debug))]
    make: Arc<dyn Fn() -> S + Send + Sync>,
}

// === impl StoredAs ===

impl<'f, S> StoredAs<'f, S> {
    pub(super) fn new(
        factory: &'f SharedInformerFactory,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> Self {
        Self {
            factory,
            make: Arc::new(make),
        }
    }

    /// Returns the informer of `K`; see [`SharedInformerFactory::informer`].
    #[must_use]
    pub fn informer<K>(&self) -> SharedInformer<K, S>
    where
        K: Object<DynamicType = ()>,
        S: Storage<K>,
    {
        self.informer_with(InformerOptions::new())
    }

    /// Returns the informer of `K` with additional settings; see
    /// [`SharedInformerFactory::informer_with`].
    #[must_use]
    pub fn informer_with<K>(&self, options: InformerOptions<K, S>) -> SharedInformer<K, S>
    where
        K: Object<DynamicType = ()>,
        S: Storage<K>,
    {
        let resource = ResourceInfo::of_type::<K>();
        self.factory.request(resource, (self.make)(), options)
    }

    /// Returns the informer of a resource without a Rust type; see
    /// [`SharedInformerFactory::dynamic`].
    #[must_use]
    pub fn dynamic(&self, resource: ResourceInfo) -> SharedInformer<DynamicObject, S>
    where
        S: Storage<DynamicObject>,
    {
        self.dynamic_with(resource, InformerOptions::new())
    }

    /// Returns the informer of a resource without a Rust type, with additional settings.
    #[must_use]
    pub fn dynamic_with(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<DynamicObject, S>,
    ) -> SharedInformer<DynamicObject, S>
    where
        S: Storage<DynamicObject>,
    {
        self.factory.request(resource, (self.make)(), options)
    }

    /// Returns an informer that caches only the objects' metadata; see
    /// [`SharedInformerFactory::metadata`].
    #[must_use]
    pub fn metadata(
        &self,
        resource: ResourceInfo,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>, S>
    where
        S: Storage<PartialObjectMeta<DynamicObject>>,
    {
        self.metadata_with(resource, InformerOptions::new())
    }

    /// Returns an informer that caches only the objects' metadata, with additional settings.
    #[must_use]
    pub fn metadata_with(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<PartialObjectMeta<DynamicObject>, S>,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>, S>
    where
        S: Storage<PartialObjectMeta<DynamicObject>>,
    {
        self.factory.request(resource, (self.make)(), options)
    }
}

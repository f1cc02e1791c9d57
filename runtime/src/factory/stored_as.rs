//! [`StoredAs`]: a factory's informers with a storage of choice.

use std::fmt;
use std::marker::PhantomData;

use kube::Client;
use kube::core::{DynamicObject, PartialObjectMeta};

use super::handle::SharedInformerFactory;
use super::options::InformerOptions;
use crate::shared_informer::SharedInformer;
use crate::source::{Form, KubeListerWatcher};
use crate::storage::Storage;
use crate::wire::SplitOptions;
use crate::{Object, ResourceInfo};

/// The informers of a factory whose objects are held by an `S`; made by
/// [`SharedInformerFactory::stored_as`].
///
/// Settings of types and of the factory hold here as they do there. A transform that `S` does not
/// accept keeps its informer from running, and whoever waits for it is told why.
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
#[derive(Clone, Copy)]
pub struct StoredAs<'f, S> {
    factory: &'f SharedInformerFactory,
    storage: PhantomData<fn() -> S>,
}

// === impl StoredAs ===

impl<'f, S> StoredAs<'f, S> {
    pub(super) fn new(factory: &'f SharedInformerFactory) -> Self {
        Self {
            factory,
            storage: PhantomData,
        }
    }

    /// The informer of `K`; see [`SharedInformerFactory::informer`].
    #[must_use]
    pub fn informer<K>(&self) -> SharedInformer<K, S>
    where
        K: Object<DynamicType = ()>,
        S: Storage<K> + Default,
    {
        self.informer_with(InformerOptions::new())
    }

    /// The informer of `K` with settings of its own; see
    /// [`SharedInformerFactory::informer_with`].
    #[must_use]
    pub fn informer_with<K>(&self, options: InformerOptions<K>) -> SharedInformer<K, S>
    where
        K: Object<DynamicType = ()>,
        S: Storage<K> + Default,
    {
        let resource = ResourceInfo::of_type::<K>();
        self.factory
            .request(resource, options, KubeListerWatcher::new)
    }

    /// An informer of objects without a Rust type; see [`SharedInformerFactory::dynamic`].
    #[must_use]
    pub fn dynamic(&self, resource: ResourceInfo) -> SharedInformer<DynamicObject, S>
    where
        S: Storage<DynamicObject> + Default,
    {
        self.dynamic_with(resource, InformerOptions::new())
    }

    /// An informer of objects without a Rust type, with settings of its own.
    #[must_use]
    pub fn dynamic_with(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<DynamicObject>,
    ) -> SharedInformer<DynamicObject, S>
    where
        S: Storage<DynamicObject> + Default,
    {
        self.factory.request(resource, options, dynamic_source)
    }

    /// An informer of objects' metadata only; see [`SharedInformerFactory::metadata`].
    #[must_use]
    pub fn metadata(
        &self,
        resource: ResourceInfo,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>, S>
    where
        S: Storage<PartialObjectMeta<DynamicObject>> + Default,
    {
        self.metadata_with(resource, InformerOptions::new())
    }

    /// An informer of objects' metadata only, with settings of its own.
    #[must_use]
    pub fn metadata_with(
        &self,
        resource: ResourceInfo,
        options: InformerOptions<PartialObjectMeta<DynamicObject>>,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>, S>
    where
        S: Storage<PartialObjectMeta<DynamicObject>> + Default,
    {
        self.factory.request(resource, options, |client, resource| {
            dynamic_source(client, resource).form(Form::Metadata)
        })
    }
}

/// Objects of a list say nothing of their type; who has no Rust type for them has to be told.
fn dynamic_source(client: Client, resource: ResourceInfo) -> KubeListerWatcher {
    KubeListerWatcher::new(client, resource)
        .split_options(SplitOptions::default().add_type_meta(true))
}

impl<S> fmt::Debug for StoredAs<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredAs")
            .field("storage", &std::any::type_name::<S>())
            .field("factory", self.factory)
            .finish()
    }
}

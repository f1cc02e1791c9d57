//! The runtime, with informers that tests fill.
//!
//! The informers have no server: [`SharedInformerFactory`] creates informers that never run, which
//! proves that accessors work with every implementation of a factory. Types need neither
//! `Deserialize` nor a kind.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

#[doc(hidden)]
pub use informer_controller::private as __private;
pub use informer_controller::relations;
pub use informer_derive_stub_macros::{CustomResource, Deserialize, Resource, rustc_arguments};
pub use informer_runtime::*;
pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
pub use k8s_openapi::{
    ClusterResourceScope as ClusterScope, NamespaceResourceScope as NamespaceScope,
};
#[doc(hidden)]
pub use {k8s_openapi, kube, serde};

use informer_runtime::source::FakeControllerSource;

/// The module of the same name of `informer`.
pub mod advanced {
    pub use informer_runtime::indexer::Indexer;
}

/// The module of the same name of `informer`.
pub mod index {
    pub use informer_runtime::indexer::AddIndexError;
}

/// Holds objects of all types, and creates informers with these objects.
#[derive(Default, Debug)]
pub struct SharedInformerFactory {
    objects: Vec<Arc<dyn Stored>>,
}

/// `Any` with `Debug`.
trait Stored: Any + fmt::Debug + Send + Sync {}

impl<T: Any + fmt::Debug + Send + Sync> Stored for T {}

impl SharedInformerFactory {
    /// Adds an object.
    #[must_use]
    pub fn with<K: fmt::Debug + Send + Sync + 'static>(self, object: K) -> Self {
        self.with_all([object])
    }

    /// Adds objects of one type.
    #[must_use]
    pub fn with_all<K: fmt::Debug + Send + Sync + 'static>(
        mut self,
        objects: impl IntoIterator<Item = K>,
    ) -> Self {
        let objects = objects.into_iter().map(|it| Arc::new(Arc::new(it)) as _);
        self.objects.extend(objects);
        self
    }

    fn fill<K: Object>(&self, informer: &SharedInformer<K>) {
        let objects = self.objects.iter().filter_map(|object| {
            let object: &dyn Any = &**object;
            object.downcast_ref::<Arc<K>>()
        });
        for (position, object) in objects.enumerate() {
            let metadata = object.meta();
            let unnamed = format!("object-{position}");
            let name = metadata.name.as_ref().unwrap_or(&unnamed);
            let key = ObjectKey::new(metadata.namespace.as_deref(), name);
            let entry = Entry::new(key, "1".into(), Arc::<K>::clone(object));
            informer.indexer().add(entry);
        }
    }
}

impl MakeInformers for SharedInformerFactory {
    type Storage = Typed;

    #[expect(
        clippy::expect_used,
        reason = "no option is set that could be rejected"
    )]
    fn make<K: Object<DynamicType = ()>>(&self, _: InformerOptions<K>) -> SharedInformer<K> {
        let builder = SharedInformer::builder(FakeControllerSource::new());
        let informer = builder.build().expect("the type has a resource");
        self.fill(&informer);
        informer
    }

    #[expect(
        clippy::expect_used,
        reason = "no option is set that could be rejected"
    )]
    fn make_dynamic(
        &self,
        resource: ResourceInfo,
        _: InformerOptions<kube::core::DynamicObject>,
    ) -> SharedInformer<kube::core::DynamicObject> {
        let builder = SharedInformer::builder(FakeControllerSource::new()).resource(resource);
        let informer = builder.build().expect("the resource is known");
        self.fill(&informer);
        informer
    }
}

/// Implements a resource that never deserializes: `resource!([T] Pod<T>, NamespaceScope,
/// metadata)`.
#[macro_export]
macro_rules! resource {
    ([$($parameter:ident),*] $type:ty, $scope:ty, $metadata:tt) => {
        $crate::resource!([$($parameter),*] $type, $scope, $metadata, "Stub");
    };
    ([$($parameter:ident),*] $type:ty, $scope:ty, $metadata:tt, $kind:expr) => {
        impl<$($parameter: ::core::marker::Send + ::core::marker::Sync + 'static),*>
            $crate::kube::Resource for $type
        {
            type DynamicType = ();
            type Scope = $scope;

            fn kind((): &()) -> ::std::borrow::Cow<'_, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed($kind)
            }

            fn group((): &()) -> ::std::borrow::Cow<'_, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed("example.com")
            }

            fn version((): &()) -> ::std::borrow::Cow<'_, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed("v1")
            }

            fn plural((): &()) -> ::std::borrow::Cow<'_, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed("stubs")
            }

            fn meta(&self) -> &$crate::ObjectMeta {
                &self.$metadata
            }

            fn meta_mut(&mut self) -> &mut $crate::ObjectMeta {
                &mut self.$metadata
            }
        }

        impl<'de, $($parameter),*> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                _: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::core::result::Result::Err($crate::serde::de::Error::custom("this type does not deserialize"))
            }
        }
    };
}

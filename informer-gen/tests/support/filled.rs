//! A maker of informers that hold what a test gives it: the runtime is the real one.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use informer_runtime::source::FakeControllerSource;
use informer_runtime::{
    Entry, InformerOptions, MakeInformers, Object, ObjectKey, ResourceInfo, SharedInformer, Typed,
};
use kube::core::DynamicObject;

/// Gives each type the objects that were put in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filled {
    objects: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

impl Filled {
    /// Puts the objects of one type in.
    #[must_use]
    pub(crate) fn with<K: Send + Sync + 'static>(mut self, objects: Vec<K>) -> Self {
        let objects: Vec<Arc<K>> = objects.into_iter().map(Arc::new).collect();
        self.objects.insert(TypeId::of::<K>(), Arc::new(objects));
        self
    }

    fn fill<K: Object>(&self, informer: &SharedInformer<K>) {
        let objects = self.objects.get(&TypeId::of::<K>());
        let objects = objects.and_then(|objects| objects.downcast_ref::<Vec<Arc<K>>>());
        for (position, object) in objects.into_iter().flatten().enumerate() {
            let metadata = object.meta();
            let unnamed = format!("~{position}");
            let name = metadata.name.as_ref().unwrap_or(&unnamed);
            informer.indexer().add(Entry {
                key: ObjectKey::new(metadata.namespace.as_deref(), name),
                uid: None,
                resource_version: "1".into(),
                handle: Arc::clone(object),
            });
        }
    }
}

impl MakeInformers for Filled {
    type Storage = Typed;

    #[expect(clippy::expect_used, reason = "nothing is set that could be refused")]
    fn make<K: Object<DynamicType = ()>>(&self, _: InformerOptions<K>) -> SharedInformer<K> {
        let builder = SharedInformer::builder(FakeControllerSource::new());
        let informer = builder.build().expect("the type says its resource");
        self.fill(&informer);
        informer
    }

    #[expect(clippy::expect_used, reason = "nothing is set that could be refused")]
    fn make_dynamic(
        &self,
        resource: ResourceInfo,
        _: InformerOptions<DynamicObject>,
    ) -> SharedInformer<DynamicObject> {
        let builder = SharedInformer::builder(FakeControllerSource::new()).resource(resource);
        let informer = builder.build().expect("the resource is given");
        self.fill(&informer);
        informer
    }
}

//! Resources: every built-in kind, metadata-only informers, and the life of a CRD.

use informer::{
    GenericInformer, GroupVersionResource, ResourceInfo, SharedInformerFactory, SyncError,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DeleteParams, DynamicObject, ListParams, PostParams};
use kube::discovery::Discovery;
use kube::{Api, CustomResourceExt as _};
use serde_json::json;

use super::{World, scenarios};
use crate::generated::Foo;
use crate::support::{ENCODINGS, quick, sync, within};

/// Returns informers of all watchable resources of the server that have a Rust type.
pub(crate) async fn informers_of(factory: &SharedInformerFactory) -> Vec<GenericInformer> {
    let served = Discovery::new(factory.client().clone())
        .run()
        .await
        .unwrap();
    let mut found = Vec::new();
    for group in served.groups() {
        for version in group.versions() {
            for (resource, capabilities) in group.versioned_resources(version) {
                if !capabilities.supports_operation("watch") {
                    continue;
                }
                let name = GroupVersionResource::new(
                    resource.group.clone(),
                    resource.version.clone(),
                    resource.plural.clone(),
                );
                found.extend(informer::k8s::for_resource(factory, &name));
            }
        }
    }
    found
}

/// Waits until the server does not serve the resource.
async fn until_not_served(objects: &Api<DynamicObject>) {
    loop {
        match objects.list(&ListParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => return,
            _ => {}
        }
    }
}

scenarios! {
    /// Each generated informer requests a resource that the server serves, and decodes the objects
    /// that the server creates itself.
    #[tokio::test]
    async fn every_built_in_kind_that_is_served_syncs(world: World) {
        let factory = SharedInformerFactory::builder(world.client.clone())
            .encoding(world.encoding)
            .config(quick())
            .build()
            .unwrap();
        let informers = informers_of(&factory).await;
        assert!(informers.len() > 40, "{} informers", informers.len());
        sync(&factory).await;
        for informer in &informers {
            let status = informer.status();
            assert!(status.undecodable.is_empty(), "{}: {status:?}", informer.name());
            assert_eq!(informer.metrics().rejected_objects, 0, "{}", informer.name());
        }
        let namespaces = informers.iter().find(|one| one.name() == "namespaces.v1").unwrap();
        assert!(namespaces.keys().iter().any(|key| key.name() == &*world.namespace));
        factory.shutdown().await;
    }

    #[tokio::test]
    async fn m02_metadata_is_all_that_a_metadata_informer_gets(world: World) {
        world.create("a", "1").await;
        let factory = world.factory();
        let maps = GroupVersionResource::new("", "v1", "configmaps");
        let resource = factory.discover(&maps).await.unwrap();
        let metadata = factory.metadata(resource.clone());
        let dynamic = factory.dynamic(resource);
        sync(&factory).await;
        world.create("b", "1").await;
        within("both", metadata.indexer().wait_until(|all| all.len() == 2)).await;
        within("both", dynamic.indexer().wait_until(|all| all.len() == 2)).await;
        let key = informer::ObjectKey::namespaced(&world.namespace, "b");
        let slim = metadata.lister().get_by_key(&key).unwrap();
        let whole = dynamic.lister().get_by_key(&key).unwrap();
        assert_eq!(slim.metadata, whole.metadata);
        assert_eq!(slim.metadata.labels.as_ref().unwrap()["app"], "b");
        assert_eq!(whole.data["data"]["v"], "1");
        factory.shutdown().await;
    }

    /// E-13, T-02.
    #[tokio::test]
    async fn e13_a_definition_comes_later_is_followed_and_goes_again(world: World) {
        let factory = world.factory();
        let foo = ApiResource::erase::<Foo>(&());
        let foos = factory.dynamic(ResourceInfo::of::<Foo>(&()).unwrap());
        factory.start().unwrap();
        let error = within("an answer", foos.wait_for_sync()).await.unwrap_err();
        assert!(matches!(error, SyncError::NotServed(_)), "{error}");

        let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
        let mut definition = Foo::crd();
        // Groups that end in `k8s.io` are protected.
        let approved = ("api-approved.kubernetes.io".into(), "unapproved, an example".into());
        definition.metadata.annotations = Some([approved].into());
        definitions.create(&PostParams::default(), &definition).await.unwrap();
        within("the first list", foos.indexer().wait_until(|cached| cached.is_synced())).await;
        let objects: Api<DynamicObject> =
            Api::namespaced_with(world.client.clone(), &world.namespace, &foo);
        let object = DynamicObject::new("a", &foo)
            .data(json!({ "spec": { "deploymentName": "web" } }));
        objects.create(&PostParams::default(), &object).await.unwrap();
        within("the object", foos.indexer().wait_until(|foos| foos.len() == 1)).await;

        let name = Foo::crd_name();
        definitions.delete(name, &DeleteParams::default()).await.unwrap();
        within("its end", foos.indexer().wait_until(|cached| cached.is_empty())).await;
        factory.shutdown().await;
        // The real server serves the resource for a moment longer. The next scenario must not find
        // it.
        within("no definition", until_not_served(&objects)).await;
    }
}

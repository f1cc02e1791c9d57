//! Informers without a Rust type: whole objects, and metadata only.

use std::sync::Arc;

use informer::factory::DiscoverError;
use informer::lister::ScopeError;
use informer::{
    GroupVersionResource, InformerOptions, ObjectKey, ResourceInfo, Scope, Selector, Transform,
    WatchListMode,
};
use informer_apiserver::{ApiServer, Verb};
use kube::CustomResourceExt as _;
use kube::core::{DynamicObject, PartialObjectMeta};
use serde_json::json;

use crate::generated::Foo;
use crate::support::{Cluster, MODES, Recorder, config_map, key, quick, sync, within};

fn maps() -> GroupVersionResource {
    GroupVersionResource::new("", "v1", "configmaps")
}

/// M-04: neither the first state nor the changes contain objects of other namespaces, or objects
/// that the tweak does not select.
#[tokio::test]
async fn m04_a_filtered_factory_delivers_what_it_selects_alone() {
    for mode in MODES {
        let cluster = Cluster::start().await;
        let put = |namespace: &str, name: &str| {
            let mut map = config_map(name, "1");
            map["metadata"]["namespace"] = namespace.into();
            cluster.control.create_direct(map).unwrap();
        };
        let selected = "app in (early, late)";
        let factory = cluster
            .builder()
            .config(quick().watch_list(mode))
            .namespace("default")
            .tweak_list_options(move |_, selectors| {
                selectors.label = Some(selected.parse().unwrap());
            })
            .build()
            .unwrap();
        let resource = factory.discover(&maps()).await.unwrap();
        let dynamic = factory.dynamic(resource.clone());
        let metadata = factory.metadata(resource);
        let whole: Recorder<DynamicObject> = Recorder::new();
        let slim: Recorder<PartialObjectMeta<DynamicObject>> = Recorder::new();
        dynamic.add_event_handler(whole.handler()).unwrap();
        metadata.add_event_handler(slim.handler()).unwrap();
        for namespace in ["elsewhere", "default"] {
            put(namespace, "unselected");
            put(namespace, "early");
        }
        sync(&factory).await;
        for namespace in ["elsewhere", "default"] {
            put(namespace, "also-unselected");
            put(namespace, "late");
        }
        // The last change: an unselected event would have arrived before.
        whole.until_events(2).await;
        slim.until_events(2).await;
        let expected = ["add default/early initial", "add default/late live"];
        assert_eq!(whole.events(), expected);
        assert_eq!(slim.events(), expected);
        assert_eq!(dynamic.lister().len(), 2);
        assert_eq!(metadata.lister().len(), 2);
        factory.shutdown().await;
    }
}

/// M-01, M-02, M-07.
#[tokio::test]
async fn m01_dynamic_and_metadata_informers_follow_by_gvr() {
    for mode in MODES {
        let cluster = Cluster::start().await;
        cluster.create("a", "1");
        let factory = cluster.factory_in(mode);
        let resource = factory.discover(&maps()).await.unwrap();
        assert_eq!(resource.scope, Scope::Namespaced);
        assert_eq!(resource.api_resource.kind, "ConfigMap");
        let dynamic = factory.dynamic(resource.clone());
        let metadata = factory.metadata(resource);
        let whole: Recorder<DynamicObject> = Recorder::new();
        let slim: Recorder<PartialObjectMeta<DynamicObject>> = Recorder::new();
        dynamic.add_event_handler(whole.handler()).unwrap();
        metadata.add_event_handler(slim.handler()).unwrap();
        sync(&factory).await;
        whole.until_events(1).await;
        slim.until_events(1).await;

        let lister = dynamic.lister();
        let object = lister.try_namespace("default").unwrap().get("a").unwrap();
        assert_eq!(object.data["data"]["v"], "1");
        // The dynamic informer adds the type, which items of a list lack.
        let types = object.types.as_ref().unwrap();
        assert_eq!((&*types.api_version, &*types.kind), ("v1", "ConfigMap"));
        let meta = metadata.lister().get_by_key(&key("a")).unwrap();
        assert_eq!(meta.metadata.labels.as_ref().unwrap()["app"], "a");
        assert!(meta.metadata.uid.is_some());

        cluster.update("a", "2");
        whole.until_events(2).await;
        slim.until_events(2).await;
        cluster.delete("a");
        whole.until_events(3).await;
        slim.until_events(3).await;
        let expected = [
            "add default/a initial",
            "update default/a live",
            "delete default/a live",
        ];
        assert_eq!(whole.events(), expected);
        assert_eq!(slim.events(), expected);

        // The requests ask for metadata only, in list and watch.
        let requests = cluster.control.requests();
        let of_maps = requests
            .iter()
            .filter(|request| request.resource == "configmaps");
        let (partial, full): (Vec<_>, Vec<_>) =
            of_maps.partition(|one| one.accept.contains("PartialObjectMetadata"));
        let each = 1 + usize::from(mode == WatchListMode::Never);
        assert_eq!((partial.len(), full.len()), (each, each));
        for request in partial {
            assert!(request.accept.contains("g=meta.k8s.io"), "{request:?}");
        }
        factory.shutdown().await;
    }
}

/// M-07, L-06.
#[tokio::test]
async fn m07_both_fall_back_to_lists_where_streaming_is_refused() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    cluster.control.refuse_watch_list(true);
    let factory = cluster.factory();
    let resource = factory.discover(&maps()).await.unwrap();
    let dynamic = factory.dynamic(resource.clone());
    let metadata = factory.metadata(resource);
    sync(&factory).await;
    assert_eq!((dynamic.lister().len(), metadata.lister().len()), (1, 1));
    assert_eq!(cluster.control.count(Verb::List, "configmaps"), 2);
    factory.shutdown().await;
}

/// M-03, F-01, F-02.
#[tokio::test]
async fn m03_they_take_the_options_that_typed_ones_take() {
    let cluster = Cluster::start().await;
    for name in ["a", "b"] {
        cluster.create(name, "1");
    }
    let factory = cluster.factory();
    let resource = factory.discover(&maps()).await.unwrap();
    let no_data = Transform::new("no data", |object: &mut DynamicObject| {
        object.data = json!({});
        Ok(())
    });
    let options = || {
        InformerOptions::new()
            .namespace("default")
            .label_selector("app=a".parse().unwrap())
    };
    let dynamic = factory.dynamic_with(resource.clone(), options().transform(no_data));
    let no_labels = Transform::new(
        "no labels",
        |object: &mut PartialObjectMeta<DynamicObject>| {
            object.metadata.labels = None;
            Ok(())
        },
    );
    let options = || InformerOptions::new().field_selector("metadata.name=b".parse().unwrap());
    let metadata = factory.metadata_with(resource.clone(), options().transform(no_labels));
    let again = factory.dynamic(resource.clone());
    let same = factory.dynamic(resource);
    sync(&factory).await;

    let found = dynamic.lister().list(&Selector::everything());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].data, json!({}));
    assert_eq!(dynamic.namespaces(), ["default".into()]);
    let found = metadata.lister().list(&Selector::everything());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].metadata.name.as_deref(), Some("b"));
    assert_eq!(found[0].metadata.labels, None);
    let one = again.lister().get_by_key(&key("a")).unwrap();
    assert!(Arc::ptr_eq(
        &one,
        &same.lister().get_by_key(&key("a")).unwrap()
    ));
    assert_eq!(cluster.control.count(Verb::Watch, "configmaps"), 3);
    factory.shutdown().await;
}

#[tokio::test]
async fn m06_an_unknown_or_unwatchable_resource_is_an_error_value() {
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    let cases = [
        (
            GroupVersionResource::new("", "v1", "componentstatuses"),
            "`componentstatuses.v1` cannot be watched: the server allows only ",
        ),
        (
            GroupVersionResource::new("", "v1", "pod"),
            "the server does not serve `pod.v1`: is its CustomResourceDefinition installed?",
        ),
        (
            GroupVersionResource::new("apps", "v9", "deployments"),
            "the server does not serve `deployments.v9.apps`: ",
        ),
        (
            GroupVersionResource::new("example.com", "v1", "foos"),
            "the server does not serve `foos.v1.example.com`: ",
        ),
    ];
    for (resource, expected) in cases {
        let error = within("an answer", factory.discover(&resource))
            .await
            .unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    cluster.server.shutdown().await;
    let error = within("an answer", factory.discover(&maps()))
        .await
        .unwrap_err();
    assert!(matches!(error, DiscoverError::Request(_)), "{error:?}");
    assert_eq!(error.to_string(), "discovery failed");
}

#[tokio::test]
async fn s03_the_wrong_scope_of_a_dynamic_type_is_an_error_value() {
    let cluster = Cluster::with(ApiServer::builder().object(&Foo::crd())).await;
    cluster
        .control
        .create_direct(json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n" } }))
        .unwrap();
    let factory = cluster.factory();
    let gvr = GroupVersionResource::new;
    let foo = gvr("samplecontroller.k8s.io", "v1alpha1", "foos");
    let foos: ResourceInfo = factory.discover(&foo).await.unwrap();
    let nodes = factory.discover(&gvr("", "v1", "nodes")).await.unwrap();
    assert_eq!(
        (foos.scope, nodes.scope),
        (Scope::Namespaced, Scope::Cluster)
    );
    let foos = factory.dynamic(foos);
    let nodes = factory.metadata(nodes);
    sync(&factory).await;

    let node = nodes.lister().get_cluster_scoped("n").unwrap().unwrap();
    assert_eq!(ObjectKey::of(&*node), ObjectKey::cluster("n"));
    assert!(nodes.lister().get_cluster_scoped("m").unwrap().is_none());
    let error = nodes.lister().try_namespace("default").unwrap_err();
    assert!(matches!(error, ScopeError::ClusterScoped(_)));
    assert_eq!(
        error.to_string(),
        "nodes.v1 is cluster-scoped: it has no namespaces"
    );
    let error = foos.lister().get_cluster_scoped("a").unwrap_err();
    assert!(matches!(error, ScopeError::Namespaced(_)));
    assert_eq!(
        error.to_string(),
        "foos.v1alpha1.samplecontroller.k8s.io is namespaced: name a namespace"
    );
    factory.shutdown().await;
}

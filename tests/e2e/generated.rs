//! Derived and generated wrappers, compared with their generic informers.

use std::sync::Arc;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::workqueue::{enqueue_into, enqueue_owner};
use informer::{GroupVersionResource, Informer, ObjectKey, Selector, Typed, WorkQueue};
use informer_apiserver::{ApiServer, Verb};
use k8s_openapi::api::core::v1::Pod;
use kube::core::{DynamicObject, PartialObjectMeta};
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{Cluster, sync, within};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "samplecontroller.k8s.io",
    version = "v1alpha1",
    kind = "Foo",
    namespaced
)]
#[informer(index = "spec.deploymentName", index = "metadata.labels['tier']")]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    pub(crate) deployment_name: String,
    pub(crate) replicas: Option<i32>,
}

fn foo(name: &str, deployment: &str, tier: &str) -> serde_json::Value {
    json!({
        "apiVersion": "samplecontroller.k8s.io/v1alpha1",
        "kind": "Foo",
        "metadata": { "name": name, "namespace": "default", "labels": { "tier": tier } },
        "spec": { "deploymentName": deployment, "replicas": 1 },
    })
}

/// S-08, F-01.
#[tokio::test]
async fn s08_derived_accessors_equal_by_index_and_follow_the_server() {
    let cluster = Cluster::with(ApiServer::builder().object(&Foo::crd())).await;
    for (name, deployment, tier) in [("a", "web", "x"), ("b", "web", "y"), ("c", "db", "x")] {
        cluster
            .control
            .create_direct(foo(name, deployment, tier))
            .unwrap();
    }
    let factory = cluster.factory();
    let foos = factory.foos();
    sync(&factory).await;

    let lister = foos.lister();
    let names = |found: &[Arc<Foo>]| -> Vec<String> {
        let names = found.iter().map(|foo| foo.metadata.name.clone().unwrap());
        names.collect()
    };
    assert_eq!(names(&lister.by_deployment_name("web")), ["a", "b"]);
    assert_eq!(names(&lister.by_deployment_name("none")), [""; 0]);
    for deployment in ["web", "db", "none"] {
        let by_name = lister.by_index("spec.deploymentName", deployment).unwrap();
        let by_type = lister.by_deployment_name(deployment);
        assert_eq!(names(&by_name), names(&by_type));
        for (one, other) in by_name.iter().zip(&by_type) {
            assert!(Arc::ptr_eq(one, other));
        }
    }
    assert_eq!(
        names(&lister.by_index("metadata.labels['tier']", "x").unwrap()),
        ["a", "c"]
    );

    // An update moves the object to another value.
    let mut moved = foo("b", "db", "y");
    let stored = cluster.control.objects("foos");
    moved["metadata"]["resourceVersion"] = stored[1]["metadata"]["resourceVersion"].clone();
    cluster.control.update_direct(moved).unwrap();
    let moved = foos.indexer().wait_until(|snapshot| {
        let keys = snapshot.index_keys("spec.deploymentName", "db").unwrap();
        keys.len() == 2
    });
    within("the update of b", moved).await;
    assert_eq!(names(&lister.by_deployment_name("web")), ["a"]);
    assert_eq!(names(&lister.by_deployment_name("db")), ["b", "c"]);

    // The wrapper and the generic informer are the same informer, and so are two wrappers.
    let again = factory.foos();
    let generic = factory.informer::<Foo>();
    assert_eq!(again.lister().by_deployment_name("db").len(), 2);
    assert!(Arc::ptr_eq(
        &lister.namespace("default").get("a").unwrap(),
        &generic.lister().namespace("default").get("a").unwrap(),
    ));
    assert_eq!(cluster.control.count(Verb::Watch, "foos"), 1);
    factory.shutdown().await;
}

/// S-01, S-02, S-07.
#[tokio::test]
async fn s02_generated_listers_read_one_namespace_and_select() {
    let cluster = Cluster::start().await;
    for (namespace, name, app) in [("one", "p", "web"), ("one", "q", "db"), ("two", "p", "web")] {
        cluster
            .control
            .create_direct(json!({
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": { "name": name, "namespace": namespace, "labels": { "app": app } },
                "spec": { "containers": [{ "name": "main", "image": "x" }], "nodeName": "n1" },
            }))
            .unwrap();
    }
    let factory = cluster.factory();
    let pods = factory.core().v1().pods();
    let nodes = factory.core().v1().nodes();
    let by_node = pods
        .add_index("spec.nodeName", |pod: &Pod| {
            pod.spec.as_ref().and_then(|spec| spec.node_name.clone())
        })
        .unwrap();
    sync(&factory).await;

    let keys = |found: Vec<Arc<Pod>>| -> Vec<String> {
        found
            .iter()
            .map(|pod| ObjectKey::of(&**pod).to_string())
            .collect()
    };
    let lister = pods.lister();
    let web: Selector = "app=web".parse().unwrap();
    assert_eq!(
        keys(lister.list(&Selector::everything())),
        ["one/p", "one/q", "two/p"]
    );
    assert_eq!(keys(lister.list(&web)), ["one/p", "two/p"]);
    assert_eq!(keys(lister.namespace("one").list(&web)), ["one/p"]);
    assert_eq!(keys(lister.list(&Selector::nothing())), [""; 0]);
    assert_eq!(keys(by_node.get("n1")), ["one/p", "one/q", "two/p"]);
    assert!(lister.namespace("two").get("q").is_none());
    let missing = lister.namespace("two").try_get("q").unwrap_err();
    assert_eq!(missing.to_string(), "pods \"two/q\" not found");
    let missing = nodes.lister().try_get("n1").unwrap_err();
    assert_eq!(missing.to_string(), "nodes \"n1\" not found");
    factory.shutdown().await;
}

/// The pattern of a controller: changes of a Foo and of its owned objects both lead to the Foo's
/// key.
#[tokio::test]
async fn changes_of_owner_and_owned_lead_to_the_owners_key() {
    let cluster = Cluster::with(ApiServer::builder().object(&Foo::crd())).await;
    let factory = cluster.factory();
    let foos = factory.foos();
    let deployments = factory.apps().v1().deployments();
    let queue = WorkQueue::rate_limited("foos");
    foos.add_event_handler(enqueue_into(&queue)).unwrap();
    deployments
        .add_event_handler(enqueue_owner::<Foo>(&queue))
        .unwrap();
    sync(&factory).await;

    let stored = cluster.control.create_direct(foo("a", "web", "x")).unwrap();
    let (worked, mut seen) = tokio::sync::mpsc::channel(16);
    let working = queue.run_workers(2, move |key: ObjectKey| {
        let worked = worked.clone();
        async move { worked.send(key).await }
    });
    let playing = async {
        let expected = ObjectKey::namespaced("default", "a");
        assert_eq!(within("the Foo", seen.recv()).await.unwrap(), expected);
        cluster
            .control
            .create_direct(json!({
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {
                    "name": "web",
                    "namespace": "default",
                    "ownerReferences": [{
                        "apiVersion": "samplecontroller.k8s.io/v1alpha1",
                        "kind": "Foo",
                        "name": "a",
                        "uid": stored["metadata"]["uid"],
                        "controller": true,
                    }],
                },
                "spec": {
                    "selector": {},
                    "template": { "metadata": {}, "spec": { "containers": [] } },
                },
            }))
            .unwrap();
        assert_eq!(
            within("its Deployment", seen.recv()).await.unwrap(),
            expected
        );
        cluster
            .control
            .delete_direct("/apis/apps/v1/namespaces/default/deployments/web")
            .unwrap();
        assert_eq!(within("its end", seen.recv()).await.unwrap(), expected);
        queue.shut_down();
    };
    tokio::join!(working, playing);
    factory.shutdown().await;
}

/// Follows the resources of the server like kube-controller-manager's
/// `ObjectOrMetadataInformerFactory`.
#[tokio::test]
async fn served_resources_are_followed_by_type_or_by_metadata() {
    let cluster = Cluster::with(ApiServer::builder().object(&Foo::crd())).await;
    cluster.control.create_direct(foo("a", "web", "x")).unwrap();
    let factory = cluster.factory();
    let discover = async |group: &str, version: &str, resource: &str| {
        let resource = GroupVersionResource::new(group, version, resource);
        within(
            "discovery",
            informer::k8s::discover_or_metadata(&factory, &resource),
        )
        .await
    };
    let pods = discover("", "v1", "pods").await.unwrap();
    assert!(pods.typed::<Pod, Typed>().is_some());
    let foos = discover("samplecontroller.k8s.io", "v1alpha1", "foos")
        .await
        .unwrap();
    assert!(
        foos.typed::<PartialObjectMeta<DynamicObject>, Typed>()
            .is_some()
    );
    assert!(discover("", "v1", "widgets").await.is_err());

    sync(&factory).await;
    assert_eq!(foos.keys(), [ObjectKey::namespaced("default", "a")]);
    factory.shutdown().await;
}

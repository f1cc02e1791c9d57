//! `informer::k8s`: informers by name, and questions across kinds.

#![expect(
    clippy::indexing_slicing,
    reason = "documents are written here, and have what is indexed"
)]

use std::error::Error;
use std::sync::Arc;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::k8s::expansions::{
    DaemonSetListerExpansion as _, JobListerExpansion as _,
    PodDisruptionBudgetListerExpansion as _, PodListerExpansion as _,
    ReplicaSetListerExpansion as _, ReplicationControllerListerExpansion as _,
    StatefulSetListerExpansion as _,
};
use informer::{
    Entry, GroupVersionResource, Object, ObjectKey, SharedInformer, SharedInformerFactory, Typed,
};
use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Pod, ReplicationController};
use kube::ResourceExt as _;
use serde_json::{Value, json};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// A factory whose informers nobody starts: they are fed by hand.
fn factory() -> Result<SharedInformerFactory> {
    let config = kube::Config::new("http://127.0.0.1:1".parse()?);
    Ok(SharedInformerFactory::builder(informer::connect(config)?).build()?)
}

fn object<K: Object>(document: Value) -> Result<K> {
    Ok(serde_json::from_value(document)?)
}

/// Puts documents into an informer's store.
fn feed<K: Object<DynamicType = ()>>(
    informer: &SharedInformer<K>,
    documents: impl IntoIterator<Item = Value>,
) -> Result {
    for document in documents {
        let object: K = object(document)?;
        let (key, handle) = (ObjectKey::of(&object), Arc::new(object));
        let (uid, resource_version) = (None, "1".into());
        informer.indexer().add(Entry {
            key,
            uid,
            resource_version,
            handle,
        });
    }
    Ok(())
}

/// A kind with this selector, in the namespace `default`, with its name as uid.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is written where it is passed"
)]
fn selecting(name: &str, selector: Value) -> Value {
    let template = json!({"metadata": {}, "spec": {"containers": []}});
    json!({
        "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {"selector": selector, "template": template, "serviceName": "s"},
    })
}

fn web() -> Value {
    json!({"matchLabels": {"app": "web"}})
}

/// A Pod with the label `app`, controlled by `owner`.
fn pod(name: &str, namespace: &str, app: &str, owner: &str) -> Value {
    let owner = json!({"apiVersion": "v1", "kind": "X", "name": owner, "uid": owner,
        "controller": true});
    json!({"metadata": {"name": name, "namespace": namespace, "labels": {"app": app},
        "ownerReferences": [owner]}})
}

fn names<K: kube::Resource>(objects: &[Arc<K>]) -> Vec<String> {
    objects.iter().map(|object| object.name_any()).collect()
}

/// Each sort of workload, of which one selects the Pod, and others do not: for their labels, for
/// their namespace, for an empty selector, for an invalid one.
fn workloads() -> Vec<Value> {
    let mut elsewhere = selecting("elsewhere", web());
    elsewhere["metadata"]["namespace"] = json!("other");
    let expression = json!({"key": "app", "operator": "Near", "values": ["web"]});
    vec![
        selecting("one", web()),
        selecting("other-labels", json!({"matchLabels": {"app": "db"}})),
        selecting("empty", json!({})),
        selecting("invalid", json!({"matchExpressions": [expression]})),
        elsewhere,
    ]
}

/// What client-go's `GetPodReplicaSets` and its siblings answer.
#[tokio::test]
async fn a_pod_belongs_to_what_selects_its_labels_in_its_namespace() -> Result {
    let factory = factory()?;
    let apps = factory.apps().v1();
    feed(&apps.daemon_sets(), workloads())?;
    feed(&apps.replica_sets(), workloads())?;
    feed(&apps.stateful_sets(), workloads())?;
    feed(&factory.batch().v1().jobs(), workloads())?;
    let pod: Pod = object(pod("p", "default", "web", "one"))?;

    assert_eq!(names(&apps.daemon_sets().lister().of_pod(&pod)), ["one"]);
    assert_eq!(names(&apps.replica_sets().lister().of_pod(&pod)), ["one"]);
    assert_eq!(names(&apps.stateful_sets().lister().of_pod(&pod)), ["one"]);
    assert_eq!(
        names(&factory.batch().v1().jobs().lister().of_pod(&pod)),
        ["one"]
    );

    let bare = Pod::default();
    assert!(apps.replica_sets().lister().of_pod(&bare).is_empty());
    Ok(())
}

#[tokio::test]
async fn a_replication_controller_selects_by_a_map() -> Result {
    let factory = factory()?;
    let controllers = factory.core().v1().replication_controllers();
    let labels = [json!({"app": "web"}), json!({"app": "db"}), json!({})];
    let names_of = ["one", "two", "empty"];
    let documents = labels.into_iter().zip(names_of);
    feed(
        &controllers,
        documents.map(|(labels, name)| selecting(name, labels)),
    )?;
    let pod: Pod = object(pod("p", "default", "web", "one"))?;
    assert_eq!(names(&controllers.lister().of_pod(&pod)), ["one"]);
    Ok(())
}

#[tokio::test]
async fn a_revision_leads_to_its_daemon_set() -> Result {
    let daemon_sets = factory()?.apps().v1().daemon_sets();
    feed(&daemon_sets, workloads())?;
    let history: ControllerRevision = object(json!({
        "metadata": {"name": "r", "namespace": "default", "labels": {"app": "web"}}, "revision": 1
    }))?;
    assert_eq!(names(&daemon_sets.lister().of_history(&history)), ["one"]);
    Ok(())
}

/// Unlike workloads, a budget with an empty selector is about every Pod.
#[tokio::test]
async fn the_budgets_of_a_pod_include_those_for_every_pod() -> Result {
    let budgets = factory()?.policy().v1().pod_disruption_budgets();
    feed(&budgets, workloads())?;
    let mut none = selecting("none", Value::Null);
    none["spec"] = json!({});
    feed(&budgets, [none])?;
    let pod: Pod = object(pod("p", "default", "web", "one"))?;
    assert_eq!(names(&budgets.lister().of_pod(&pod)), ["empty", "one"]);
    Ok(())
}

#[tokio::test]
async fn the_pods_of_a_workload_are_those_that_it_selects_and_controls() -> Result {
    let pods = factory()?.core().v1().pods();
    let mut owned_not_controlled = pod("owned", "default", "web", "one");
    owned_not_controlled["metadata"]["ownerReferences"][0]["controller"] = json!(false);
    feed(
        &pods,
        [
            pod("a", "default", "web", "one"),
            pod("b", "default", "web", "one"),
            pod("orphan-to-be", "default", "db", "one"),
            pod("theirs", "default", "web", "two"),
            pod("elsewhere", "other", "web", "one"),
            owned_not_controlled,
        ],
    )?;
    let lister = pods.lister();
    let expected = ["a", "b"];
    let one = || selecting("one", web());
    assert_eq!(
        names(&lister.controlled_by(&object::<DaemonSet>(one())?)),
        expected
    );
    assert_eq!(
        names(&lister.controlled_by(&object::<ReplicaSet>(one())?)),
        expected
    );
    assert_eq!(
        names(&lister.controlled_by(&object::<StatefulSet>(one())?)),
        expected
    );
    assert_eq!(
        names(&lister.controlled_by(&object::<Job>(one())?)),
        expected
    );
    let controller = selecting("one", json!({"app": "web"}));
    let controller: ReplicationController = object(controller)?;
    assert_eq!(names(&lister.controlled_by(&controller)), expected);

    let mut unknown: Job = object(one())?;
    unknown.metadata.uid = None;
    assert!(lister.controlled_by(&unknown).is_empty(), "no uid, no Pods");
    Ok(())
}

#[tokio::test]
async fn the_replica_sets_of_a_deployment_are_those_that_it_controls() -> Result {
    let replica_sets = factory()?.apps().v1().replica_sets();
    let of = |name: &str, owner: &str| {
        let mut document = selecting(name, web());
        document["metadata"] = pod(name, "default", "web", owner)["metadata"].clone();
        document
    };
    feed(
        &replica_sets,
        [of("new", "one"), of("old", "one"), of("x", "two")],
    )?;
    let deployment: Deployment = object(selecting("one", web()))?;
    assert_eq!(
        names(&replica_sets.lister().of_deployment(&deployment)),
        ["new", "old"]
    );
    Ok(())
}

/// The informer that the name leads to is the one that everybody shares.
#[tokio::test]
async fn an_informer_is_found_by_the_name_of_its_resource() -> Result {
    let factory = factory()?;
    let resource = GroupVersionResource::new("", "v1", "pods");
    let generic = informer::k8s::for_resource(&factory, &resource).ok_or("no informer of pods")?;
    assert_eq!(generic.resource().gvr(), resource);
    assert!(generic.is_empty());
    feed(
        &factory.core().v1().pods(),
        [pod("a", "default", "web", "one")],
    )?;
    assert_eq!(generic.keys(), [ObjectKey::namespaced("default", "a")]);
    assert!(generic.downcast_ref::<Pod, Typed>().is_some());

    let unknown = GroupVersionResource::new("", "v1", "componentstatuses");
    assert!(informer::k8s::for_resource(&factory, &unknown).is_none());
    Ok(())
}

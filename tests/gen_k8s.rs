//! `informer::k8s`: informers by resource name, and lookups across kinds.

#![expect(
    clippy::indexing_slicing,
    reason = "the documents of this test have the indexed members"
)]

#[path = "support/fed.rs"]
mod fed;

use std::sync::Arc;

use fed::{Result, factory};
use informer::k8s::SharedInformerFactoryExt as _;
use informer::k8s::expansions::{
    DaemonSetListerExpansion as _, JobListerExpansion as _,
    PodDisruptionBudgetListerExpansion as _, PodListerExpansion as _,
    ReplicaSetListerExpansion as _, ReplicationControllerListerExpansion as _,
    StatefulSetListerExpansion as _,
};
use informer::{GroupVersionResource, Object, ObjectKey, ResourceInfo, SharedInformer, Typed};
use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Pod, ReplicationController};
use kube::ResourceExt as _;
use kube::core::{DynamicObject, PartialObjectMeta};
use serde_json::{Value, json};

fn object<K: Object>(document: Value) -> Result<K> {
    Ok(serde_json::from_value(document)?)
}

/// Puts documents into an informer's store.
fn feed<K: Object>(
    informer: &SharedInformer<K>,
    documents: impl IntoIterator<Item = Value>,
) -> Result {
    let mut documents = documents.into_iter();
    documents.try_for_each(|document| fed::feed(informer, document))
}

/// Returns a kind with this selector in the namespace `default`. Its uid is its name.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the value is written at the call"
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

/// Returns a Pod with the label `app`, controlled by `owner`.
fn pod(name: &str, namespace: &str, app: &str, owner: &str) -> Value {
    let owner = json!({"apiVersion": "v1", "kind": "X", "name": owner, "uid": owner,
        "controller": true});
    json!({"metadata": {"name": name, "namespace": namespace, "labels": {"app": app},
        "ownerReferences": [owner]}})
}

fn names<K: kube::Resource>(objects: &[Arc<K>]) -> Vec<String> {
    objects.iter().map(|object| object.name_any()).collect()
}

/// Returns an object for each sort of selector, named after the sort, and one object in another
/// namespace.
fn candidates() -> Vec<Value> {
    let expression = |key, operator, values: Value| {
        let expression = json!({"key": key, "operator": operator, "values": values});
        json!({"matchExpressions": [expression]})
    };
    let mut elsewhere = selecting("elsewhere", web());
    elsewhere["metadata"]["namespace"] = json!("other");
    vec![
        selecting("one", web()),
        selecting("other", json!({"matchLabels": {"app": "db"}})),
        selecting("nil", Value::Null),
        selecting("empty", json!({})),
        selecting("absent", expression("gone", "DoesNotExist", json!([]))),
        selecting("invalid", expression("app", "Near", json!(["web"]))),
        elsewhere,
    ]
}

/// Expected results of client-go's expansions for one object, ordered by name.
#[derive(Default)]
struct Answers {
    /// Daemon sets, replica sets and stateful sets.
    workloads: &'static [&'static str],
    jobs: &'static [&'static str],
    replication_controllers: &'static [&'static str],
    budgets: &'static [&'static str],
}

/// Compares the results for a Pod, and for a revision with the same metadata.
fn check(pod: &Value, expected: &Answers) -> Result {
    let factory = factory()?;
    let (apps, core) = (factory.apps().v1(), factory.core().v1());
    let budgets = factory.policy().v1().pod_disruption_budgets();
    let jobs = factory.batch().v1().jobs();
    feed(&apps.daemon_sets(), candidates())?;
    feed(&apps.replica_sets(), candidates())?;
    feed(&apps.stateful_sets(), candidates())?;
    feed(&jobs, candidates())?;
    feed(&budgets, candidates())?;
    // The selectors of these kinds are plain maps.
    let mut elsewhere = selecting("elsewhere", json!({"app": "web"}));
    elsewhere["metadata"]["namespace"] = json!("other");
    let maps = [
        selecting("one", json!({"app": "web"})),
        selecting("other", json!({"app": "db"})),
        selecting("nil", Value::Null),
        selecting("empty", json!({})),
        elsewhere,
    ];
    feed(&core.replication_controllers(), maps)?;

    let history = json!({"metadata": pod["metadata"], "revision": 1});
    let history: ControllerRevision = object(history)?;
    let pod: Pod = object(pod.clone())?;
    let daemon_sets = apps.daemon_sets().lister();
    assert_eq!(names(&daemon_sets.of_pod(&pod)), expected.workloads);
    assert_eq!(names(&daemon_sets.of_history(&history)), expected.workloads);
    let replica_sets = apps.replica_sets().lister().of_pod(&pod);
    assert_eq!(names(&replica_sets), expected.workloads);
    let stateful_sets = apps.stateful_sets().lister().of_pod(&pod);
    assert_eq!(names(&stateful_sets), expected.workloads);
    assert_eq!(names(&jobs.lister().of_pod(&pod)), expected.jobs);
    let controllers = core.replication_controllers().lister().of_pod(&pod);
    assert_eq!(names(&controllers), expected.replication_controllers);
    assert_eq!(names(&budgets.lister().of_pod(&pod)), expected.budgets);
    Ok(())
}

/// Results of client-go 0.37 for the same objects: `GetPodDaemonSets`, `GetHistoryDaemonSets`,
/// `GetPodReplicaSets`, `GetPodStatefulSets`, `GetPodJobs`, `GetPodControllers` and
/// `GetPodPodDisruptionBudgets`.
#[tokio::test]
async fn a_pod_belongs_to_what_selects_its_labels_in_its_namespace() -> Result {
    let pod = json!({"metadata": {"name": "p", "namespace": "default", "labels": {"app": "web"}}});
    let expected = Answers {
        workloads: &["absent", "one"],
        jobs: &["absent", "empty", "one"],
        replication_controllers: &["one"],
        budgets: &["absent", "empty", "one"],
    };
    check(&pod, &expected)
}

/// client-go returns an error "because it has no labels", except for budgets.
#[tokio::test]
async fn a_pod_without_labels_belongs_to_nothing_and_is_covered_by_budgets() -> Result {
    let expected = Answers {
        budgets: &["absent", "empty"],
        ..Answers::default()
    };
    let mut pod = json!({"metadata": {"name": "p", "namespace": "default"}});
    check(&pod, &expected)?;
    pod["metadata"]["labels"] = json!({});
    check(&pod, &expected)
}

/// client-go returns an error "could not find". For a Pod without a namespace, some of its
/// expansions search all namespaces, which these functions do not.
#[tokio::test]
async fn a_pod_belongs_to_nothing_in_another_namespace_or_in_none() -> Result {
    let mut pod = json!({"metadata": {"name": "p", "labels": {"app": "web"}}});
    check(&pod, &Answers::default())?;
    pod["metadata"]["namespace"] = json!("third");
    check(&pod, &Answers::default())
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
    let one = || selecting("one", web());
    for found in [
        lister.controlled_by(&object::<DaemonSet>(one())?),
        lister.controlled_by(&object::<ReplicaSet>(one())?),
        lister.controlled_by(&object::<StatefulSet>(one())?),
        lister.controlled_by(&object::<Job>(one())?),
    ] {
        assert_eq!(names(&found), ["a", "b"]);
    }
    let controller = selecting("one", json!({"app": "web"}));
    let controller: ReplicationController = object(controller)?;
    assert_eq!(names(&lister.controlled_by(&controller)), ["a", "b"]);

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

/// The informer found by name is the shared one.
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
    assert!(generic.typed::<Pod, Typed>().is_some());

    let unknown = GroupVersionResource::new("", "v1", "componentstatuses");
    assert!(informer::k8s::for_resource(&factory, &unknown).is_none());
    Ok(())
}

/// A garbage collector also follows resources without a Rust type.
#[tokio::test]
async fn a_resource_without_a_type_is_followed_by_its_metadata() -> Result {
    let factory = factory()?;
    let pods = ResourceInfo::of::<Pod>(&()).ok_or("a type has a resource")?;
    let typed = informer::k8s::for_resource_or_metadata(&factory, &pods);
    assert!(typed.typed::<Pod, Typed>().is_some());

    let mut widgets = pods;
    widgets.api_resource.group = "example.com".to_owned();
    widgets.api_resource.plural = "widgets".to_owned();
    let untyped = informer::k8s::for_resource_or_metadata(&factory, &widgets);
    assert_eq!(untyped.resource(), &widgets);
    let metadata = untyped.typed::<PartialObjectMeta<DynamicObject>, Typed>();
    assert!(metadata.is_some());
    Ok(())
}

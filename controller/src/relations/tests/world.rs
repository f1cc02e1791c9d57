//! Informers over sources that the test fills, with relations as generated code declares them.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Node, Pod, Secret, Service};
use kube::core::DynamicObject;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::factory::MakeInformers;
use crate::object::{Object, ObjectKey, ResourceInfo};
use crate::private::{reference, wrappers};
use crate::shared_informer::{InformerOptions, RunError, SharedInformer};
use crate::source::FakeControllerSource;
use crate::storage::Storage;
use crate::workqueue::WorkQueue;

wrappers! {
    pub(super) PodWrapper, PodInformer, PodLister: Pod;
    lookups {
        Reference by_secret(&ObjectKey): Secret =
            reference!(Secret, fields [.spec*.volumes*.secret*], name [.secret_name*]),
            reference!(Secret, fields [.spec*.image_pull_secrets*], name [.name*]);
        Reference by_node(&ObjectKey): Node = reference!(Node, fields [.spec*], name [.node_name*]);
    }
    references {
        Secret = by_secret;
        Node = by_node;
    }
    struct PodRelated {
        secrets: ReferencedObjects[Pod, Secret, S, R] = PodInformer::by_secret();
        secrets_of(referrer): RelatedObject of Secret;
        nodes: ReferencedObjects[Pod, Node, S, R] = PodInformer::by_node();
        nodes_of(referrer): RelatedObject of Node;
    }
}

wrappers! {
    pub(super) ReplicaSetWrapper, ReplicaSetInformer, ReplicaSetLister: ReplicaSet;
    owns {
        Pod;
    }
    struct ReplicaSetRelated {
        pods: OwnedObjects[ReplicaSet, Pod, R];
        pods_of(owner): Arc of Pod;
    }
}

wrappers! {
    pub(super) ServiceWrapper, ServiceInformer, ServiceLister: Service;
    lookups {
        LabelSelection selecting(&Pod): Pod = crate::private::path!(.spec*.selector*);
    }
    selects {
        Pod = selecting;
    }
    struct ServiceRelated {
        pods: SelectedObjects[Service, Pod, S, R] = ServiceInformer::selecting();
        pods_of(object): Arc of Pod;
    }
}

/// Informers of one storage. Creates them on demand, each over a source of its own.
pub(super) struct World<S> {
    made: parking_lot::Mutex<HashMap<TypeId, Made>>,
    storage: std::marker::PhantomData<fn() -> S>,
    tasks: parking_lot::Mutex<JoinSet<Result<(), RunError>>>,
    cancel: CancellationToken,
}

struct Made {
    informer: Box<dyn Any + Send>,
    source: FakeControllerSource,
}

/// Objects of one type as the server has them.
pub(super) type Objects = BTreeMap<ObjectKey, Value>;

// === impl World ===

impl<S: Default + 'static> World<S> {
    pub(super) fn new() -> Self {
        Self {
            made: parking_lot::Mutex::default(),
            storage: std::marker::PhantomData,
            tasks: parking_lot::Mutex::default(),
            cancel: CancellationToken::new(),
        }
    }

    /// Returns the source of the informer of `K`, which exists.
    pub(super) fn source<K: Object>(&self) -> FakeControllerSource {
        let made = self.made.lock();
        made.get(&TypeId::of::<K>()).unwrap().source.clone()
    }

    /// Starts the informer of `K`.
    pub(super) fn run<K: Object>(&self, informer: &SharedInformer<K, S>)
    where
        S: Storage<K>,
    {
        let run = informer.run(self.cancel.clone());
        self.tasks.lock().spawn(run);
    }

    /// Starts the informer of `K`, and waits until it has synced.
    pub(super) async fn start<K: Object>(&self, informer: &SharedInformer<K, S>)
    where
        S: Storage<K>,
    {
        self.run(informer);
        let synced = timeout(Duration::from_secs(600), informer.wait_for_sync()).await;
        synced.expect("the informer syncs in time").unwrap();
    }

    /// Adds an object, or replaces it.
    pub(super) fn apply<K: Object>(&self, object: &Value) {
        let source = self.source::<K>();
        let key = key_of(object);
        if source.keys().contains(&key) {
            source.modify(object).unwrap();
        } else {
            source.add(object).unwrap();
        }
    }

    /// Deletes an object, whose last state is given.
    pub(super) fn delete<K: Object>(&self, object: &Value) {
        self.source::<K>().delete(object).unwrap();
    }

    pub(super) async fn stop(self) {
        self.cancel.cancel();
        let mut tasks = self.tasks.into_inner();
        while let Some(run) = tasks.join_next().await {
            run.unwrap().unwrap();
        }
    }
}

impl<S: Default + 'static> MakeInformers for World<S> {
    type Storage = S;

    fn make<K>(&self, _: InformerOptions<K, S>) -> SharedInformer<K, S>
    where
        K: Object<DynamicType = ()>,
        S: Storage<K>,
    {
        let mut made = self.made.lock();
        let made = made.entry(TypeId::of::<K>()).or_insert_with(|| {
            let source = FakeControllerSource::new();
            let informer: SharedInformer<K, S> =
                SharedInformer::builder(source.clone()).build().unwrap();
            Made {
                informer: Box::new(informer),
                source,
            }
        });
        let informer = made.informer.downcast_ref::<SharedInformer<K, S>>();
        informer.unwrap().clone()
    }

    fn make_dynamic(
        &self,
        _: ResourceInfo,
        _: InformerOptions<DynamicObject, S>,
    ) -> SharedInformer<DynamicObject, S>
    where
        S: Storage<DynamicObject>,
    {
        unreachable!("the tests have no dynamic types")
    }
}

/// Waits until no task has anything to do: the paused clock advances only then.
pub(super) async fn settled() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Takes all keys off a queue.
pub(super) async fn drain(queue: &WorkQueue<ObjectKey>) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    while !queue.is_empty() {
        keys.insert(queue.get().await.unwrap().to_string());
    }
    keys
}

pub(super) fn key_of(object: &Value) -> ObjectKey {
    let metadata = &object["metadata"];
    ObjectKey::new(
        metadata["namespace"].as_str(),
        metadata["name"].as_str().unwrap(),
    )
}

/// Returns an object with these labels, such as `app=web,tier=a`, and this spec.
pub(super) fn object(key: &str, labels: &str, spec: Value) -> Value {
    let key: ObjectKey = key.parse().unwrap();
    let metadata = json!({
        "namespace": key.namespace(), "name": key.name(), "uid": format!("uid-of-{key}"),
        "labels": map(labels),
    });
    let mut object = json!({ "metadata": metadata });
    object["spec"] = spec;
    object
}

pub(super) fn map(labels: &str) -> BTreeMap<&str, &str> {
    labels
        .split(',')
        .filter_map(|label| label.split_once('='))
        .collect()
}

/// Returns a Pod that mentions these Secrets: the first as a volume, the others to pull images.
pub(super) fn pod(key: &str, labels: &str, node: &str, secrets: &[&str]) -> Value {
    let volumes: Vec<Value> = secrets
        .iter()
        .take(1)
        .map(|name| json!({"name": "v", "secret": {"secretName": name}}))
        .collect();
    let pull: Vec<Value> = secrets
        .iter()
        .skip(1)
        .map(|name| json!({ "name": name }))
        .collect();
    let mut spec = json!({"containers": [], "volumes": volumes, "imagePullSecrets": pull});
    if !node.is_empty() {
        spec["nodeName"] = node.into();
    }
    object(key, labels, spec)
}

/// Adds the reference to the controller of a Pod, a `ReplicaSet` with this name.
pub(super) fn owned_by(mut pod: Value, owner: &str) -> Value {
    let key = ObjectKey::new(key_of(&pod).namespace(), owner);
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner,
        "uid": format!("uid-of-{key}"), "controller": true,
    }]);
    pod
}

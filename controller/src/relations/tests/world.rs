//! Informers of a server in memory, with relations between their objects.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

use informer_runtime::{
    InformerOptions, MakeInformers, Object, ObjectKey, ResourceInfo, SharedInformer,
    SharedInformerFactory, Storage,
};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Node, Pod, Secret, Service};
use kube::core::DynamicObject;
use serde_json::{Value, json};

use crate::private::path;
use crate::relations::{LabelSelection, OwnedObjects, Reference};
use crate::tests::server::Server;
use crate::workqueue::WorkQueue;

/// The Secrets that a Pod mounts, or pulls its images with.
pub(super) const SECRETS: Reference<Pod, Secret> = Reference::new("by_secret", |pod: &Pod| {
    let namespace = pod.metadata.namespace.as_deref();
    let spec = pod.spec.iter();
    let volumes = spec.clone().flat_map(|spec| spec.volumes.iter().flatten());
    let mounted = volumes.filter_map(|volume| volume.secret.as_ref()?.secret_name.as_deref());
    let pulled = spec
        .flat_map(|spec| spec.image_pull_secrets.iter().flatten())
        .map(|secret| secret.name.as_str());
    mounted
        .chain(pulled)
        .map(|name| ObjectKey::new(namespace, name))
        .collect()
});

/// The Node of a Pod.
pub(super) const NODES: Reference<Pod, Node> = Reference::new("by_node", |pod: &Pod| {
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    node.map(ObjectKey::cluster).into_iter().collect()
});

/// The Pods of a Service.
pub(super) const PODS: LabelSelection<Service, Pod> =
    LabelSelection::new("selecting", path!(.spec[].selector[]));

/// Informers of one storage, on a server in memory.
pub(super) struct World<S> {
    pub(super) server: Server,
    pub(super) factory: SharedInformerFactory,
    storage: PhantomData<fn() -> S>,
}

/// Objects of one type as the server has them.
pub(super) type Objects = BTreeMap<ObjectKey, Value>;

// === impl World ===

impl<S: Default + 'static> World<S> {
    pub(super) fn new() -> Self {
        let server = Server::new(0);
        Self {
            factory: server.factory(),
            server,
            storage: PhantomData,
        }
    }

    /// Returns the informer of a type.
    pub(super) fn informer<K>(&self) -> SharedInformer<K, S>
    where
        K: Object<DynamicType = ()>,
        S: Storage<K>,
    {
        self.make(InformerOptions::new())
    }

    /// Returns the Pods of `ReplicaSet`s.
    pub(super) fn pods_of_sets(&self) -> OwnedObjects<ReplicaSet, Pod, S>
    where
        S: Storage<ReplicaSet> + Storage<Pod>,
    {
        let sets: SharedInformer<ReplicaSet, S> = self.informer();
        OwnedObjects::new(sets.resource(), self)
    }

    /// Starts all informers, and waits until they have synced.
    pub(super) async fn start(&self) {
        self.factory.start().unwrap();
        self.factory.wait_for_cache_sync().await.unwrap();
    }

    /// Adds an object, or replaces it.
    pub(super) fn apply<K: Object<DynamicType = ()>>(&self, object: &Value) {
        let key = key_of(object);
        self.server.put(&K::plural(&()), &key, Some(object.clone()));
    }

    pub(super) fn delete<K: Object<DynamicType = ()>>(&self, key: &ObjectKey) {
        self.server.put(&K::plural(&()), key, None);
    }
}

impl<S: Default + 'static> MakeInformers for World<S> {
    type Storage = S;

    fn make<K>(&self, options: InformerOptions<K, S>) -> SharedInformer<K, S>
    where
        K: Object<DynamicType = ()>,
        S: Storage<K>,
    {
        self.factory.stored_as::<S>().make(options)
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

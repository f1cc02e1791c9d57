//! Relations equal a scan of all objects after any sequence of changes, in both storages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use informer_runtime::{Object, ObjectKey, Packed, Selector, SharedInformer, Storage, Typed};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Node, Pod, Secret, Service};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{NODES, Objects, PODS, SECRETS, World, drain, key_of, object, owned_by, pod};
use crate::relations::{ReferencedObjects, SelectedObjects};
#[cfg(feature = "packed")]
use crate::tests::{on_paused_clock, settled};
use crate::workqueue::{WorkQueue, enqueue_into};

#[derive(Debug, Clone)]
enum Change {
    Pod(&'static str, Option<PodSpec>),
    Secret(&'static str, bool),
    Node(&'static str, bool),
    Set(&'static str, bool),
    /// Labels that the Service requires; `None` deletes it.
    Service(&'static str, Option<&'static str>),
}

#[derive(Debug, Clone)]
struct PodSpec {
    labels: &'static str,
    node: &'static str,
    secrets: Vec<&'static str>,
    owner: Option<&'static str>,
}

/// Objects as the server has them.
#[derive(Debug, Clone, Default)]
struct Server {
    pods: Objects,
    secrets: Objects,
    nodes: Objects,
    sets: Objects,
    services: Objects,
}

const KEYS: [&str; 4] = ["a/x", "a/y", "b/x", "b/y"];
const NAMES: [&str; 3] = ["x", "y", "z"];
const LABELS: [&str; 5] = ["", "app=web", "app=db", "app=web,tier=a", "tier=a"];

fn changes() -> impl Strategy<Value = Change> {
    let key = || prop::sample::select(&KEYS[..]);
    let spec = (
        prop::sample::select(&LABELS[..]),
        prop::sample::select(&["", "n1", "n2"][..]),
        prop::collection::vec(prop::sample::select(&NAMES[..]), 0..3),
        prop::option::of(prop::sample::select(&NAMES[..])),
    );
    let spec = spec.prop_map(|(labels, node, secrets, owner)| PodSpec {
        labels,
        node,
        secrets,
        owner,
    });
    prop_oneof![
        4 => (key(), prop::option::weighted(0.8, spec)).prop_map(|(key, spec)| Change::Pod(key, spec)),
        2 => (key(), any::<bool>()).prop_map(|(key, is_present)| Change::Secret(key, is_present)),
        1 => (prop::sample::select(&["n1", "n2"][..]), any::<bool>())
            .prop_map(|(key, is_present)| Change::Node(key, is_present)),
        2 => (key(), any::<bool>()).prop_map(|(key, is_present)| Change::Set(key, is_present)),
        2 => (key(), prop::option::weighted(0.8, prop::sample::select(&LABELS[..])))
            .prop_map(|(key, labels)| Change::Service(key, labels)),
    ]
}

/// Writes an object to the source and to the expected state; `None` deletes it.
fn write<K: Object<DynamicType = ()>, S: Default + 'static>(
    world: &World<S>,
    objects: &mut Objects,
    key: &str,
    object: Option<Value>,
) {
    let key: ObjectKey = key.parse().unwrap();
    if let Some(object) = object {
        world.apply::<K>(&object);
        objects.insert(key, object);
    } else {
        world.delete::<K>(&key);
        objects.remove(&key);
    }
}

// === impl Server ===

impl Server {
    fn change<S: Default + 'static>(&mut self, world: &World<S>, change: &Change) {
        match change {
            Change::Pod(key, spec) => {
                let new = spec.as_ref().map(|spec| {
                    let new = pod(key, spec.labels, spec.node, &spec.secrets);
                    spec.owner.map_or(new.clone(), |owner| owned_by(new, owner))
                });
                write::<Pod, S>(world, &mut self.pods, key, new);
            }
            Change::Secret(key, is_present) => {
                let new = is_present.then(|| object(key, "", json!(null)));
                write::<Secret, S>(world, &mut self.secrets, key, new);
            }
            Change::Node(key, is_present) => {
                let new = is_present.then(|| object(key, "", json!({})));
                write::<Node, S>(world, &mut self.nodes, key, new);
            }
            Change::Set(key, is_present) => {
                let new = is_present.then(|| object(key, "", json!({"selector": {}})));
                write::<ReplicaSet, S>(world, &mut self.sets, key, new);
            }
            Change::Service(key, labels) => {
                let selector = |labels| json!({"selector": super::world::map(labels)});
                let new = labels.map(|labels| object(key, "", selector(labels)));
                write::<Service, S>(world, &mut self.services, key, new);
            }
        }
    }

    /// Returns the keys of the Secrets that a Pod mentions.
    fn secrets_of(pod: &Value) -> BTreeSet<ObjectKey> {
        let namespace = key_of(pod).namespace().unwrap().to_owned();
        let volumes = pod["spec"]["volumes"].as_array().unwrap().iter();
        let volumes = volumes.map(|volume| &volume["secret"]["secretName"]);
        let pull = pod["spec"]["imagePullSecrets"].as_array().unwrap().iter();
        let names = volumes.chain(pull.map(|secret| &secret["name"]));
        names
            .map(|name| ObjectKey::namespaced(&namespace, name.as_str().unwrap()))
            .collect()
    }

    fn pods_by_secret(&self, secret: &ObjectKey) -> BTreeSet<String> {
        let pods = self.pods.iter();
        let pods = pods.filter(|(_, pod)| Self::secrets_of(pod).contains(secret));
        pods.map(|(key, _)| key.to_string()).collect()
    }

    fn pods_by_node(&self, node: &str) -> BTreeSet<String> {
        let pods = self.pods.iter();
        let pods = pods.filter(|(_, pod)| pod["spec"]["nodeName"] == node);
        pods.map(|(key, _)| key.to_string()).collect()
    }

    fn pods_of_set(&self, set: &ObjectKey) -> BTreeSet<String> {
        let uid = format!("uid-of-{set}");
        let pods = self.pods.iter();
        let pods = pods.filter(|(_, pod)| pod["metadata"]["ownerReferences"][0]["uid"] == *uid);
        pods.map(|(key, _)| key.to_string()).collect()
    }

    /// Reports whether a Service selects a Pod.
    fn selects(service: &Value, pod: &Value) -> bool {
        let labels = |value: &Value| -> BTreeMap<String, String> {
            serde_json::from_value(value.clone()).unwrap()
        };
        let required = labels(&service["spec"]["selector"]);
        let selector = Selector::from_labels(required.clone()).unwrap();
        key_of(service).namespace() == key_of(pod).namespace()
            && !required.is_empty()
            && selector.matches(&labels(&pod["metadata"]["labels"]))
    }

    fn services_of(&self, pod: &Value) -> BTreeSet<String> {
        let services = self.services.iter();
        let services = services.filter(|(_, service)| Self::selects(service, pod));
        services.map(|(key, _)| key.to_string()).collect()
    }

    /// Returns the keys that a change to `after` enqueues: of Pods, of sets and of Services.
    fn enqueued(&self, after: &Self, change: &Change) -> [BTreeSet<String>; 3] {
        let mut keys = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
        let parse = |key: &str| -> ObjectKey { key.parse().unwrap() };
        match change {
            Change::Pod(key, _) => {
                for state in [self, after] {
                    let Some(pod) = state.pods.get(&parse(key)) else {
                        continue;
                    };
                    keys[0].insert((*key).to_owned());
                    let owner = &pod["metadata"]["ownerReferences"][0]["name"];
                    let namespace = parse(key).namespace().unwrap().to_owned();
                    keys[1].extend(owner.as_str().map(|name| format!("{namespace}/{name}")));
                    keys[2].extend(state.services_of(pod));
                }
            }
            Change::Secret(key, _) => {
                let is_known = |state: &Self| state.secrets.contains_key(&parse(key));
                if is_known(self) || is_known(after) {
                    keys[0] = self.pods_by_secret(&parse(key));
                }
            }
            Change::Node(key, _) => {
                let is_known = |state: &Self| state.nodes.contains_key(&parse(key));
                if is_known(self) || is_known(after) {
                    keys[0] = self.pods_by_node(key);
                }
            }
            Change::Set(key, _) => {
                let is_known = |state: &Self| state.sets.contains_key(&parse(key));
                if is_known(self) || is_known(after) {
                    keys[1].insert((*key).to_owned());
                }
            }
            Change::Service(key, _) => {
                let is_known = |state: &Self| state.services.contains_key(&parse(key));
                if is_known(self) || is_known(after) {
                    keys[2].insert((*key).to_owned());
                }
            }
        }
        keys
    }
}

/// Prints the keys of handles.
fn texts<K: Object, S: Storage<K>>(objects: &[Arc<S::Object>]) -> BTreeSet<String> {
    let objects = objects.iter().map(|object| S::decode(object).unwrap());
    objects
        .map(|object| ObjectKey::of(&*object).to_string())
        .collect()
}

async fn check<S>(changes: Vec<Change>)
where
    S: Default + Storage<Pod> + Storage<Secret> + Storage<Node>,
    S: Storage<ReplicaSet> + Storage<Service>,
{
    let world: World<S> = World::new();
    let pods: SharedInformer<Pod, S> = world.informer();
    let sets: SharedInformer<ReplicaSet, S> = world.informer();
    let services: SharedInformer<Service, S> = world.informer();
    let secrets_of_pods = ReferencedObjects::new(&pods, SECRETS, &world);
    let nodes_of_pods = ReferencedObjects::new(&pods, NODES, &world);
    let pods_of_sets = world.pods_of_sets();
    let pods_of_services = SelectedObjects::new(&services, PODS, &world);
    let queues = ["pods", "sets", "services"].map(WorkQueue::new);
    secrets_of_pods.enqueue_into(&queues[0]).unwrap();
    nodes_of_pods.enqueue_into(&queues[0]).unwrap();
    pods.add_event_handler(enqueue_into(&queues[0])).unwrap();
    pods_of_sets.enqueue_into(&queues[1]).unwrap();
    sets.add_event_handler(enqueue_into(&queues[1])).unwrap();
    pods_of_services.enqueue_into(&queues[2]).unwrap();
    services
        .add_event_handler(enqueue_into(&queues[2]))
        .unwrap();
    world.start().await;

    let mut server = Server::default();
    for change in &changes {
        let before = server.clone();
        server.change(&world, change);
        settled().await;
        for (queue, expected) in queues.iter().zip(before.enqueued(&server, change)) {
            assert_eq!(drain(queue).await, expected, "{change:?}");
        }
        for namespace in ["a", "b"] {
            for name in NAMES {
                let key = ObjectKey::namespaced(namespace, name);
                let by_secret = texts::<Pod, S>(&secrets_of_pods.referrers(&key));
                assert_eq!(by_secret, server.pods_by_secret(&key), "{key}");
            }
        }
        for node in ["n1", "n2"] {
            let by_node = texts::<Pod, S>(&nodes_of_pods.referrers(&ObjectKey::cluster(node)));
            assert_eq!(by_node, server.pods_by_node(node), "{node}");
        }
        for key in server.sets.keys() {
            let set = sets.lister().get_by_key(key).unwrap();
            let set = <S as Storage<ReplicaSet>>::decode(&set).unwrap();
            let owned = texts::<Pod, S>(&pods_of_sets.of(&set));
            assert_eq!(owned, server.pods_of_set(key), "{key}");
        }
        for (key, expected) in &server.pods {
            let pod = pods.lister().get_by_key(key).unwrap();
            let pod = <S as Storage<Pod>>::decode(&pod).unwrap();
            let selecting = texts::<Service, S>(&pods_of_services.selecting(&pod));
            assert_eq!(selecting, server.services_of(expected), "{key}");
            let secrets = secrets_of_pods.of(&pod);
            let mentioned: BTreeSet<ObjectKey> = secrets.iter().map(|s| s.key.clone()).collect();
            assert_eq!(mentioned, Server::secrets_of(expected), "{key}");
            for secret in secrets {
                let is_there = server.secrets.contains_key(&secret.key);
                assert_eq!(secret.object.is_ok(), is_there, "{}", secret.key);
            }
        }
        for (key, service) in &server.services {
            let expected = server.pods.iter();
            let expected = expected.filter(|(_, pod)| Server::selects(service, pod));
            let expected: BTreeSet<String> = expected.map(|(key, _)| key.to_string()).collect();
            let service = services.lister().get_by_key(key).unwrap();
            let service = <S as Storage<Service>>::decode(&service).unwrap();
            assert_eq!(
                texts::<Pod, S>(&pods_of_services.of(&service)),
                expected,
                "{key}"
            );
        }
    }
    world.factory.shutdown().await;
}

fn run<S>(changes: Vec<Change>)
where
    S: Default + Storage<Pod> + Storage<Secret> + Storage<Node>,
    S: Storage<ReplicaSet> + Storage<Service>,
{
    on_paused_clock(check::<S>(changes));
}

proptest! {
    /// G-01, G-02, G-09.
    #[test]
    fn relations_equal_a_scan_at_every_moment(changes in prop::collection::vec(changes(), 1..40)) {
        run::<Typed>(changes);
    }

    /// G-01, G-02, G-09.
    #[cfg(feature = "packed")]
    #[test]
    fn relations_of_packed_objects_equal_a_scan_at_every_moment(
        changes in prop::collection::vec(changes(), 1..40),
    ) {
        run::<Packed>(changes);
    }
}

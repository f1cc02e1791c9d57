//! Measures relations: the search of the Services that select a Pod, and of the Pods that mention a
//! Secret, and an update with relations in use. Next to them the same with kube-runtime's `Store`,
//! which has to be scanned, and with client-go's listers and indexers, in `client-go/relations.go`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use informer_controller::relations::{LabelSelection, Reference, referrers, selecting};
use informer_runtime::indexer::Indexer;
use informer_runtime::{Entry, ObjectKey, ResourceVersion, Scope, Selector, Typed};
use k8s_openapi::api::core::v1::{ConfigMap, Node, PersistentVolumeClaim, Pod, Secret};
use k8s_openapi::api::core::v1::{Service, ServiceAccount, Volume};
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher;
use kube::{Resource, ResourceExt as _};
use serde::de::DeserializeOwned;
use serde_json::{Error, Value, json};

use crate::programs::Programs;

/// As in `client-go/relations.go`.
const SERVICES: usize = 10_000;
const PODS: usize = 100_000;
/// Pods that mention the same Secret.
const SHARERS: usize = 10;
const ROUNDS: usize = 9;

const SELECTING: LabelSelection<Service, Pod> = LabelSelection::new("selecting", selectors);
const SECRET: Reference<Pod, Secret> = Reference::new("by_secret", secrets);
const CONFIG_MAP: Reference<Pod, ConfigMap> = Reference::new("by_config_map", config_maps);
const CLAIM: Reference<Pod, PersistentVolumeClaim> = Reference::new("by_claim", claims);
const NODE: Reference<Pod, Node> = Reference::new("by_node", nodes);
const ACCOUNT: Reference<Pod, ServiceAccount> = Reference::new("by_account", accounts);

/// Measures all searches, and then client-go's.
pub(crate) fn run() -> crate::Result<()> {
    println!("median of {ROUNDS} rounds\n");
    select()?;
    mention()?;
    update()?;
    Programs::default().run_go("relations")
}

fn selectors(service: &Service) -> Vec<Selector> {
    selector(service).into_iter().collect()
}

fn selector(service: &Service) -> Option<Selector> {
    let labels = service.spec.as_ref()?.selector.as_ref()?;
    let selector = Selector::from_labels(labels).ok()?;
    if selector.is_empty() {
        return None;
    }
    Some(selector)
}

fn secrets(pod: &Pod) -> Vec<ObjectKey> {
    in_volumes(pod, |volume| {
        let source = volume.secret.as_ref()?;
        source.secret_name.as_deref()
    })
}

fn config_maps(pod: &Pod) -> Vec<ObjectKey> {
    in_volumes(pod, |volume| {
        let source = volume.config_map.as_ref()?;
        Some(&source.name)
    })
}

fn claims(pod: &Pod) -> Vec<ObjectKey> {
    in_volumes(pod, |volume| {
        let source = volume.persistent_volume_claim.as_ref()?;
        Some(&source.claim_name)
    })
}

/// Returns the keys of the objects that the volumes of a Pod name.
fn in_volumes(pod: &Pod, name: fn(&Volume) -> Option<&str>) -> Vec<ObjectKey> {
    let Some(spec) = &pod.spec else {
        return Vec::new();
    };
    let namespace = pod.metadata.namespace.as_deref();
    spec.volumes
        .iter()
        .flatten()
        .filter_map(name)
        .map(|name| ObjectKey::new(namespace, name))
        .collect()
}

fn nodes(pod: &Pod) -> Vec<ObjectKey> {
    let Some(spec) = &pod.spec else {
        return Vec::new();
    };
    let node = spec.node_name.as_deref();
    node.map(ObjectKey::cluster).into_iter().collect()
}

fn accounts(pod: &Pod) -> Vec<ObjectKey> {
    let Some(spec) = &pod.spec else {
        return Vec::new();
    };
    let namespace = pod.metadata.namespace.as_deref();
    spec.service_account_name
        .iter()
        .map(|name| ObjectKey::new(namespace, name))
        .collect()
}

/// Finds the Services that select a Pod.
fn select() -> Result<(), Error> {
    let services = make(SERVICES, service)?;
    let pods = make(1000, selected_pod)?;
    let indexer = indexer_of(&services);
    let writer = writer_of(&services);
    let store = writer.as_reader();
    println!("services.selecting(pod), {SERVICES} Services");
    report("informer", &pods, 1000, |pod| {
        let found = selecting::<_, _, Typed>(&indexer, Scope::Namespaced, &SELECTING, pod);
        assert_eq!(found.len(), 1);
    });
    report("kube-runtime, scan of the store", &pods, 50, |pod| {
        let found = store
            .state()
            .into_iter()
            .filter(|service| selects(service, pod));
        assert_eq!(found.count(), 1);
    });
    Ok(())
}

fn selects(service: &Service, pod: &Pod) -> bool {
    let Some(selector) = selector(service) else {
        return false;
    };
    service.namespace() == pod.namespace() && selector.matches(pod.metadata.labels.as_ref())
}

/// Finds the Pods that mention a Secret.
fn mention() -> Result<(), Error> {
    let pods = make(PODS, pod)?;
    let indexer = indexer_of(&pods);
    let writer = writer_of(&pods);
    let store = writer.as_reader();
    let keys: Vec<ObjectKey> = (0..1000).map(secret_key).collect();
    println!("\npods.by_secret(key), {PODS} Pods, {SHARERS} of which mention it");
    report("informer", &keys, 1000, |key| {
        let found = referrers::<_, _, Typed>(&indexer, &SECRET, key);
        assert_eq!(found.len(), SHARERS);
    });
    report("kube-runtime, scan of the store", &keys, 5, |key| {
        let found = store
            .state()
            .into_iter()
            .filter(|pod| SECRET.keys(pod).contains(key));
        assert_eq!(found.count(), SHARERS);
    });
    Ok(())
}

/// Updates a Pod in the store, with 0, 1 and 5 relations in use. The mentioned keys do not change.
fn update() -> Result<(), Error> {
    const COUNT: usize = 20_000;
    println!("\nupdate of a Pod in the store, {COUNT} Pods, one transaction each");
    let pods = make(COUNT, pod)?;
    for relations in [0, 1, 5] {
        let indexer = indexer_of(&pods);
        if relations > 0 {
            use_relation(&indexer, &SECRET);
        }
        if relations > 1 {
            use_relation(&indexer, &CONFIG_MAP);
            use_relation(&indexer, &CLAIM);
            use_relation(&indexer, &NODE);
            use_relation(&indexer, &ACCOUNT);
        }
        let entries: Vec<Entry> = pods.iter().map(entry).collect();
        let name = format!("informer, {relations} relations");
        report(&name, &entries, COUNT, |entry| {
            indexer.transaction(|transaction| transaction.insert(entry.clone()));
        });
    }
    Ok(())
}

/// Looks a missing object up. From then on the store maintains the relation.
fn use_relation<T: 'static>(indexer: &Indexer<Pod>, relation: &Reference<Pod, T>) {
    let key = ObjectKey::namespaced("default", "none");
    let found = referrers::<_, _, Typed>(indexer, relation, &key);
    assert!(found.is_empty());
}

/// Makes objects by their numbers.
fn make<K, F>(count: usize, object: F) -> Result<Vec<K>, Error>
where
    F: Fn(usize) -> Result<K, Error>,
{
    (0..count).map(object).collect()
}

fn service(number: usize) -> Result<Service, Error> {
    let name = format!("service-{number}");
    let app = format!("app-{number}");
    let selector = json!({ "app": app, "tier": "web" });
    object(&name, &json!({ "selector": selector }))
}

/// Returns a Pod that one Service selects.
fn selected_pod(number: usize) -> Result<Pod, Error> {
    let mut pod: Pod = object("pod", &json!({"containers": []}))?;
    let app = format!("app-{}", number * 7919 % SERVICES);
    let labels = pod.metadata.labels.get_or_insert_default();
    labels.insert("app".to_owned(), app);
    labels.insert("tier".to_owned(), "web".to_owned());
    Ok(pod)
}

/// Returns a Pod that mentions a Secret and four other objects.
fn pod(number: usize) -> Result<Pod, Error> {
    let secret = format!("secret-{}", number % (PODS / SHARERS));
    let config_map = format!("config-{}", number % 100);
    let claim = format!("claim-{number}");
    let node = format!("node-{}", number % 500);
    let spec = json!({
        "containers": [],
        "volumes": [
            { "name": "a", "secret": { "secretName": secret } },
            { "name": "b", "configMap": { "name": config_map } },
            { "name": "c", "persistentVolumeClaim": { "claimName": claim } },
        ],
        "serviceAccountName": "default",
        "nodeName": node,
    });
    object(&format!("pod-{number}"), &spec)
}

/// Returns the key of a Secret that Pods mention.
fn secret_key(number: usize) -> ObjectKey {
    let secret = number * 7919 % (PODS / SHARERS);
    ObjectKey::namespaced("default", &format!("secret-{secret}"))
}

fn object<K: DeserializeOwned>(name: &str, spec: &Value) -> Result<K, Error> {
    serde_json::from_value(json!({
        "metadata": {
            "namespace": "default",
            "name": name,
            "resourceVersion": "1",
        },
        "spec": spec,
    }))
}

fn entry<K>(object: &K) -> Entry
where
    K: Resource + Clone + Send + Sync + 'static,
{
    let key = ObjectKey::of(object);
    let version = ResourceVersion::new("1");
    Entry::new(key, version, Arc::new(object.clone()))
}

fn indexer_of<K>(objects: &[K]) -> Indexer<K>
where
    K: Resource + Clone + Send + Sync + 'static,
{
    let indexer = Indexer::new(Scope::Namespaced);
    let entries = objects.iter().map(entry).collect();
    indexer.replace(entries, ResourceVersion::new("1"));
    indexer
}

fn writer_of<K>(objects: &[K]) -> Writer<K>
where
    K: Resource<DynamicType = ()> + Clone + 'static,
{
    let mut writer = Writer::<K>::default();
    writer.apply_watcher_event(&watcher::Event::Init);
    for object in objects {
        writer.apply_watcher_event(&watcher::Event::InitApply(object.clone()));
    }
    writer.apply_watcher_event(&watcher::Event::InitDone);
    writer
}

/// Calls `f` with the first inputs, in several rounds, and prints the median time of a call.
#[expect(
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "measures"
)]
fn report<T, F>(name: &str, inputs: &[T], count: usize, mut f: F)
where
    F: FnMut(&T),
{
    let mut rounds = [Duration::ZERO; ROUNDS];
    for round in &mut rounds {
        let start = Instant::now();
        for input in inputs.iter().take(count) {
            f(black_box(input));
        }
        *round = start.elapsed();
    }
    rounds.sort_unstable();
    let median = rounds.get(ROUNDS / 2).copied().unwrap_or_default();
    let micros = median.as_secs_f64() * 1e6 / count as f64;
    println!("  {name:<36} {micros:>10.2} µs");
}

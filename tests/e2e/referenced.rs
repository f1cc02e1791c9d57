//! Requests and memory of a cache of only what is referenced, with many other objects.

use std::sync::Arc;

use informer::relations::{Reference, ReferencedCache, ReferencedStatus};
use informer::{ObjectKey, WatchListMode};
use informer_apiserver::RecordedRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt as _;
use serde_json::{Value, json};

use crate::support::{Cluster, MODES, Recorder, within};

/// Number of Secrets that nothing mentions, in each of two namespaces.
const FOREIGN: usize = 5_000;

/// Secrets that a config map names, separated by commas.
fn mentioned(map: &ConfigMap) -> Vec<ObjectKey> {
    let names = map.data.iter().filter_map(|data| data.get("v"));
    let names = names.flat_map(|names| names.split(','));
    names
        .map(|name| ObjectKey::namespaced("default", name))
        .collect()
}

const SECRETS: Reference<ConfigMap, Secret> = Reference::new("secrets", mentioned);

fn secret(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": { "name": name, "namespace": namespace },
        "data": { "v": "djE=" },
    })
}

/// Returns the lists and watches of Secrets so far.
fn requests(cluster: &Cluster) -> Vec<Arc<RecordedRequest>> {
    let requests = cluster.control.requests().into_iter();
    requests
        .filter(|request| request.resource == "secrets")
        .collect()
}

async fn play(
    mode: WatchListMode,
    names: usize,
    promote_at: usize,
) -> (Cluster, ReferencedStatus, u64, usize) {
    let cluster = Cluster::start().await;
    for namespace in ["default", "other"] {
        for number in 0..FOREIGN {
            let foreign = secret(namespace, &format!("foreign-{number}"));
            cluster.control.create_direct(foreign).unwrap();
        }
    }
    let names: Vec<String> = (0..names).map(|number| format!("mine-{number}")).collect();
    for name in &names {
        cluster
            .control
            .create_direct(secret("default", name))
            .unwrap();
    }
    cluster.create("site", &names.join(","));
    let factory = cluster.factory_in(mode);
    let sites = factory.informer::<ConfigMap>();
    let cache = ReferencedCache::builder(&factory, &sites, SECRETS)
        .promote_at(promote_at)
        .build()
        .unwrap();
    let seen = Recorder::new();
    cache.add_event_handler(seen.handler()).unwrap();
    factory.start().unwrap();
    within("sync of the cache", cache.wait_for_sync())
        .await
        .unwrap();

    // Changes of other objects, then one of a referenced object.
    for number in 0..50 {
        let path = format!("/api/v1/namespaces/default/secrets/foreign-{number}");
        cluster.control.delete_direct(&path).unwrap();
    }
    let path = format!("/api/v1/namespaces/default/secrets/{}", names[0]);
    cluster.control.delete_direct(&path).unwrap();
    seen.until_events(names.len() + 1).await;
    seen.read(|notes| {
        assert!(notes.illegal.is_empty(), "{:?}", notes.illegal);
        assert!(
            notes
                .objects
                .values()
                .all(|secret| secret.name_any().starts_with("mine-"))
        );
    });
    let metrics = factory.metrics();
    let of_secrets = metrics
        .informers
        .iter()
        .filter(|informer| informer.labels.resource == "secrets");
    let (decoded, held) = of_secrets.fold((0, 0), |(decoded, held), informer| {
        (decoded + informer.decoded_objects, held + informer.objects)
    });
    let status = cache.status();
    factory.shutdown().await;
    (cluster, status, decoded, held)
}

#[tokio::test]
async fn single_watches_request_only_the_referenced_names() {
    for mode in MODES {
        let (cluster, status, decoded, held) = play(mode, 3, 16).await;
        assert_eq!((status.single_watches, status.namespace_watches), (3, 0));
        // The deletion is the fourth decoded version.
        assert_eq!((status.objects, decoded, held), (2, 4, 2));
        let requests = requests(&cluster);
        let streams = if mode == WatchListMode::Never { 2 } else { 1 };
        assert_eq!(requests.len(), 3 * streams, "{requests:?}");
        for request in requests {
            assert_eq!(request.namespace, "default");
            let name = request.parameter("fieldSelector").unwrap();
            assert!(name.starts_with("metadata.name=mine-"), "{name}");
        }
    }
}

#[tokio::test]
async fn a_namespace_watch_neither_decodes_nor_holds_other_objects() {
    for mode in MODES {
        let (cluster, status, decoded, held) = play(mode, 20, 16).await;
        assert_eq!((status.single_watches, status.namespace_watches), (0, 1));
        assert_eq!((status.objects, decoded, held), (19, 21, 19));
        for request in requests(&cluster) {
            assert_eq!(request.namespace, "default");
            assert_eq!(request.parameter("fieldSelector"), None);
        }
    }
}

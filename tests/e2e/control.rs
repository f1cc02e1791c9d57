//! Features of the server's control besides faults in responses: held requests, held garbage
//! collection, and closed watches of one resource.

use informer::{SharedInformer, SharedInformerFactory, WatchListMode};
use informer_apiserver::{Matcher, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use serde_json::json;

use crate::support::{Cluster, cached, path, sync, until_cached, within};

fn of_maps() -> Matcher {
    Matcher::any().resource("configmaps")
}

async fn synced(factory: &SharedInformerFactory) -> SharedInformer<ConfigMap> {
    let maps = factory.informer::<ConfigMap>();
    sync(factory).await;
    maps
}

/// an informer has synced when its list is complete, before its watch begins.
#[tokio::test]
async fn r04_an_informer_syncs_with_its_list_and_before_its_watch() {
    let cluster = Cluster::start().await;
    let control = &cluster.control;
    cluster.create("a", "1");
    let factory = cluster.factory_in(WatchListMode::Never);
    let maps = factory.informer::<ConfigMap>();
    control.pause_requests();
    factory.start().unwrap();
    within("the list", control.await_held_requests(1)).await;
    assert!(!maps.has_synced());
    assert_eq!(control.watch_count("configmaps"), 0);

    control.step_request();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    within("the watch's request", control.await_held_requests(1)).await;
    assert_eq!(control.watch_count("configmaps"), 0);
    // Changes before the watch begins are not lost.
    cluster.update("a", "2");
    assert_eq!(cached(&maps), "a=1");

    control.resume_requests();
    until_cached(&maps, "a=2").await;
    within("an idle server", control.await_idle()).await;
    control.assert_idle();
    factory.shutdown().await;
}

/// The cache shows each step of the garbage collector, in order.
#[tokio::test]
async fn an_owner_is_deleted_before_its_dependents_with_one_event_each() {
    let cluster = Cluster::start().await;
    let control = &cluster.control;
    let owner = cluster.create("owner", "1");
    let dependent = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "dependent", "namespace": "default",
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
                "uid": owner["metadata"]["uid"],
            }],
        },
        "data": { "v": "1" },
    });
    control.create_direct(dependent).unwrap();
    let factory = cluster.factory();
    let maps = synced(&factory).await;
    until_cached(&maps, "dependent=1 owner=1").await;

    control.hold_garbage_collection(true);
    control.delete_direct(&path("owner")).unwrap();
    until_cached(&maps, "dependent=1").await;
    assert!(control.step_garbage_collection());
    until_cached(&maps, "").await;
    assert!(!control.step_garbage_collection());
    factory.shutdown().await;
}

/// closing the watches of one resource does not affect the informer of another.
#[tokio::test]
async fn r12_watches_of_one_resource_end_and_the_others_go_on() {
    let cluster = Cluster::start().await;
    let control = &cluster.control;
    cluster.create("a", "1");
    let factory = cluster.factory();
    let pods = factory.informer::<Pod>();
    let maps = synced(&factory).await;
    within("the watches", control.await_watches("pods", 1)).await;
    within("the watches", control.await_watches("configmaps", 1)).await;
    let pod_watches = control.count(Verb::Watch, "pods");
    for (step, value) in ["2", "3"].into_iter().enumerate() {
        let requests =
            control.count(Verb::Watch, "configmaps") + control.count(Verb::List, "configmaps");
        match step {
            0 => control.close_watches_of("configmaps"),
            _ => control.expire_watches_of("configmaps"),
        }
        let nth = usize::try_from(requests).unwrap() + 1;
        within(
            "the next request",
            control.await_nth_request(of_maps(), nth),
        )
        .await;
        cluster.update("a", value);
        until_cached(&maps, &format!("a={value}")).await;
    }
    assert_eq!(control.count(Verb::Watch, "pods"), pod_watches);
    assert!(pods.has_synced());
    factory.shutdown().await;
}

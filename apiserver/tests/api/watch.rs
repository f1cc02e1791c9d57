//! Watches: starting positions, events, ends.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use informer_apiserver::ApiServer;
use kube::ResourceExt;
use kube::api::{WatchEvent, WatchParams};
use serde_json::json;

use crate::support::{Lines, config_map, config_maps, created, put, server, soon, started};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn kube_follows_a_watch() {
    let server = server().await;
    let maps = config_maps(&server);
    let mut events = maps
        .watch(&WatchParams::default(), "0")
        .await
        .unwrap()
        .boxed();
    created(&maps, &config_map("a")).await;
    // kube allows bookmarks, so a bookmark ends the initial events, of which there are none.
    let event = soon(events.try_next()).await.unwrap().unwrap();
    assert!(matches!(event, WatchEvent::Bookmark(_)));
    let event = soon(events.try_next()).await.unwrap().unwrap();
    assert!(matches!(event, WatchEvent::Added(map) if map.name_any() == "a"));
}

/// The window passes a watcher that does not read. The watcher receives an error, and the server
/// buffers nothing for it.
#[tokio::test]
async fn a_slow_watcher_expires() {
    let server = started(ApiServer::builder().event_window(100)).await;
    let mut events = Lines::open(&server, &format!("{MAPS}?watch=1")).await;
    server.control().await_watches("configmaps", 1).await;
    let big = "x".repeat(100_000);
    // More bytes than the buffers of the sockets and the window can hold.
    for i in 0..400 {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": { "big": big },
            "metadata": { "name": format!("c-{i:05}") },
        });
        server.control().create_direct(object).unwrap();
    }
    let mut last = events.next().await.unwrap();
    let mut seen = 1;
    while let Some(event) = events.next().await {
        last = event;
        seen += 1;
    }
    assert_eq!(
        (last.0.as_str(), &last.1["reason"]),
        ("ERROR", &json!("Expired"))
    );
    assert!(seen < 400, "all {seen} arrived");
}

#[tokio::test]
async fn bookmarks_advance_with_changes_of_other_resources() {
    let server = started(ApiServer::builder().bookmark_interval(Duration::from_millis(20))).await;
    let path = "/api/v1/pods?watch=1&resourceVersion=1&allowWatchBookmarks=true";
    let mut events = Lines::open(&server, path).await;
    put(&server, "a");
    let newest = json!(server.control().current_resource_version().to_string());
    let moved = async {
        loop {
            let (kind, object) = events.next().await.unwrap();
            assert_eq!(
                (kind.as_str(), &object["kind"]),
                ("BOOKMARK", &json!("Pod"))
            );
            if object["metadata"]["resourceVersion"] == newest {
                break;
            }
        }
    };
    soon(moved).await;
}

/// Many watchers and a burst: each receives each change once, in order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_watcher_sees_every_event_in_order() {
    let server = server().await;
    let mut watchers = Vec::new();
    for _ in 0..8 {
        watchers.push(Lines::open(&server, &format!("{MAPS}?watch=1")).await);
    }
    server.control().await_watches("configmaps", 8).await;
    for i in 0..500 {
        put(&server, &format!("c-{i:05}"));
    }
    for watcher in &mut watchers {
        for i in 0..500 {
            assert_eq!(watcher.short().await, format!("ADDED c-{i:05}"));
        }
    }
}

#[tokio::test]
async fn a_hundred_watchers_share_the_encoding_of_an_event() {
    const WATCHERS: usize = 100;
    let server = server().await;
    let control = server.control();
    let maps = "/api/v1/configmaps?watch=1";
    let labelled = format!("{maps}&labelSelector=app=a");
    let mut plain = Vec::new();
    let mut choosy = Vec::new();
    for _ in 0..WATCHERS {
        plain.push(Lines::open(&server, maps).await);
        choosy.push(Lines::open(&server, &labelled).await);
    }
    soon(control.await_watches("configmaps", 2 * WATCHERS)).await;
    let map = |app: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": "a", "labels": { "app": app } },
        })
    };
    control.create_direct(map("a")).unwrap();
    control.update_direct(map("b")).unwrap();
    control.update_direct(map("a")).unwrap();
    control
        .delete_direct("/api/v1/namespaces/default/configmaps/a")
        .unwrap();
    for lines in &mut plain {
        let seen = ["ADDED a", "MODIFIED a", "MODIFIED a", "DELETED a"];
        assert_eq!(lines.shorts(4).await, seen);
    }
    for lines in &mut choosy {
        let seen = ["ADDED a", "DELETED a", "ADDED a", "DELETED a"];
        assert_eq!(lines.shorts(4).await, seen);
    }
    // Four events, two of which look different to the watchers with a selector.
    assert_eq!(control.event_encodings(), 6);
}

//! Watches: starting positions, events, ends.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use informer_apiserver::{ApiServer, Verb};
use kube::ResourceExt;
use kube::api::{WatchEvent, WatchParams};
use serde_json::{Value, json};

use crate::support::{Lines, config_map, config_maps, created, get, put, server, soon, started};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn delete(server: &ApiServer, name: &str) {
    server
        .control()
        .delete_direct(&format!("{MAPS}/{name}"))
        .unwrap();
}

fn label(server: &ApiServer, name: &str, labels: &Value) -> u64 {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "labels": labels },
    });
    server.control().update_direct(object).unwrap();
    server.control().current_resource_version()
}

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

#[tokio::test]
async fn a_version_beyond_the_window_is_expired_within_the_stream() {
    let server = server().await;
    put(&server, "a");
    let version = server.control().current_resource_version();
    put(&server, "b");
    server.control().compact();
    let path = format!("{MAPS}?watch=1&resourceVersion={version}");
    let mut events = Lines::open(&server, &path).await;
    let (kind, status) = events.next().await.unwrap();
    assert_eq!(kind, "ERROR");
    assert_eq!(
        (&status["code"], &status["reason"]),
        (&json!(410), &json!("Expired"))
    );
    let newest = server.control().current_resource_version();
    let message = format!("too old resource version: {version} ({newest})");
    assert_eq!(status["message"], json!(message));
    assert!(events.next().await.is_none());
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
async fn watchers_that_have_read_everything_survive_a_compaction() {
    let server = server().await;
    put(&server, "a");
    let mut events = Lines::open(&server, &format!("{MAPS}?watch=1")).await;
    events.short().await;
    server.control().compact();
    put(&server, "b");
    assert_eq!(events.short().await, "ADDED b");
}

#[tokio::test]
async fn a_selector_turns_entering_and_leaving_into_added_and_deleted() {
    let server = server().await;
    put(&server, "a");
    let path = format!("{MAPS}?watch=1&labelSelector=app%3Dx&resourceVersion=0");
    let mut events = Lines::open(&server, &path).await;
    server.control().await_watches("configmaps", 1).await;
    label(&server, "a", &json!({ "app": "x", "n": "1" }));
    label(&server, "a", &json!({ "app": "x", "n": "2" }));
    let left = label(&server, "a", &json!({ "app": "y" }));
    label(&server, "a", &json!({ "app": "z" }));
    label(&server, "a", &json!({ "app": "x" }));
    delete(&server, "a");
    assert_eq!(events.shorts(2).await, ["ADDED a", "MODIFIED a"]);
    let (kind, object) = events.next().await.unwrap();
    assert_eq!(kind, "DELETED");
    assert_eq!(
        object["metadata"]["resourceVersion"],
        json!(left.to_string())
    );
    assert_eq!(
        object["metadata"]["labels"],
        json!({ "app": "x", "n": "2" })
    );
    assert_eq!(events.shorts(2).await, ["ADDED a", "DELETED a"]);
}

#[tokio::test]
async fn a_watch_is_limited_to_its_namespace_or_object() {
    let server = started(ApiServer::builder().create_namespaces(true)).await;
    let mut in_default = Lines::open(&server, &format!("{MAPS}?watch=1")).await;
    let one = format!("{MAPS}?watch=1&fieldSelector=metadata.name=b");
    let mut of_b = Lines::open(&server, &one).await;
    let mut by_name = Lines::open(
        &server,
        "/api/v1/configmaps?watch=1&fieldSelector=metadata.name=o",
    )
    .await;
    server.control().await_watches("configmaps", 3).await;
    let elsewhere = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "namespace": "x", "name": "o" },
    });
    server.control().create_direct(elsewhere).unwrap();
    put(&server, "a");
    put(&server, "b");
    assert_eq!(in_default.shorts(2).await, ["ADDED a", "ADDED b"]);
    assert_eq!(of_b.short().await, "ADDED b");
    assert_eq!(by_name.short().await, "ADDED o");
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

#[tokio::test]
async fn a_watch_ends_at_its_timeout_after_a_last_bookmark() {
    let server = server().await;
    put(&server, "a");
    let path = format!("{MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=1");
    let mut events = Lines::open(&server, &path).await;
    // The first bookmark ends the initial events.
    let expected = ["ADDED a", "BOOKMARK", "BOOKMARK", "end"];
    assert_eq!(events.shorts(4).await, expected);
    let mut plain = Lines::open(&server, &format!("{MAPS}?watch=1&timeoutSeconds=1")).await;
    assert_eq!(plain.shorts(2).await, ["ADDED a", "end"]);
}

#[tokio::test]
async fn invalid_or_disabled_streaming_lists_are_rejected() {
    let server = server().await;
    let future = server.control().current_resource_version() + 1;
    let good = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    for (query, expected) in [
        (
            "watch=1&sendInitialEvents=true".to_owned(),
            (422, "Invalid"),
        ),
        (
            "watch=1&resourceVersionMatch=NotOlderThan".to_owned(),
            (422, "Invalid"),
        ),
        (
            "watch=1&sendInitialEvents=true&resourceVersionMatch=Exact".to_owned(),
            (422, "Invalid"),
        ),
        ("watch=1&resourceVersion=x".to_owned(), (500, "")),
    ] {
        let (code, status) = get(&server, &format!("{MAPS}?{query}")).await;
        assert_eq!(
            (code, status["reason"].as_str().unwrap_or_default()),
            expected,
            "{query}"
        );
    }
    // A future version is an error in the stream.
    let (code, event) = get(&server, &format!("{MAPS}?{good}&resourceVersion={future}")).await;
    assert_eq!((code, &event["type"]), (200, &json!("ERROR")));
    assert_eq!(event["object"]["code"], 504);
    server.control().refuse_watch_list(true);
    let (code, status) = get(&server, &format!("{MAPS}?{good}")).await;
    assert_eq!((code, &status["reason"]), (422, &json!("Invalid")));
    assert_eq!(server.control().count(Verb::Watch, "configmaps"), 6);
    assert_eq!(server.control().watch_count("configmaps"), 0);
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

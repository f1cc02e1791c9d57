//! Results of a wait for caches.

use std::fmt::Display;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret, Service};
use tokio::time::{Instant, timeout};

use super::support::{Answer, SECOND, Server};
use crate::logged;
use crate::shared_informer::SyncError;

/// F-06, F-07, F-08: each informer has its own cause, and none delays another. F-18: a missing
/// resource is followed as soon as it is served.
#[tokio::test(start_paused = true)]
async fn f06_each_informer_says_why_it_does_not_sync() {
    let server = Server::default();
    server.on("/api/v1/secrets", Answer::Status(403));
    server.on("/apis/apps/v1/deployments", Answer::Status(404));
    server.on("/api/v1/nodes", Answer::Status(401));
    server.on("/api/v1/services", Answer::Text("<html>".to_owned()));
    server.on("/api/v1/configmaps", Answer::Status(500));
    let factory = server.factory().sync_timeout(7 * SECOND).build().unwrap();
    let pods = factory.informer::<Pod>();
    let _secrets = factory.informer::<Secret>();
    let _deployments = factory.informer::<Deployment>();
    let _nodes = factory.informer::<Node>();
    let _services = factory.informer::<Service>();
    let _configs = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    pods.wait_for_sync().await.unwrap();

    let started = Instant::now();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        started.elapsed(),
        7 * SECOND,
        "only the last one is waited for"
    );
    let result = error.result();
    assert!(!result.is_synced());
    assert!(matches!(result.get("pods.v1"), Some(Ok(()))));
    assert!(result.get("foos.v1").is_none());
    let of = |name: &str| result.get(name).unwrap().unwrap_err();
    assert!(matches!(of("secrets.v1"), SyncError::Forbidden(_)));
    assert!(matches!(of("deployments.v1.apps"), SyncError::NotServed(_)));
    assert!(matches!(of("nodes.v1"), SyncError::Unauthorized(_)));
    assert!(matches!(of("services.v1"), SyncError::Malformed(_)));
    assert!(
        matches!(of("configmaps.v1"), SyncError::Timeout { cause: Some(cause), .. }
            if cause.status().is_some_and(|status| status.code == 500))
    );
    let names: Vec<&str> = result.failures().map(|(name, _)| name).collect();
    let sorted = [
        "configmaps.v1",
        "deployments.v1.apps",
        "nodes.v1",
        "secrets.v1",
        "services.v1",
    ];
    assert_eq!(names, sorted);

    let text = error.to_string();
    let lines: Vec<&str> = text.split("; ").collect();
    assert_eq!(lines[0], "failed to sync all caches");
    let starts = [
        "configmaps.v1: not synced within 7 s: list failed: ",
        "deployments.v1.apps: not served: is its CustomResourceDefinition installed?: list failed: ",
        "nodes.v1: unauthorized: check the client's credentials: list failed: ",
        "secrets.v1: forbidden: grant `list` and `watch` on it: list failed: ",
        "services.v1: malformed answer: list failed: ",
    ];
    assert_eq!(lines.len(), 1 + starts.len(), "{text}");
    for (line, start) in lines[1..].iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
    assert!(text.contains("the server says 403"), "{text}");

    // The informers keep retrying, so the wait can be repeated without a restart.
    for path in [
        "/api/v1/secrets",
        "/apis/apps/v1/deployments",
        "/api/v1/nodes",
        "/api/v1/services",
        "/api/v1/configmaps",
    ] {
        server.on(path, Answer::List(&["x"]));
    }
    tokio::time::sleep(60 * SECOND).await;
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
}

/// F-09: with a silent server, without a start, and without informers.
#[tokio::test(start_paused = true)]
async fn f09_a_wait_ends_in_time_and_says_what_is_missing() {
    let server = Server::default();
    let empty = server.factory().build().unwrap();
    assert_eq!(empty.wait_for_cache_sync().await.unwrap().iter().count(), 0);

    server.on("/api/v1/pods", Answer::Silence);
    let factory = server.factory().sync_timeout(3 * SECOND).build().unwrap();
    let _pods = factory.informer::<Pod>();
    let started = Instant::now();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(started.elapsed(), 3 * SECOND);
    assert_eq!(
        error.to_string(),
        "failed to sync all caches; pods.v1: not started within 3 s: call `start`"
    );
    factory.start().unwrap();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to sync all caches; pods.v1: not synced within 3 s"
    );

    // A cancelled wait leaves no state behind.
    assert!(
        timeout(SECOND, factory.wait_for_cache_sync())
            .await
            .is_err()
    );
    factory.shutdown().await;
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to sync all caches; pods.v1: stopped: it does not follow the server any more"
    );
}

/// F-08, F-10: a wait that starts before the factory, and a wait that the shutdown ends.
#[tokio::test(start_paused = true)]
async fn f08_a_wait_may_begin_before_the_start() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let _pods = factory.informer::<Pod>();
    let (first, second, ()) = tokio::join!(
        factory.wait_for_cache_sync(),
        factory.wait_for_cache_sync(),
        async { factory.start().unwrap() },
    );
    assert!(first.is_ok() && second.is_ok());

    server.on("/api/v1/nodes", Answer::Silence);
    let _nodes = factory.informer::<Node>();
    let started = Instant::now();
    let (waited, ()) = tokio::join!(factory.wait_for_cache_sync(), factory.shutdown());
    assert!(matches!(
        waited.unwrap_err().result().get("nodes.v1"),
        Some(Err(SyncError::Stopped))
    ));
    assert_eq!(started.elapsed(), Duration::ZERO);
}

/// Waits for caches that need this many seconds (`None`: forever). Returns the duration of the
/// wait, the synced informers, and the text of the error.
async fn waited<R: Display>(
    caches: &[(&'static str, Option<u64>)],
    limit: Duration,
    cancelled: impl Future<Output = R>,
) -> (Duration, String, String) {
    let server = Server::default();
    let factory = server.factory().sync_timeout(limit).build().unwrap();
    for (name, seconds) in caches {
        let answer = seconds.map_or(Answer::Silence, |seconds| {
            Answer::After(Duration::from_secs(seconds))
        });
        server.on(&format!("/api/v1/{name}"), answer);
        match *name {
            "pods" => drop(factory.informer::<Pod>()),
            "nodes" => drop(factory.informer::<Node>()),
            _ => drop(factory.informer::<Secret>()),
        }
    }
    factory.start().unwrap();
    // Lets the caches that need no time sync.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let started = Instant::now();
    let outcome = factory.wait_for_cache_sync_until(cancelled).await;
    let elapsed = started.elapsed();
    let text = outcome.as_ref().err().map(ToString::to_string);
    let result = outcome.unwrap_or_else(|error| error.result().clone());
    let synced = result.iter().filter(|(_, outcome)| outcome.is_ok());
    let synced: Vec<&str> = synced.map(|(name, _)| name).collect();
    factory.shutdown().await;
    // Rounded to seconds.
    let elapsed = Duration::from_secs((elapsed + SECOND / 2).as_secs());
    (elapsed, synced.join(" "), text.unwrap_or_default())
}

/// F-09: client-go's eight cases (`TestWaitFor`); the outcome contains what client-go logs.
#[tokio::test(start_paused = true)]
async fn f09_a_wait_ends_by_sync_timeout_or_cancel_and_names_what_is_missing() {
    /// Shorter than the timeout for response headers, which would be a cause.
    const LIMIT: Duration = Duration::from_secs(50);
    const ALL: [(&str, Option<u64>); 3] =
        [("nodes", Some(10)), ("pods", Some(5)), ("secrets", Some(0))];
    const SOME: [(&str, Option<u64>); 3] =
        [("nodes", Some(10)), ("pods", None), ("secrets", Some(0))];
    const NONE: [(&str, Option<u64>); 3] = [("nodes", None), ("pods", None), ("secrets", None)];
    let never = std::future::pending::<&str>;
    let none = String::new;

    // "empty" and "no-caches".
    assert_eq!(
        waited(&[], LIMIT, never()).await,
        (Duration::ZERO, none(), none())
    );
    let cancelled = waited(&[], LIMIT, std::future::ready("no time")).await;
    assert_eq!(cancelled, (Duration::ZERO, none(), none()));

    // "no-logging": as long as the slowest cache.
    let synced = "nodes.v1 pods.v1 secrets.v1".to_owned();
    assert_eq!(
        waited(&ALL, LIMIT, never()).await,
        (10 * SECOND, synced, none())
    );

    // "some-timeout".
    let text = "failed to sync all caches; pods.v1: not synced within 50 s";
    let expected = (LIMIT, "nodes.v1 secrets.v1".to_owned(), text.to_owned());
    assert_eq!(waited(&SOME, LIMIT, never()).await, expected);

    // "some-canceled": cancelled before the wait; synced caches count.
    let text = "failed to sync all caches; nodes.v1: stopped waiting: context canceled; \
                pods.v1: stopped waiting: context canceled";
    let expected = (Duration::ZERO, "secrets.v1".to_owned(), text.to_owned());
    let cancelled = std::future::ready("context canceled");
    assert_eq!(waited(&SOME, LIMIT, cancelled).await, expected);

    // "more": cancelled during the wait, with its own reason.
    let text = "failed to sync all caches; nodes.v1: stopped waiting: go fish; \
                pods.v1: stopped waiting: go fish";
    let expected = (5 * SECOND, "secrets.v1".to_owned(), text.to_owned());
    let go_fish = async {
        tokio::time::sleep(5 * SECOND).await;
        "go fish"
    };
    assert_eq!(waited(&SOME, LIMIT, go_fish).await, expected);

    // "all".
    let text = "failed to sync all caches; nodes.v1: not synced within 50 s; \
                pods.v1: not synced within 50 s; secrets.v1: not synced within 50 s";
    let expected = (LIMIT, none(), text.to_owned());
    assert_eq!(waited(&NONE, LIMIT, never()).await, expected);
}

/// F-09: "with-logging": each cache is logged when it has synced, in that order.
#[tokio::test(start_paused = true)]
async fn f09_a_wait_logs_each_cache_as_it_syncs() {
    let log = logged::capture(module_path!());
    let caches = [("nodes", Some(10)), ("pods", None), ("secrets", Some(0))];
    let cancelled = async {
        tokio::time::sleep(30 * SECOND).await;
        "go fish"
    };
    let _outcome = waited(&caches, 60 * SECOND, cancelled).await;
    let mut lines = log.lines();
    lines.retain(|line| line.target.ends_with("factory::sync"));
    assert_eq!(
        lines.into_iter().map(|line| line.text).collect::<Vec<_>>(),
        [
            "waiting for caches informers=3",
            "cache synced informer=\"secrets.v1\"",
            "cache synced informer=\"nodes.v1\"",
            "cache not synced informer=\"pods.v1\" error=stopped waiting: go fish",
        ]
    );
}

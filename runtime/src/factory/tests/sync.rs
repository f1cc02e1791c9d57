//! What waiting for caches answers.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret, Service};
use tokio::time::{Instant, timeout};

use super::support::{Answer, SECOND, Server};
use crate::shared_informer::SyncError;

/// F-06, F-07, F-08: one cause each; none hides or delays another.
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
        "configmaps.v1: not within 7 s: list failed: ",
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

    // They go on trying: this can be called again, and needs no restart (F-18).
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

/// F-09: what is silent, not started, or nothing at all.
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
        "failed to sync all caches; pods.v1: not within 3 s"
    );

    // Given up, it leaves nothing behind.
    assert!(
        timeout(SECOND, factory.wait_for_cache_sync())
            .await
            .is_err()
    );
    factory.shutdown().await;
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to sync all caches; pods.v1: stopped before it had synced"
    );
}

/// F-08, F-10: a wait that began before the start, and one that is ended by the shutdown.
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

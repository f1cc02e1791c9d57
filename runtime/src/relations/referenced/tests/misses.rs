//! Reasons why an object is not in the cache.

use std::error::Error as _;

use serde_json::json;

use super::world::{DEFAULT, World, advance, idle, key, miss};
use crate::base::chain::Chain;
use crate::relations::ReferencedError;

/// G-16.
#[tokio::test(start_paused = true)]
async fn a_miss_says_whether_the_referrers_are_known() {
    let world = World::new();
    let cache = world.cache(DEFAULT);
    idle().await;
    let unknown = "secrets \"ns/a\" is not known yet: the cache has not synced";
    assert_eq!(miss(&cache, "ns/a"), unknown);
    world.start(&cache).await;
    assert_eq!(
        miss(&cache, "ns/a"),
        "secrets \"ns/a\" is not referenced by a cached object"
    );
}

/// G-16.
#[tokio::test(start_paused = true)]
async fn a_miss_says_that_a_referenced_object_does_not_exist() {
    let world = World::new();
    world.refer("site", "ns/a");
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    assert_eq!(miss(&cache, "ns/a"), "secrets \"ns/a\" not found");
    world.put("ns/a");
    idle().await;
    assert_eq!(miss(&cache, "ns/a"), "found");
}

/// G-16.
#[tokio::test(start_paused = true)]
async fn a_miss_shows_the_refusal_of_the_api_server() {
    let world = World::new();
    world.put("ns/a ns/b");
    world.refer("site", "ns/a ns/b");
    // As RBAC with `resourceNames: [a]` does.
    world
        .server
        .forbid(|scope| scope.resource == "secrets" && scope.name.as_deref() != Some("a"));
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    assert_eq!(miss(&cache, "ns/a"), "found");
    let error = cache.try_get(&key("ns/b")).unwrap_err();
    assert!(matches!(error, ReferencedError::Forbidden { .. }));
    assert_eq!(
        Chain(&error).to_string(),
        "secrets \"ns/b\" is forbidden: grant `list` and `watch` on it: list failed: \
         refused (HTTP 403, Forbidden)"
    );
    // Attempts continue.
    world.server.forbid(|_| false);
    advance(std::time::Duration::from_secs(60)).await;
    assert_eq!(miss(&cache, "ns/b"), "found");
}

/// G-16.
#[tokio::test(start_paused = true)]
async fn a_miss_shows_the_failure_of_the_latest_attempt() {
    let world = World::new();
    world.refer("site", "ns/a");
    let cache = world.cache(DEFAULT);
    world.server.fail(|scope| scope.resource == "secrets");
    world.factory.start().unwrap();
    advance(std::time::Duration::from_secs(1)).await;
    let error = cache.try_get(&key("ns/a")).unwrap_err();
    assert_eq!(
        Chain(&error).to_string(),
        "secrets \"ns/a\" is not known yet: the cache has not synced: list failed: \
         refused (HTTP 500, InternalError)"
    );
    assert!(!cache.status().has_synced);
}

/// G-16.
#[tokio::test(start_paused = true)]
async fn a_miss_says_that_the_latest_version_does_not_decode() {
    let world = World::new();
    world.put("ns/a");
    world.refer("site", "ns/a ns/b");
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    world.put_data("ns/a", &json!("no map"));
    world.put_data("ns/b", &json!("no map"));
    idle().await;
    let error = cache.try_get(&key("ns/a")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "secrets \"ns/a\" does not decode at resourceVersion \"4\""
    );
    assert!(error.source().is_some());
    // The last good version stays readable.
    assert!(cache.get(&key("ns/a")).is_some());
    assert!(matches!(
        cache.try_get(&key("ns/b")),
        Err(ReferencedError::Undecodable { .. })
    ));
    assert!(cache.get(&key("ns/b")).is_none());
}

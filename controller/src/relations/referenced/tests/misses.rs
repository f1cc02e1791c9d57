//! Reasons why an object is not in the cache.

use std::error::Error as _;

use informer_runtime::GetError;
use informer_runtime::engine::Chain;
use serde_json::json;

use super::world::{DEFAULT, GRACE, Notes, World, advance, cached, idle, key, miss, watches};
use crate::relations::{ReferencedError, RelatedError};

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
    let (world, cache) = World::started("", "ns/a", DEFAULT).await;
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
    world.forbid(|scope| scope.resource == "secrets" && scope.selected_name() != Some("a"));
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    assert_eq!(miss(&cache, "ns/a"), "found");
    let error = cache.try_get(&key("ns/b")).unwrap_err();
    assert!(matches!(
        error,
        ReferencedError::Related(RelatedError::Forbidden { .. })
    ));
    assert_eq!(
        Chain(&error).to_string(),
        "secrets \"ns/b\" is forbidden: grant `list` and `watch` on it: list failed: \
         refused (HTTP 403, Forbidden)"
    );
    // Attempts continue.
    world.forbid(|_| false);
    advance(std::time::Duration::from_secs(60)).await;
    assert_eq!(miss(&cache, "ns/b"), "found");
}

/// G-16.
#[tokio::test(start_paused = true)]
async fn a_miss_shows_the_failure_of_the_latest_attempt() {
    let (world, cache) = World::prepared("", "ns/a", DEFAULT);
    world.fail(|scope| scope.resource == "secrets");
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
    let (world, cache) = World::started("ns/a", "ns/a ns/b", DEFAULT).await;
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
        Err(ReferencedError::Related(RelatedError::Get(
            GetError::Undecodable { .. }
        )))
    ));
    assert!(cache.get(&key("ns/b")).is_none());
}

/// W-13: a version that did not decode is not passed off as current, also where another watch takes
/// over.
#[tokio::test(start_paused = true)]
async fn w13_a_version_that_does_not_decode_is_marked_until_one_does() {
    let world = World::new();
    let good = json!({"k": "dg=="});
    let bad = json!({"k": 7});
    world.put_data("ns/a", &good);
    world.refer("site", "ns/a ns/b");
    let cache = world.cache((64, 3));
    let notes = Notes::of(&cache);
    world.start(&cache).await;
    let marked = || {
        let snapshot = cache.snapshot();
        let marks = snapshot.undecodable_all();
        let marks = marks.map(|mark| format!("{}@{}", mark.key, mark.resource_version));
        marks.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        (notes.take(), marked().as_str()),
        (vec!["add ns/a".to_owned()], "")
    );
    world.put_data("ns/a", &bad);
    world.put_data("ns/b", &bad);
    idle().await;
    assert_eq!(marked(), "ns/a@4 ns/b@5");
    assert!(cache.get(&key("ns/a")).is_some(), "the last good version");
    assert_eq!(
        miss(&cache, "ns/a"),
        "secrets \"ns/a\" does not decode at resourceVersion \"4\""
    );

    // The namespace watch has never seen the good version.
    world.refer("site", "ns/a ns/b ns/c");
    idle().await;
    assert_eq!(watches(&cache), (0, 1));
    assert_eq!((notes.take(), marked().as_str()), (vec![], "ns/a@4 ns/b@5"));
    assert!(cache.get(&key("ns/a")).is_some(), "the last good version");

    world.put_data("ns/a", &good);
    world.delete("ns/b");
    idle().await;
    assert_eq!(
        (notes.take(), marked().as_str()),
        (vec!["update ns/a".to_owned()], "")
    );
    world.put_data("ns/a", &bad);
    idle().await;
    assert_eq!(marked(), "ns/a@9");
    // Released.
    world.refer("site", "ns/b");
    advance(2 * GRACE).await;
    assert_eq!(
        (notes.take(), marked().as_str()),
        (vec!["delete ns/a unseen".to_owned()], "")
    );
}

/// W-13: the first list of the cache has a version that did not decode.
#[tokio::test(start_paused = true)]
async fn w13_a_version_that_does_not_decode_is_marked_from_the_first_list_on() {
    let world = World::new();
    world.put_data("ns/a", &json!({"k": 7}));
    world.refer("site", "ns/a");
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    assert_eq!(cache.snapshot().undecodable_all().count(), 1);
    assert_eq!(cached(&cache), "");
}

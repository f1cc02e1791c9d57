//! Watches of one object.

use informer_runtime::{EventHandlerFuncs, FieldSelector, InformerOptions, ObjectKey, Packed};
use k8s_openapi::api::core::v1::{Node, Secret};
use kube::ResourceExt as _;

use super::world::{
    DEFAULT, GRACE, Notes, World, advance, cached, idle, key, mentioned, miss, watches,
};
use crate::relations::{Reference, ReferencedCache};
use crate::workqueue::WorkQueue;

/// G-11.
#[tokio::test(start_paused = true)]
async fn a_mentioned_object_is_listed_and_watched_by_its_name_alone() {
    let (world, cache) = World::started("ns/a ns/b other/a", "ns/a", DEFAULT).await;
    assert_eq!(cached(&cache), "ns/a");
    assert_eq!(cache.get(&key("ns/a")).unwrap().name_any(), "a");
    assert!(cache.get(&key("ns/b")).is_none());
    world.refer("site", "ns/a other/a");
    idle().await;
    assert_eq!(cached(&cache), "ns/a other/a");
    let expected = ["ns/a", "other/a"].map(|name| {
        [
            format!("LIST secrets {name}"),
            format!("WATCH secrets {name}"),
        ]
    });
    assert_eq!(world.requests(), expected.concat());
}

/// G-11.
#[tokio::test(start_paused = true)]
async fn an_object_is_cached_from_its_first_mention_until_after_its_last() {
    let world = World::new();
    world.put("ns/a ns/b");
    world.refer("first", "ns/a ns/a");
    world.refer("second", "ns/a ns/b");
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    world.refer("first", "");
    advance(2 * GRACE).await;
    assert_eq!(cached(&cache), "ns/a ns/b");
    world.remove_referrer("second");
    advance(GRACE / 2).await;
    assert_eq!(cached(&cache), "ns/a ns/b");
    assert_eq!(miss(&cache, "ns/b"), "found");
    world.requests();

    // A mention within the grace period costs no request.
    world.refer("first", "ns/a");
    advance(GRACE).await;
    assert_eq!(cached(&cache), "ns/a");
    assert_eq!(
        miss(&cache, "ns/b"),
        "secrets \"ns/b\" is not referenced by a cached object"
    );
    assert_eq!(watches(&cache), (1, 0));
    assert!(world.requests().is_empty());
    assert_eq!(world.decoded_and_held().1, 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_sees_the_referenced_objects_as_if_one_informer_followed_them() {
    let (world, cache) = World::prepared("ns/a", "ns/a ns/b", DEFAULT);
    let notes = Notes::of(&cache);
    world.start(&cache).await;
    assert_eq!(notes.take(), ["add ns/a"]);
    world.put("ns/a ns/b ns/c");
    idle().await;
    assert_eq!(notes.take(), ["update ns/a", "add ns/b"]);
    world.delete("ns/a");
    idle().await;
    assert_eq!(notes.take(), ["delete ns/a"]);

    // An object that is no longer mentioned leaves the scope of the cache.
    world.refer("site", "");
    advance(2 * GRACE).await;
    assert_eq!(notes.take(), ["delete ns/b unseen"]);
    world.refer("site", "ns/b");
    idle().await;
    assert_eq!(notes.take(), ["add ns/b"]);
    let late = Notes::of(&cache);
    idle().await;
    assert_eq!(late.take(), ["add ns/b"]);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_was_created_again_between_two_looks_is_another_object() {
    let (world, cache) = World::prepared("ns/a", "ns/a", DEFAULT);
    let notes = Notes::of(&cache);
    world.start(&cache).await;
    world.delete("ns/a");
    world.put("ns/a");
    idle().await;
    assert_eq!(notes.take(), ["add ns/a", "delete ns/a unseen", "add ns/a"]);
    world.delete("ns/a");
    world.put("ns/a");
    world.delete("ns/a");
    idle().await;
    // The final state of the object that was shown is not known.
    assert_eq!(notes.take(), ["delete ns/a unseen"]);
}

#[tokio::test(start_paused = true)]
async fn cluster_scoped_objects_are_watched_without_a_namespace() {
    let world = World::new();
    world
        .server
        .put("nodes", &key("n1"), Some(serde_json::json!({})));
    world.refer("site", "ns/n1 n2");
    let cache = world.cache_of::<Node>(DEFAULT);
    world.factory.start().unwrap();
    cache.wait_for_sync().await.unwrap();
    idle().await;
    assert_eq!(cached(&cache), "n1");
    assert!(cache.get(&key("any/n1")).is_some());
    assert_eq!(miss(&cache, "n2"), "nodes \"n2\" not found");
    assert_eq!(watches(&cache), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn referrers_in_any_storage_are_counted() {
    let world = World::new();
    world.put("ns/a ns/b");
    world.refer("site", "ns/a");
    let packed = world.factory.stored_as::<Packed>().informer();
    let reference = Reference::new("keys", mentioned);
    let cache: ReferencedCache<Secret> =
        ReferencedCache::builder(&world.factory, &packed, reference)
            .build()
            .unwrap();
    world.start(&cache).await;
    assert_eq!(cached(&cache), "ns/a");
    world.refer("site", "ns/b");
    advance(2 * GRACE).await;
    assert_eq!(cached(&cache), "ns/b");
}

#[tokio::test(start_paused = true)]
async fn names_that_no_object_can_have_are_not_requested() {
    let world = World::new();
    // A key without a namespace would make a list of all namespaces.
    world.refer("site", "no-namespace");
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    assert_eq!(cache.status().names, 0);
    assert!(miss(&cache, "no-namespace").ends_with("is not referenced by a cached object"));
    assert!(world.requests().is_empty());
}

/// G-17.
#[tokio::test(start_paused = true)]
async fn a_cache_neither_shares_nor_stops_the_informers_of_others() {
    let world = World::new();
    world.put("ns/a");
    world.refer("site", "ns/a");
    let of_user = InformerOptions::<Secret>::new().namespace("ns");
    let of_user = of_user.field_selector(FieldSelector::of_name("a"));
    let of_user = world.factory.informer_with(of_user);
    let first = world.cache(DEFAULT);
    let second = world.cache(DEFAULT);
    world.start(&first).await;
    second.wait_for_sync().await.unwrap();
    drop(first);
    idle().await;
    assert!(!of_user.is_stopped());
    world.put("ns/a");
    idle().await;
    assert_eq!(
        second
            .get(&key("ns/a"))
            .unwrap()
            .resource_version()
            .as_deref(),
        Some("4")
    );
}

/// G-17.
#[tokio::test(start_paused = true)]
async fn the_last_handle_ends_the_cache_and_its_informers() {
    let (world, cache) = World::started("ns/a", "ns/a", DEFAULT).await;
    let clone = cache.clone();
    drop(cache);
    idle().await;
    assert_eq!(world.factory.metrics().informers.len(), 2);
    let handlers = |world: &World| world.referrers.metrics().handlers.len();
    assert_eq!(handlers(&world), 1);
    drop(clone);
    idle().await;
    assert_eq!(world.factory.metrics().informers.len(), 1);
    assert_eq!(handlers(&world), 0);
}

/// G-17.
#[tokio::test(start_paused = true)]
async fn a_shutdown_of_the_factory_joins_the_cache_and_keeps_it_readable() {
    let world = World::new();
    // The client has a task.
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let before = tasks();
    world.put("ns/a");
    world.refer("site", "ns/a");
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    world.factory.shutdown().await;
    assert_eq!(tasks(), before);
    assert!(cache.get(&key("ns/a")).is_some());
    assert_eq!(miss(&cache, "ns/a"), "found");
    assert!(cache.add_event_handler(|_| ()).is_err());
    // A new cache would have no referrers.
    let reference = Reference::<_, Secret>::new("keys", mentioned);
    let built = ReferencedCache::builder(&world.factory, &world.referrers, reference).build();
    assert!(built.is_err());
}

/// The name of a handler is that of its type, as for handlers of informers.
#[tokio::test(start_paused = true)]
async fn a_handler_of_the_cache_is_named_after_its_type() {
    let cache = World::new().cache(DEFAULT);
    let handler = EventHandlerFuncs::<Secret>::new();
    let type_name = std::any::type_name_of_val(&handler).to_owned();
    let registration = cache.add_event_handler(handler).unwrap();
    assert_eq!(registration.name(), type_name);
}

/// G-17.
#[tokio::test(start_paused = true)]
async fn a_cache_does_not_keep_its_factory_alive() {
    let (world, cache) = World::started("", "ns/a", DEFAULT).await;
    let World {
        factory, referrers, ..
    } = world;
    drop(factory);
    referrers.wait_until_stopped().await;
    idle().await;
    assert!(cache.add_event_handler(|_| ()).is_err());
}

/// G-09.
#[tokio::test(start_paused = true)]
async fn a_change_of_a_referenced_object_enqueues_those_that_mention_it() {
    let world = World::new();
    world.put("ns/a");
    world.refer("first", "ns/a ns/b");
    world.refer("second", "ns/b");
    let cache = world.cache(DEFAULT);
    let queue = WorkQueue::new("maps");
    cache.enqueue_into(&queue).unwrap();
    world.start(&cache).await;
    assert_eq!(drain(&queue).await, ["sites/first"]);
    world.put("ns/b");
    idle().await;
    assert_eq!(drain(&queue).await, ["sites/first", "sites/second"]);
    world.refer("first", "ns/a");
    idle().await;
    world.put("ns/b");
    idle().await;
    assert_eq!(drain(&queue).await, ["sites/second"]);
}

/// Takes all keys off a queue, and returns them in order.
async fn drain(queue: &WorkQueue<ObjectKey>) -> Vec<String> {
    let mut keys = Vec::new();
    while !queue.is_empty() {
        keys.push(queue.get().await.unwrap().to_string());
    }
    keys.sort();
    keys
}

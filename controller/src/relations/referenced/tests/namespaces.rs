//! Watches of many objects of one namespace.

use std::time::Duration;

use super::super::plan::REFUSAL_MEMORY;
use super::world::{DEFAULT, GRACE, Notes, World, advance, cached, idle, miss, watches};

/// Number of Secrets that nothing mentions.
const FOREIGN: usize = 5_000;

/// G-12.
#[tokio::test(start_paused = true)]
async fn many_names_of_a_namespace_cost_one_list_and_one_watch() {
    let world = World::new();
    let names: Vec<String> = (0..40).map(|number| format!("ns/{number}")).collect();
    world.put(&names.join(" "));
    world.refer("site", &names.join(" "));
    let cache = world.cache(DEFAULT);
    world.start(&cache).await;
    assert_eq!(cache.status().objects, 40);
    assert_eq!(
        world.requests(),
        ["LIST secrets ns/*", "WATCH secrets ns/*"]
    );
}

/// G-13.
#[tokio::test(start_paused = true)]
async fn foreign_objects_are_neither_decoded_nor_held() {
    let world = World::new();
    let foreign: Vec<String> = (0..FOREIGN).map(|number| format!("ns/x{number}")).collect();
    world.put(&foreign.join(" "));
    world.put("ns/a ns/b ns/c");
    world.refer("site", "ns/a ns/b ns/c");
    let cache = world.cache((64, 2));
    world.start(&cache).await;
    assert_eq!(watches(&cache), (0, 1));
    assert_eq!(world.decoded_and_held(), (3, 3));
    world.put(&foreign[..100].join(" "));
    world.put("ns/a");
    world.delete(&foreign[0]);
    idle().await;
    assert_eq!(world.decoded_and_held(), (4, 3));
    assert_eq!(cached(&cache), "ns/a ns/b ns/c");

    // A watch that continues after foreign changes does not receive them again.
    world.server.disconnect();
    advance(Duration::from_secs(2)).await;
    world.put("ns/b");
    idle().await;
    assert_eq!(world.decoded_and_held(), (5, 3));
    let requests = world.requests();
    assert_eq!(
        requests,
        [
            "LIST secrets ns/*",
            "WATCH secrets ns/*",
            "WATCH secrets ns/*"
        ]
    );
}

/// G-12.
#[tokio::test(start_paused = true)]
async fn a_switch_between_watches_is_invisible() {
    let (world, cache) = World::prepared("ns/a ns/b ns/c ns/d", "ns/a ns/b", (64, 3));
    let notes = Notes::of(&cache);
    world.start(&cache).await;
    assert_eq!((watches(&cache), notes.take().len()), ((2, 0), 2));

    world.refer("site", "ns/a ns/b ns/c ns/d");
    idle().await;
    assert_eq!(watches(&cache), (0, 1));
    assert_eq!(notes.take(), ["add ns/c", "add ns/d"]);
    world.put("ns/a");
    world.delete("ns/b");
    idle().await;
    assert_eq!(notes.take(), ["update ns/a", "delete ns/b"]);

    world.refer("site", "ns/a");
    advance(2 * GRACE).await;
    assert_eq!(watches(&cache), (0, 1));
    assert_eq!(notes.take(), ["delete ns/c unseen", "delete ns/d unseen"]);
}

/// G-12.
#[tokio::test(start_paused = true)]
async fn a_namespace_watch_takes_an_object_over_when_it_has_caught_up() {
    let (world, cache) = World::prepared(
        "ns/changed ns/deleted ns/again",
        "ns/changed ns/deleted ns/created ns/again",
        (64, 5),
    );
    let notes = Notes::of(&cache);
    world.start(&cache).await;
    notes.take();
    // Each single watch knows more than a lagging namespace watch.
    world.server.lag();
    world.put("ns/changed ns/created");
    world.delete("ns/deleted");
    world.delete("ns/again");
    world.put("ns/again");
    idle().await;
    notes.take();
    world.refer("other", "ns/new");
    advance(Duration::from_secs(5)).await;
    assert_eq!(notes.take(), [""; 0]);
    assert_eq!(cached(&cache), "ns/again ns/changed ns/created");
    // The namespace watch owns the name that no other watch has followed.
    assert_eq!(watches(&cache), (4, 1));
    world.server.catch_up();
    advance(Duration::from_secs(5)).await;
    assert_eq!(watches(&cache), (0, 1));
    assert_eq!(notes.take(), [""; 0]);
    world.put("ns/changed");
    world.delete("ns/created");
    idle().await;
    assert_eq!(notes.take(), ["update ns/changed", "delete ns/created"]);
}

/// G-14.
#[tokio::test(start_paused = true)]
async fn a_refused_namespace_keeps_single_watches_for_some_minutes() {
    let world = World::new();
    world.put("ns/a ns/b ns/c");
    // As RBAC with `resourceNames` does.
    world.forbid(|scope| scope.resource == "secrets" && scope.selected_name().is_none());
    world.refer("site", "ns/a ns/b ns/c");
    let cache = world.cache((64, 3));
    let notes = Notes::of(&cache);
    world.start(&cache).await;
    assert_eq!(watches(&cache), (3, 0));
    assert_eq!(cached(&cache), "ns/a ns/b ns/c");
    let probes = |world: &World| {
        let requests = world.requests();
        requests
            .iter()
            .filter(|request| *request == "LIST secrets ns/*")
            .count()
    };
    assert_eq!(probes(&world), 1);
    advance(REFUSAL_MEMORY / 2).await;
    assert_eq!(probes(&world), 0);
    world.forbid(|_| false);
    advance(REFUSAL_MEMORY).await;
    assert_eq!(probes(&world), 1);
    assert_eq!(watches(&cache), (0, 1));
    assert_eq!(notes.take().len(), 3);
}

/// G-14.
#[tokio::test(start_paused = true)]
async fn permissions_that_shrink_to_names_lead_back_to_single_watches() {
    let (world, cache) = World::prepared("ns/a ns/b", "ns/a ns/b", (64, 2));
    let notes = Notes::of(&cache);
    world.start(&cache).await;
    assert_eq!((watches(&cache), notes.take().len()), ((0, 1), 2));
    world.forbid(|scope| scope.resource == "secrets" && scope.selected_name().is_none());
    world.server.compact();
    advance(Duration::from_secs(60)).await;
    assert_eq!(watches(&cache), (2, 0));
    world.put("ns/a");
    idle().await;
    assert_eq!(notes.take(), ["update ns/a"]);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_is_mentioned_later_is_watched_alone() {
    let (world, cache) = World::started("ns/a ns/b ns/c", "ns/a ns/b", (64, 2)).await;
    world.requests();
    world.refer("other", "ns/c");
    idle().await;
    assert_eq!(
        world.requests(),
        ["LIST secrets ns/c", "WATCH secrets ns/c"]
    );
    assert_eq!(watches(&cache), (1, 1));
    assert_eq!(miss(&cache, "ns/c"), "found");
    world.remove_referrer("site");
    advance(GRACE).await;
    assert_eq!(watches(&cache), (1, 0));
    assert_eq!(cached(&cache), "ns/c");
}

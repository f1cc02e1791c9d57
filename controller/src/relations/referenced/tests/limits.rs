//! The limit on single watches.

use super::world::{GRACE, World, advance, idle, miss, watches};

/// G-15, G-16.
#[tokio::test(start_paused = true)]
async fn names_beyond_the_limit_are_not_requested_and_a_miss_says_so() {
    let (world, cache) = World::started("ns/a ns/b ns/c", "ns/a ns/b", (2, 16)).await;
    world.requests();
    world.refer("other", "ns/c");
    idle().await;
    assert_eq!(
        miss(&cache, "ns/c"),
        "secrets \"ns/c\" is not watched: all 2 single watches are in use; raise \
         `max_single_watches`, or grant `list` and `watch` on the namespace"
    );
    assert!(world.requests().is_empty());
    let status = cache.status();
    assert_eq!(
        (status.names, status.unwatched_names, status.objects),
        (3, 1, 2)
    );

    world.refer("site", "ns/a");
    advance(GRACE).await;
    assert_eq!(miss(&cache, "ns/c"), "found");
    assert_eq!(watches(&cache), (2, 0));
    assert_eq!(cache.status().unwatched_names, 0);
}

/// G-15.
#[tokio::test(start_paused = true)]
async fn the_limit_is_logged_once_when_it_is_reached_and_once_when_it_is_left() {
    let log = crate::logged::capture(module_path!());
    let world = World::new();
    let cache = world.cache((1, 16));
    world.start(&cache).await;
    world.refer("site", "ns/a ns/b");
    idle().await;
    world.refer("other", "ns/c");
    idle().await;
    world.refer("site", "");
    world.refer("other", "ns/c");
    advance(GRACE).await;
    let about = |text: &str| log.text().matches(text).count();
    assert_eq!(
        about("names are not watched: all single watches are in use"),
        1
    );
    assert_eq!(about("all names are watched again"), 1);
}

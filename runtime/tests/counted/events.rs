//! Allocations: for each watch event, and for each object of a relist.

use allocation_counter::measure;
use informer_runtime::source::{ListAnswer, WatchAnswer};
use informer_runtime::wire::{ApiStatus, ListMeta, RawEvent, RawObject};

use crate::support::{World, decode_alone, listing, object, updates};

/// A list of `count` objects, and the watch after it still to be answered.
fn synced(count: usize) -> World {
    let world = World::new(listing());
    let objects = (0..count).map(|number| object(number, number + 1));
    world
        .source
        .on_list(ListAnswer::items(objects, ListMeta::at("50000")));
    world.until_seen(count);
    world
}

/// What `events` allocate on their way to the handler, beyond what decoding them does.
fn beyond_decoding(world: &World, events: Vec<RawEvent>) -> u64 {
    let decoding = decode_alone(&events).count_total;
    let expected = world.seen() + events.len();
    let answer = WatchAnswer::stays_open(events);
    let all = measure(|| {
        world.source.on_watch(answer);
        world.until_seen(expected);
    });
    all.count_total - decoding
}

/// C-01, Q-15: a burst allocates, beside the objects, what a batch needs and the way into the tree.
#[test]
fn c01_an_event_of_a_burst_allocates_little_beyond_its_object() {
    for count in [1_000, 4_000] {
        let world = synced(count);
        let published = world.generation();
        let beyond = beyond_decoding(&world, updates(count, 60_000));
        println!("burst: {} in {} events", beyond, count);
        assert_eq!(world.generation() - published, count as u64 / 1_000);
        world.stop();
    }
}

/// C-01: a change that comes alone copies one path through the tree, however large it is.
#[test]
fn c01_a_single_event_allocates_the_same_in_a_large_cache() {
    for count in [100, 10_000] {
        let world = synced(count);
        // The same object, so that each is a batch of its own.
        let events = (0..500)
            .map(|version| RawEvent::Modified(object(7, 60_000 + version)))
            .collect();
        let beyond = beyond_decoding(&world, events);
        println!("single: {} in {} objects", beyond, count);
        world.stop();
    }
}

/// what a relist finds unchanged is not decoded, not copied, not told.
#[test]
fn r29_an_unchanged_object_of_a_relist_allocates_nothing() {
    let mut costs = Vec::new();
    for count in [1_000, 8_000] {
        let world = synced(count);
        let objects: Vec<RawObject> = (0..count)
            .map(|number| object(number, number + 1))
            .collect();
        let list = ListAnswer::items(objects, ListMeta::at("70000"));
        let expired = ApiStatus::new(410, "Expired", "");
        let info = measure(|| {
            world
                .source
                .on_watch(WatchAnswer::stays_open([RawEvent::Error(expired)]));
            world.source.on_list(list);
            world.until_version("70000");
        });
        println!("relist: {:?} for {}", info, count);
        costs.push(info.count_total);
        assert_eq!((world.decoded(), world.seen()), (count, count));
        assert_eq!(world.metrics().unchanged_objects, count as u64);
        world.stop();
    }
}

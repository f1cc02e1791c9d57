//! Allocations per watch event, and per object of a relist.

use allocation_counter::measure;
use informer_runtime::source::{ListAnswer, WatchAnswer};
use informer_runtime::wire::{ApiStatus, ListMeta, RawEvent, RawObject};

use crate::support::{World, decode_alone, listing, object, updates};

/// Returns a world with a list of `count` objects, whose watch is still to be answered.
fn synced(count: usize) -> World {
    let world = World::new(listing());
    let objects = (0..count).map(|number| object(number, number + 1));
    world
        .source
        .on_list(ListAnswer::items(objects, ListMeta::at("50000")));
    world.until_seen(count);
    world
}

/// Returns the number of allocations from the events to the handler, without those of decoding.
fn beyond_decoding(world: &World, events: Vec<RawEvent>) -> u64 {
    let decoding = decode_alone(&events).count_total;
    let expected = world.seen() + events.len();
    let answer = WatchAnswer::stays_open(events);
    let info = measure(|| {
        world.source.on_watch(answer);
        world.until_seen(expected);
    });
    info.count_total - decoding
}

/// a burst allocates about one entry per object, its share of the copied nodes, one
/// publication per batch, and one for the rest after full groups of 128 events.
#[test]
fn q16_an_event_of_a_burst_allocates_little_beyond_its_object() {
    for count in [1_000, 4_000] {
        let world = synced(count);
        let published = world.generation();
        let beyond = beyond_decoding(&world, updates(count, 60_000));
        let count = count as u64;
        let rest = u64::from(!count.is_multiple_of(128));
        assert_eq!(world.generation() - published, count / 1_000 + rest);
        assert!(beyond <= count * 5 / 2, "{beyond} for {count} events");
        world.stop();
    }
}

/// a single change copies one path through the tree, and its handler has one future, so it
/// allocates hardly more in a large
/// cache.
#[test]
fn q16_a_single_event_allocates_hardly_more_in_a_large_cache() {
    for (objects, bound) in [(100, 10), (10_000, 12)] {
        let world = synced(objects);
        let published = world.generation();
        // Always the same object, so that each event is a batch of its own.
        let events: Vec<RawEvent> = (0..500)
            .map(|version| RawEvent::Modified(object(7, 60_000 + version)))
            .collect();
        let beyond = beyond_decoding(&world, events);
        assert_eq!(world.generation() - published, 500);
        assert!(beyond < 500 * bound, "{beyond} among {objects} objects");
        world.stop();
    }
}

/// C-08, C-05: an unchanged object of a relist is neither decoded, copied nor notified. The number
/// of allocations does not depend on the number of objects.
#[test]
fn c08_an_unchanged_object_of_a_relist_allocates_nothing() {
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
        assert_eq!((world.decoded(), world.seen()), (count, count));
        assert_eq!(world.metrics().unchanged_objects, count as u64);
        let bound = 60;
        assert!(info.count_total < bound, "{info:?} for {count} objects");
        world.stop();
    }
}

/// W-03: reading the header of an object allocates only its key.
#[test]
fn w03_a_header_allocates_its_key() {
    let bytes: Vec<_> = (0..100)
        .map(|number| object(number, number).bytes().clone())
        .collect();
    let mut raws = Vec::with_capacity(bytes.len());
    let info = measure(|| {
        for bytes in &bytes {
            raws.push(RawObject::json(bytes.clone()).unwrap());
        }
    });
    assert_eq!((raws.len(), info.count_total), (100, 100));
}

//! Memory of a stuck handler under a flood of changes: bounded by keys, not by changes.

use std::future::pending;

use allocation_counter::measure;
use informer_runtime::Event;
use informer_runtime::processor::async_handler;
use informer_runtime::source::{ListAnswer, WatchAnswer};
use informer_runtime::wire::{ListMeta, RawEvent};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::support::{World, listing, object};

/// H-03, H-02: through a whole informer, the store and another handler continue.
#[test]
fn h03_a_flood_through_the_whole_chain_costs_memory_by_keys() {
    const KEYS: usize = 100;
    const EVENTS: usize = 20_000;
    let world = World::new(listing());
    let stuck = world
        .informer
        .add_event_handler(async_handler(|_: Event<ConfigMap>| pending()))
        .unwrap();
    let objects = (0..KEYS).map(|number| object(number, number + 1));
    let list = ListAnswer::items(objects, ListMeta::at("5000"));
    world.source.on_list(list);
    world.until_seen(KEYS);
    let (events, answer) = WatchAnswer::controlled();
    world.source.on_watch(answer);

    let flood = |versions: std::ops::Range<usize>| {
        for version in versions {
            let event = RawEvent::Modified(object(version % KEYS, 10_000 + version));
            world.runtime.block_on(events.send(event)).unwrap();
        }
    };
    // The mailbox has reached its maximum size after as many changes as its capacity.
    flood(0..2_000);
    world.until_seen(KEYS + 2_000);
    let info = measure(|| {
        flood(2_000..EVENTS);
        world.until_seen(KEYS + EVENTS);
    });
    let stats = stuck.stats();
    let notified = u64::try_from(KEYS + EVENTS).unwrap();
    assert_eq!(stats.coalesced + stats.pending as u64 + 1, notified);
    assert!(stats.pending <= 1_024 + KEYS, "{stats:?}");
    // The changes are not kept, and only few of them exist at a time.
    assert!(info.bytes_current.abs() < 50_000, "{info:?}");
    assert!(info.bytes_max < 1_000_000, "{info:?}");
    let metrics = world.metrics();
    assert_eq!((metrics.queued_deltas, metrics.objects), (0, KEYS));
    assert!(metrics.is_synced, "the sync does not wait for the handler");
    let newest = 10_000 + EVENTS as u64 - 1;
    assert_eq!(metrics.store_resource_version, Some(newest));
}

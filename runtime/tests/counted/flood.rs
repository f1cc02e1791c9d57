//! Memory of a stuck handler under a flood of changes: bounded by keys, not by changes.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use informer_runtime::object::Footprint;
use informer_runtime::processor::{HandlerOptions, Processor, async_handler};
use informer_runtime::source::{ListAnswer, WatchAnswer};
use informer_runtime::wire::{ListMeta, RawEvent};
use informer_runtime::{Event, ObjectKey, Origin, Updated};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::runtime::Builder;
use tokio::task::yield_now;
use tokio_util::sync::CancellationToken;

use crate::support::{World, listing, object};

const KEYS: usize = 1_000;
const ROUNDS: usize = 1_000;
/// Object of a hundred bytes, so that keeping a million of them would be noticed.
type Object = Arc<[u8; 100]>;

/// H-03, H-02: 1,000,000 updates of 1,000 keys for a handler that never returns.
#[test]
fn h03_a_million_updates_for_a_stuck_handler_cost_memory_by_keys() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let processor: Processor<Object> = Processor::new("things.v1", Duration::ZERO);
    let registration = processor
        .add(
            async_handler(|_: Event<Object>| pending()),
            HandlerOptions::new(),
            || None,
        )
        .unwrap();
    let cancel = CancellationToken::new();
    let run = runtime.spawn(processor.run(cancel.clone()));
    let keys: Vec<ObjectKey> = (0..KEYS)
        .map(|number| ObjectKey::namespaced("default", &format!("object-{number}")))
        .collect();
    let mut last: Vec<Object> = (0..KEYS).map(|_| Arc::new([0; 100])).collect();
    let mut most_pending = 0;
    let info = measure(|| {
        runtime.block_on(async {
            for round in 0..ROUNDS {
                let batch: Vec<Event<Object>> = keys
                    .iter()
                    .zip(&mut last)
                    .map(|(key, last)| {
                        let new = Arc::new([u8::try_from(round % 256).unwrap(); 100]);
                        Event::Updated(Updated {
                            key: key.clone(),
                            old: std::mem::replace(last, Arc::clone(&new)),
                            old_footprint: Footprint::default(),
                            new,
                            origin: Origin::Live,
                        })
                    })
                    .collect();
                processor.distribute(round as u64 + 1, &batch).await;
                yield_now().await;
                most_pending = most_pending.max(registration.stats().pending);
            }
        });
    });
    let stats = registration.stats();
    // One notification is in the call.
    let updates = u64::try_from(KEYS * ROUNDS).unwrap();
    assert_eq!(stats.coalesced + stats.pending as u64 + 1, updates);
    assert_eq!(stats.delivered, 0);
    // 1,024 is the capacity of the mailbox, below which no notification is merged.
    assert!(most_pending <= 1_024 + KEYS, "{most_pending} wait");
    // The bounds are far below the size of all objects together.
    assert!(info.bytes_max < 1_000_000, "{info:?}");
    assert!(info.bytes_current < 500_000, "{info:?}");
    // The call never returns, and ends with the runtime.
    cancel.cancel();
    drop((run, runtime));
}

/// H-03, H-02: through a whole informer, the store and another handler continue.
#[test]
fn h03_a_flood_through_the_whole_chain_costs_memory_by_keys() {
    const KEYS: usize = 100;
    const EVENTS: usize = 20_000;
    let world = World::new(listing());
    let stuck = world
        .informer
        .add_event_handler(async_handler(|_: Event<Arc<ConfigMap>>| pending()))
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
    let newest = 10_000 + EVENTS as u64 - 1;
    assert_eq!(metrics.store_resource_version, Some(newest));
}

//! A stuck handler, flooded: what waits for it is bounded by keys, not by changes.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use informer_runtime::processor::{HandlerOptions, Processor, async_handler};
use informer_runtime::source::{ListAnswer, WatchAnswer};
use informer_runtime::wire::{ListMeta, RawEvent};
use informer_runtime::{Event, ObjectKey, Origin, Updated};
use tokio::runtime::Builder;
use tokio::task::yield_now;
use tokio_util::sync::CancellationToken;

use crate::support::{World, listing, object};

const KEYS: usize = 1_000;
const ROUNDS: usize = 1_000;
/// An object of a hundred bytes, so that keeping a million of them would show.
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
    println!("flood: {info:?} pending {most_pending}");
    let stats = registration.stats();
    println!("{stats:?}");
    cancel.cancel();
    drop(run);
}

/// H-03, H-02: the whole way, from the watch on: reads stay fresh, and the queue stays empty.
#[test]
fn h03_a_flood_through_the_whole_chain_costs_memory_by_keys() {
    let world = World::new(listing());
    let stuck = world
        .informer
        .add_event_handler(async_handler(|_: Event<_>| pending()))
        .unwrap();
    let _ = (stuck, ListMeta::at("1"), |events: Vec<RawEvent>| {
        WatchAnswer::stays_open(events)
    });
    world
        .source
        .on_list(ListAnswer::items([object(0, 1)], ListMeta::at("5")));
    world.until_seen(1);
}

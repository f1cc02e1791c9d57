//! Informers as streams of events.

use std::num::NonZeroUsize;

use futures::StreamExt as _;
use futures::future::join;
use tokio::time::timeout;

use super::support::{Running, SECOND, config, informer, source_with, value};
use crate::event::Event;
use crate::processor::HandlerOptions;

/// Z-06: all of many events arrive, in order.
#[tokio::test(start_paused = true)]
async fn z06_an_informer_as_a_stream_keeps_the_order() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    let events = informer.events(HandlerOptions::new()).unwrap();
    let write = async {
        for round in 2..=1_000 {
            source.modify(&config("a", &round.to_string())).unwrap();
            tokio::task::yield_now().await;
        }
    };
    let values = events.take(1_000).map(|event| value(event.object()));
    let (seen, ()) = join(values.collect::<Vec<_>>(), write).await;
    let expected: Vec<_> = (1..=1_000).map(|round| round.to_string()).collect();
    assert_eq!(seen, expected);
    running.stop().await;
}

/// Z-06: the event of a missed deletion contains the last known object.
#[tokio::test(start_paused = true)]
async fn z06_a_tombstone_is_unwrapped() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    let mut events = informer.events(HandlerOptions::new()).unwrap();
    assert!(matches!(events.next().await, Some(Event::Added(_))));
    source.lose_next_event();
    source.delete(&config("a", "9")).unwrap();
    source.reset_watch();
    let Some(Event::Deleted(deleted)) = events.next().await else {
        panic!("no deletion")
    };
    assert!(deleted.final_state_unknown);
    assert_eq!(value(&deleted.object), "1");
    running.stop().await;
}

/// Z-06: a stream merges the events of a key beyond its capacity; client-go's buffer is unbounded.
#[tokio::test(start_paused = true)]
async fn z06_a_stream_that_nobody_reads_is_bounded() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    let options = HandlerOptions::new().capacity(NonZeroUsize::new(8).unwrap());
    let mut events = informer.events(options).unwrap();
    for round in 2..=1_000 {
        source.modify(&config("a", &round.to_string())).unwrap();
    }
    let version = source.resource_version();
    let waited = informer.wait_for_resource_version(&version, 5 * SECOND);
    waited.await.unwrap();
    let stats = events.registration().stats();
    assert!(stats.pending <= 8, "{stats:?}");
    // No object is lost: the last state arrives.
    let last = async { while value(events.next().await.unwrap().object()) != "1000" {} };
    timeout(5 * SECOND, last).await.unwrap();
    running.stop().await;
}

/// Z-06: the stream ends with its informer.
#[tokio::test(start_paused = true)]
async fn z06_a_stop_ends_the_stream() {
    let informer = informer(source_with(&["a"]));
    let running = Running::synced(&informer).await;
    let events = informer.events(HandlerOptions::new()).unwrap();
    let (seen, ()) = join(events.count(), async {
        tokio::task::yield_now().await;
        running.stop().await;
    })
    .await;
    assert!(seen <= 1, "{seen} events");
}

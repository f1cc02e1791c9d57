//! Informers as streams of events.

use futures::StreamExt as _;
use futures::future::join;

use super::support::{Running, config, informer, source_with, value};
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

//! Bursts of watch events that several threads decode.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::task::yield_now;
use tokio_util::sync::CancellationToken;

use super::support;
use super::world::{Alone, batch_text, listing, spawn, typed};
use crate::delta_fifo::Delta;
use crate::object::ResourceVersion;
use crate::processor::tests::support::PollCount;
use crate::reflector::ExponentialBackoff;
use crate::source::WatchAnswer;

const EVENTS: usize = 2_000;
const MILLI: Duration = Duration::from_millis(1);

/// Returns events of all kinds, with versions from 10 on, each in the text form of its delta.
fn burst() -> Vec<String> {
    let event = |number: usize| {
        let version = 10 + number;
        match number % 10 {
            0..6 => format!("~o{}@{version}", number % 7),
            6 => format!("b@{version}"),
            7 => format!("~o{}@{version}!", number % 7),
            8 => format!("-o{}@{version}", number % 7),
            _ => format!("+o{}@{version}", number % 7),
        }
    };
    (0..EVENTS).map(event).collect()
}

/// Returns the text form of the delta of this event.
fn delta_of(event: &str) -> String {
    match (event.strip_suffix('!'), event.strip_prefix("b@")) {
        (Some(undecodable), _) => format!("!{}", undecodable.trim_start_matches('~')),
        (_, Some(version)) => format!("b {version}"),
        (None, None) => event.to_owned(),
    }
}

/// events stay in the server's order with several decoding threads and any capacity,
/// and the events of a watch precede the next list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q01_a_burst_that_several_threads_decode_stays_in_order() {
    for capacity in [1, 4_096] {
        let events = burst();
        let script = format!(
            "list 5 | watch {} then 410 | list 9000 a@1",
            events.join(" ")
        );
        let cancel = CancellationToken::new();
        let config = listing().backoff(|| ExponentialBackoff::new(MILLI, MILLI));
        let alone = Alone::with(config, &script, typed(), capacity, cancel);
        let mut deltas = Vec::new();
        while deltas
            .last()
            .is_none_or(|last| last != "replaced 9000: a@1")
        {
            deltas.push(batch_text(&alone.fifo.pop().await.unwrap()));
        }
        let expected: Vec<String> = events.iter().map(|event| delta_of(event)).collect();
        let expected = format!("replaced 5: {} replaced 9000: a@1", expected.join(" "));
        assert_eq!(deltas.join(" "), expected, "capacity {capacity}");
        let undecodable = alone.errors.text().matches("Object").count();
        assert_eq!(undecodable, EVENTS / 10);
        alone.stop().await;
    }
}

/// a stream of events, each sent as soon as the previous one was accepted, wakes the
/// consumer once for many events.
#[tokio::test(start_paused = true)]
async fn q15_a_stream_of_events_wakes_the_consumer_once_for_many() {
    const EVENTS: u64 = 320;
    let alone = Alone::start(listing(), "list 5");
    let (watch, answer) = WatchAnswer::controlled();
    alone.source.on_watch(answer);
    alone.batches(1).await;
    let (fifo, polls) = (alone.fifo.clone(), Arc::new(AtomicUsize::new(0)));
    let last = ResourceVersion::new(&(10 + EVENTS).to_string());
    let consume = async move {
        loop {
            let batch = fifo.pop().await.unwrap();
            let is_last = |delta: &Delta<_>| matches!(delta, Delta::Updated(entry) if entry.resource_version == last);
            if batch.deltas.iter().any(is_last) {
                return;
            }
        }
    };
    let consumer = spawn(PollCount::new(consume, &polls));
    yield_now().await;
    for number in 1..=EVENTS {
        let event = support::event(&format!("~o{number}@{}", 10 + number));
        watch.send(event).await.unwrap();
        while alone.metrics.get().events < number {
            yield_now().await;
        }
    }
    consumer.await.unwrap();
    let polls = polls.load(Ordering::Relaxed);
    assert!(polls <= 24, "{polls} wake-ups for {EVENTS} events");

    // A single event is delivered without waiting for others.
    watch.send(support::event("~a@900")).await.unwrap();
    assert_eq!(alone.batches(1).await, "~a@900");
    alone.stop().await;
}

//! Bursts of watch events that several threads decode.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::task::yield_now;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::support::{self, play};
use super::world::{Alone, Running, batch_text, builder, listing, spawn, typed, until};
use crate::base::home::HomeDrop;
use crate::delta_fifo::{Delta, DeltaFifo, Order};
use crate::event::Event;
use crate::indexer::Store;
use crate::object::{Footprint, ResourceVersion, Scope, Selector};
use crate::processor::tests::support::PollCount;
use crate::reflector::decoding::CHUNK;
use crate::reflector::intake::Intake;
use crate::reflector::{ExponentialBackoff, Reporter};
use crate::source::{ScriptedListerWatcher, WatchAnswer};
use crate::status::StatusCell;
use crate::storage::Entry;

const EVENTS: usize = 2_000;
const MILLI: Duration = Duration::from_millis(1);
/// Time after which a test fails.
const PATIENCE: Duration = Duration::from_secs(60);

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

/// I-10: in a burst, a thread that decodes drops the replaced objects that it made before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i10_a_decoding_thread_drops_what_it_made_before() {
    // More threads than there are bins, so that each bin gets some of their objects.
    let footprints: Vec<Footprint> = std::thread::scope(|scope| {
        let threads = (0..64).map(|_| scope.spawn(|| Footprint::new(1)));
        let threads: Vec<_> = threads.collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.collect()
    });
    let home_drop = Arc::new(HomeDrop::new());
    let mut intake = intake(&home_drop);
    let mut events = (0..).map(|number| support::event(&format!("~o@{}", 10 + number)));
    for event in events.by_ref().take(CHUNK) {
        intake.event(event).await.unwrap();
    }
    intake.decoded().await.unwrap();

    let object = Arc::new(ConfigMap::default());
    for footprint in &footprints {
        let entry = Entry::from(Arc::clone(&object));
        home_drop.send(entry.into(), footprint.home(), footprint.bytes());
    }
    assert_eq!(Arc::strong_count(&object), 1 + footprints.len());
    for event in events.take(CHUNK) {
        intake.event(event).await.unwrap();
    }
    intake.decoded().await.unwrap();
    let left = Arc::strong_count(&object) - 1;
    assert!((1..footprints.len()).contains(&left), "{left}");

    intake.end_burst();
    assert_eq!(Arc::strong_count(&object), 1);
}

/// Returns an intake without a reflector.
fn intake(home_drop: &Arc<HomeDrop<Arc<Entry>>>) -> Intake {
    let store = Store::of::<()>(Scope::Cluster);
    let status = Arc::new(StatusCell::of([None]));
    let reporter = Reporter::new("things".into(), None, status, Arc::default());
    Intake::new(
        typed(),
        Arc::new(ScriptedListerWatcher::new()),
        DeltaFifo::new(Order::Global, 4_096, Arc::new(store)),
        Arc::new(reporter),
        TaskTracker::new(),
        Arc::clone(home_drop),
    )
}

/// I-10: after a burst no replaced object stays in memory, with and without handlers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i10_after_a_burst_no_replaced_object_is_left() {
    for handlers in [0, 1, 3] {
        let source = ScriptedListerWatcher::new();
        let (watch, answer) = WatchAnswer::controlled();
        play(&source, "list 5 o0@1 o1@1 o2@1");
        source.on_watch(answer);
        let informer = builder(source).config(listing()).build().unwrap();
        let old: Arc<Mutex<Vec<Weak<ConfigMap>>>> = Arc::default();
        for _ in 0..handlers {
            let old = Arc::clone(&old);
            let collect = move |event: Event<ConfigMap>| {
                if let Event::Updated(updated) = event {
                    old.lock().push(Arc::downgrade(&updated.old));
                }
            };
            informer.add_event_handler(collect).unwrap();
        }
        let running = Running::synced(&informer).await;
        for object in informer.lister().list(&Selector::everything()) {
            old.lock().push(Arc::downgrade(&object));
        }

        for number in 0..EVENTS {
            let event = support::event(&format!("~o{}@{}", number % 3, 10 + number));
            watch.send(event).await.unwrap();
        }
        let expected = 3 + handlers * EVENTS;
        let dropped = || {
            let old = old.lock();
            old.len() == expected && old.iter().all(|old| old.strong_count() == 0)
        };
        let dropped = timeout(PATIENCE, until("all are dropped", dropped)).await;
        dropped.unwrap_or_else(|_| panic!("{handlers} handlers"));
        running.stop().await;
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
            let is_last = |delta: &Delta| matches!(delta, Delta::Updated(entry) if entry.resource_version == last);
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

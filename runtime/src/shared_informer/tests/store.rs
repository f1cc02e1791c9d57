//! A user's store next to the cache.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::support::{Running, SECOND, Seen, config, recorder, source_with, value};
use crate::delta_fifo::Order;
use crate::event::Event;
use crate::logged;
use crate::shared_informer::controller::{StoreBatch, WriteThroughStore};
use crate::shared_informer::{InformerConfig, SharedInformer, SharedInformerBuilder};
use crate::source::ListerWatcher;
use crate::status::StoreError;

type Objects = BTreeMap<String, String>;

/// Behaviour of a [`Table`] on its next batch. After the listed turns, it accepts all batches.
#[derive(Debug, Clone, Copy)]
enum Turn {
    Takes,
    Fails,
    /// Panics after writing half of the batch.
    Panics,
}

/// Store of names and values. Tests keep a clone to inspect it.
#[derive(Debug, Clone, Default)]
struct Table(Arc<Mutex<Rows>>);

#[derive(Debug, Default)]
struct Rows {
    objects: Objects,
    /// Batches as text. A failed batch is prefixed with its turn.
    batches: Vec<String>,
    turns: Vec<Turn>,
}

impl Table {
    fn behaving(turns: &[Turn]) -> Self {
        let table = Self::default();
        table.0.lock().turns = turns.iter().rev().copied().collect();
        table
    }

    fn objects(&self) -> Objects {
        self.0.lock().objects.clone()
    }

    /// Returns the batches since the last call.
    fn batches(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().batches)
    }

    async fn reach(&self, count: usize) {
        let reached = async {
            while self.0.lock().batches.len() < count {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(600 * SECOND, reached).await.unwrap();
    }
}

impl WriteThroughStore<ConfigMap> for Table {
    async fn apply(&mut self, batch: &StoreBatch<ConfigMap>) -> Result<(), StoreError> {
        // Yields, as a call of a database would.
        tokio::task::yield_now().await;
        let mut rows = self.0.lock();
        let turn = rows.turns.pop().unwrap_or(Turn::Takes);
        let text = text(batch);
        match turn {
            Turn::Takes => rows.batches.push(text),
            Turn::Fails => {
                rows.batches.push(format!("fails: {text}"));
                return Err("the disk is full".into());
            }
            Turn::Panics => {
                rows.batches.push(format!("panics: {text}"));
                rows.objects.insert("half".to_owned(), "written".to_owned());
                panic!("store panics on purpose");
            }
        }
        if batch.is_replace() {
            rows.objects.clear();
        }
        for change in batch.changes() {
            let name = change.key().name().to_owned();
            match change.after() {
                Some(object) => rows.objects.insert(name, value(object)),
                None => rows.objects.remove(&name),
            };
        }
        Ok(())
    }
}

/// Formats a batch: `replace +a=1 ~b=1>2 -c @7`.
fn text(batch: &StoreBatch<ConfigMap>) -> String {
    let mut words = Vec::new();
    words.extend(batch.is_replace().then(|| "replace".to_owned()));
    words.extend((!batch.snapshot().is_synced()).then(|| "unsynced".to_owned()));
    words.extend(batch.changes().map(|change| {
        let name = change.key().name();
        match (change.before(), change.after()) {
            (None, Some(new)) => format!("+{name}={}", value(new)),
            (Some(old), Some(new)) => format!("~{name}={}>{}", value(old), value(new)),
            (_, None) => format!("-{name}"),
        }
    }));
    words.push(format!("@{}", batch.snapshot().resource_version()));
    words.join(" ")
}

fn builder(source: impl ListerWatcher, table: &Table) -> SharedInformerBuilder<ConfigMap> {
    let table = table.clone();
    SharedInformer::builder(source).store(move || table.clone())
}

fn cached(informer: &SharedInformer<ConfigMap>) -> Objects {
    let snapshot = informer.snapshot();
    let name = |key: &crate::object::ObjectKey| key.name().to_owned();
    let objects = snapshot
        .entries()
        .map(|entry| (name(&entry.key), value(entry.typed())));
    objects.collect()
}

fn handler(informer: &SharedInformer<ConfigMap>) -> Seen {
    let (handler, seen) = recorder();
    informer.add_event_handler(handler).unwrap();
    seen
}

#[tokio::test(start_paused = true)]
async fn c15_a_store_gets_every_transaction_in_order() {
    let source = source_with(&["a", "b"]);
    let table = Table::default();
    let informer = builder(source.clone(), &table).build().unwrap();
    let running = Running::synced(&informer).await;
    let mut seen = handler(&informer);
    seen.take(2).await;
    assert_eq!(table.batches(), ["replace +a=1 +b=1 @2"]);
    for _ in 0..3 {
        source.modify(&config("a", "2")).unwrap();
        source.delete(&config("b", "1")).unwrap();
        source.add(&config("c", "3")).unwrap();
        seen.take(3).await;
        source.modify(&config("a", "1")).unwrap();
        source.add(&config("b", "1")).unwrap();
        source.delete(&config("c", "3")).unwrap();
        seen.take(3).await;
        assert_eq!(table.objects(), cached(&informer));
    }
    table.batches();
    // A bookmark advances only the version.
    source.bookmark();
    table.reach(1).await;
    assert_eq!(table.batches(), ["@20"]);
    running.stop().await;
}

/// C-15, C-02: the store is written before handlers are notified and before a wait for the sync
/// ends.
#[tokio::test(start_paused = true)]
async fn c15_a_store_is_written_before_anybody_is_told() {
    for order in [Order::Global, Order::PerKey] {
        let source = source_with(&["a", "b"]);
        let table = Table::behaving(&[Turn::Fails]);
        let informer = builder(source.clone(), &table)
            .config(InformerConfig::new().order(order))
            .build()
            .unwrap();
        let (counter, mut count) = watch::channel(0);
        let reader = table.clone();
        informer
            .add_event_handler(move |event: Event<ConfigMap>| {
                let stored = reader.objects().get(event.key().name()).cloned();
                let expected = match &event {
                    Event::Added(_) | Event::Updated(_) => Some(value(event.object())),
                    Event::Deleted(_) => None,
                };
                assert_eq!(stored, expected, "{}", event.key());
                counter.send_modify(|count| *count += 1);
            })
            .unwrap();
        let running = Running::synced(&informer).await;
        assert_eq!(table.objects(), cached(&informer));
        assert_eq!(table.objects().len(), 2);
        // One at a time, because a store that is ahead of the event is legal.
        for (expected, (name, value)) in [(3, ("a", "2")), (4, ("b", "2")), (5, ("a", "3"))] {
            source.modify(&config(name, value)).unwrap();
            let reached = count.wait_for(|count| *count == expected);
            timeout(600 * SECOND, reached).await.unwrap().unwrap();
        }
        source.delete(&config("a", "3")).unwrap();
        let reached = count.wait_for(|count| *count == 6);
        timeout(600 * SECOND, reached).await.unwrap().unwrap();
        running.stop().await;
    }
}

/// C-15, T-01: a relist deletes missing objects from the store.
#[tokio::test(start_paused = true)]
async fn c15_a_relist_is_told_by_its_difference() {
    let source = source_with(&["a", "b", "c"]);
    let table = Table::default();
    let informer = builder(source.clone(), &table).build().unwrap();
    let running = Running::synced(&informer).await;
    table.batches();
    source.lose_next_event();
    source.delete(&config("a", "1")).unwrap();
    source.lose_next_event();
    source.modify(&config("b", "2")).unwrap();
    source.reset_watch();
    table.reach(1).await;
    assert_eq!(table.batches(), ["-a ~b=1>2 @5"]);
    assert_eq!(table.objects(), cached(&informer));
    running.stop().await;
}

/// C-15, Y-06: a resync changes nothing, so the store receives no batch.
#[tokio::test(start_paused = true)]
async fn c15_a_resync_is_none_of_the_stores_business() {
    let table = Table::default();
    let informer = builder(source_with(&["a"]), &table).resync_period(30 * SECOND);
    let informer = informer.build().unwrap();
    let mut seen = handler(&informer);
    let running = Running::synced(&informer).await;
    seen.next().await;
    table.batches();
    assert_eq!(seen.next().await, "update ns/a=1>1 resync");
    assert_eq!(seen.next().await, "update ns/a=1>1 resync");
    assert_eq!(table.batches(), [""; 0]);
    running.stop().await;
}

/// C-15: the informer waits for a failing store, reports the failure, and loses nothing.
#[tokio::test(start_paused = true)]
async fn c15_a_store_that_fails_is_tried_again_and_misses_nothing() {
    let source = source_with(&["a"]);
    let table = Table::behaving(&[Turn::Takes, Turn::Fails, Turn::Fails, Turn::Fails]);
    let informer = builder(source.clone(), &table).build().unwrap();
    let mut seen = handler(&informer);
    let running = Running::synced(&informer).await;
    assert!(informer.status().store_failure.is_none());
    seen.next().await;
    table.batches();

    let started = Instant::now();
    source.modify(&config("a", "2")).unwrap();
    table.reach(1).await;
    let failure = informer
        .status()
        .store_failure
        .expect("the failure is reported");
    assert_eq!(
        failure.to_string(),
        "the WriteThroughStore rejected a batch"
    );
    let cause = std::error::Error::source(&*failure).unwrap();
    assert_eq!(cause.to_string(), "the disk is full");
    // Later events wait.
    source.modify(&config("a", "3")).unwrap();
    source.add(&config("b", "1")).unwrap();
    assert_eq!(cached(&informer)["a"], "2");

    assert_eq!(seen.next().await, "update ns/a=1>2 live");
    // Delays of 0.8 s, 1.6 s and 3.2 s, each up to twice as long.
    let waited = started.elapsed().as_secs_f64();
    assert!((5.6..11.3).contains(&waited), "{waited}");
    assert_eq!(
        seen.take(2).await,
        ["update ns/a=2>3 live", "add ns/b=1 live"]
    );
    let batches = table.batches();
    let repeated = [
        "fails: ~a=1>2 @2",
        "fails: ~a=1>2 @2",
        "fails: ~a=1>2 @2",
        "~a=1>2 @2",
    ];
    assert_eq!(batches[..4], repeated);
    assert!(informer.status().store_failure.is_none());
    assert_eq!(informer.metrics().store_failures, 3);
    assert_eq!(table.objects(), cached(&informer));
    running.stop().await;
}

/// Store whose call never returns.
struct Hangs;

impl WriteThroughStore<ConfigMap> for Hangs {
    async fn apply(&mut self, _: &StoreBatch<ConfigMap>) -> Result<(), StoreError> {
        std::future::pending().await
    }
}

/// C-15, O-03: a call that does not return is logged at growing intervals, and is not a failure.
#[tokio::test(start_paused = true)]
async fn c15_a_store_that_hangs_is_logged() {
    let log = logged::capture(module_path!());
    let builder = SharedInformer::builder(source_with(&["a"])).store(|| Hangs);
    let informer: SharedInformer<ConfigMap> = builder.name("things").build().unwrap();
    let running = Running::start(&informer);
    let mut waited = Duration::ZERO;
    for (until, lines) in [
        (9, 0),
        (11, 1),
        (19, 1),
        (21, 2),
        (39, 2),
        (41, 3),
        (3000, 9),
    ] {
        let until = until * SECOND;
        tokio::time::sleep(until.checked_sub(waited).unwrap()).await;
        waited = until;
        let text = log.text();
        let logged = text.matches("store has not finished a batch yet").count();
        assert_eq!(logged, lines, "after {until:?}: {text}");
    }
    assert!(
        log.text().contains("informer=\"things\" seconds=20"),
        "{}",
        log.text()
    );
    assert_eq!(informer.metrics().store_failures, 0);
    assert!(!informer.has_synced());
    running.stop().await;
}

/// C-15: a wait for the sync includes the store.
#[tokio::test(start_paused = true)]
async fn c15_no_sync_without_the_store() {
    let table = Table::behaving(&[Turn::Fails; 8]);
    let informer = builder(source_with(&["a"]), &table).build().unwrap();
    let mut seen = handler(&informer);
    let running = Running::start(&informer);
    table.reach(5).await;
    assert!(!informer.has_synced());
    assert!(informer.status().store_failure.is_some());
    informer.wait_for_sync().await.unwrap();
    assert_eq!(table.batches().last().unwrap(), "replace +a=1 @1");
    assert_eq!(seen.next().await, "add ns/a=1 initial");
    running.stop().await;
}

/// C-15, E-15: after a panic, the store receives a complete batch.
#[tokio::test(start_paused = true)]
async fn c15_a_store_that_panics_gets_the_whole_cache_again() {
    let source = source_with(&["a", "b"]);
    let table = Table::behaving(&[Turn::Panics, Turn::Takes, Turn::Panics]);
    let informer = builder(source.clone(), &table).build().unwrap();
    let mut seen = handler(&informer);
    let running = Running::synced(&informer).await;
    assert_eq!(seen.take(2).await.len(), 2);
    assert_eq!(
        table.batches(),
        ["panics: replace +a=1 +b=1 @2", "replace +a=1 +b=1 @2"]
    );
    source.delete(&config("a", "1")).unwrap();
    table.reach(1).await;
    let failure = informer.status().store_failure.unwrap();
    assert_eq!(failure.to_string(), "the WriteThroughStore panicked");
    assert_eq!(seen.next().await, "delete ns/a=1 live");
    assert_eq!(table.batches(), ["panics: -a @3", "replace +b=1 @3"]);
    assert_eq!(table.objects(), cached(&informer));
    running.stop().await;
}

/// C-15, F-11: a failing store does not delay the stop.
#[tokio::test(start_paused = true)]
async fn c15_an_informer_stops_though_its_store_fails() {
    let table = Table::behaving(&[Turn::Fails; 100]);
    let informer = builder(source_with(&["a"]), &table).build().unwrap();
    let running = Running::start(&informer);
    table.reach(3).await;
    let started = Instant::now();
    running.stop().await;
    assert_eq!(started.elapsed(), Duration::ZERO);
    // The run owned the store and dropped it.
    assert_eq!(Arc::strong_count(&table.0), 1);
}

/// C-15: with a queue per key, the first list comes in several batches, the last of which is
/// synced.
#[tokio::test(start_paused = true)]
async fn c15_a_first_list_in_parts_is_synced_with_the_last() {
    let source = source_with(&[]);
    for number in 0..1001 {
        source.add(&config(&format!("o{number}"), "1")).unwrap();
    }
    let table = Table::default();
    let informer = builder(source, &table).config(InformerConfig::new().order(Order::PerKey));
    let informer = informer.build().unwrap();
    let running = Running::synced(&informer).await;
    let batches = table.batches();
    assert!(
        batches[0].starts_with("replace unsynced +o0=1 "),
        "{}",
        batches[0]
    );
    assert!(!batches.last().unwrap().contains("unsynced"));
    assert!(batches.len() > 1);
    assert_eq!(table.objects(), cached(&informer));
    running.stop().await;
}

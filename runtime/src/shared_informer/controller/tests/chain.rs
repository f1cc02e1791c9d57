//! A complete informer: the state that a handler reads, and the end of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use proptest::prelude::*;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::delta_fifo::Order;
use crate::event::Event;
use crate::processor::{HandlerOptions, WhenFull, async_handler};
use crate::reflector::tests::support::{name, play};
use crate::reflector::tests::world::{
    Log, Whole, builder, event_text, listing, pass, spawn, until,
};
use crate::shared_informer::InformerConfig;
use crate::shared_informer::controller::{StoreBatch, WriteThroughStore};
use crate::source::{FakeControllerSource, ScriptedListerWatcher};
use crate::status::{InformerState, StoreError};
use crate::wire::ApiStatus;

fn objects(informer: &crate::shared_informer::SharedInformer<ConfigMap>) -> String {
    let snapshot = informer.snapshot();
    let names: Vec<String> = snapshot.iter().map(name).collect();
    format!("{} at {}", names.join(" "), snapshot.resource_version())
}

/// C-02, C-03, C-07: a handler reads the complete state of its event, or a newer state.
#[tokio::test(start_paused = true)]
async fn c03_before_the_first_call_of_a_relist_the_whole_new_state_can_be_read() {
    let source = ScriptedListerWatcher::new();
    let informer = builder(source.clone()).config(listing()).build().unwrap();
    let log = Log::default();
    let (reader, seen) = (informer.clone(), log.clone());
    informer
        .add_event_handler(move |event: Event<ConfigMap>| {
            seen.add(format!("{} of {};", event_text(&event), objects(&reader)));
        })
        .unwrap();
    play(&source, "list 5 a@1 b@2");
    let cancel = CancellationToken::new();
    let run = spawn({
        let (informer, cancel) = (informer.clone(), cancel.clone());
        async move { informer.run(cancel).await }
    });
    until("the list", || log.len() == 2).await;
    play(&source, "watch ~a@6 error:410 | list 9 c@8 b@7 | watch");
    until("the relist", || log.len() == 6).await;
    assert_eq!(
        log.text(),
        "i+a@1 of a@1 b@2 at 5; i+b@2 of a@1 b@2 at 5; ~a@1>6 of a@6 b@2 at 6; \
         r?a@6 of b@7 c@8 at 9; r+c@8 of b@7 c@8 at 9; r~b@2>7 of b@7 c@8 at 9;"
    );
    cancel.cancel();
    run.await.unwrap().unwrap();
}

/// C-12: a synced informer stays synced.
#[tokio::test(start_paused = true)]
async fn c12_synced_stays_synced() {
    let whole = Whole::start(
        listing(),
        "list 5 a@1 | watch error:410 | list fails 403 | list never",
    );
    until("degraded", || {
        matches!(
            whole.informer.status().state,
            InformerState::Degraded { .. }
        )
    })
    .await;
    assert!(whole.informer.has_synced());
    whole.source.wait_for_requests(4).await;
    assert!(whole.informer.has_synced());
    let informer = whole.informer.clone();
    whole.stop().await;
    assert!(informer.has_synced() && informer.is_stopped());
}

/// Q-08, C-09: in both orders of the queue.
#[tokio::test(start_paused = true)]
async fn c09_only_the_first_list_is_initial_in_both_orders() {
    for (order, relist) in [
        (Order::Global, "r?b@2 r?c@6 r+d@8"),
        (Order::PerKey, "r+d@8 r?b@2 r?c@6"),
    ] {
        let whole = Whole::build(
            listing(),
            "list 5 a@1 b@2 | watch +c@6 error:410 | list 9 a@1 d@8 | watch",
            |builder| builder.config(InformerConfig::new().order(order)),
        );
        whole.at("9").await;
        assert_eq!(
            whole.seen.text(),
            format!("i+a@1 i+b@2 +c@6 {relist}"),
            "{order:?}"
        );
        whole.stop().await;
    }
}

/// Q-13, H-05: an informer that a blocked handler holds up still stops, and its store contains only
/// complete batches.
#[tokio::test(start_paused = true)]
async fn q13_stopping_behind_a_stuck_handler_ends_and_keeps_the_store_whole() {
    let whole = Whole::empty(listing(), |builder| builder.queue_capacity(2));
    let gate = Arc::new(tokio::sync::Semaphore::new(1));
    let (held, calls) = (Arc::clone(&gate), Log::default());
    let log = calls.clone();
    let options = HandlerOptions::new()
        .capacity(1.try_into().unwrap())
        .when_full(WhenFull::Block);
    let handler = async_handler(move |event: Event<ConfigMap>| {
        let (held, log) = (Arc::clone(&held), log.clone());
        async move {
            log.add(event_text(&event));
            held.acquire().await.unwrap().forget();
        }
    });
    whole
        .informer
        .add_event_handler_with(handler, options)
        .unwrap();
    play(
        &whole.source,
        "list 5 a@1 | watch +b@6 +c@7 +d@8 +e@9 +f@10 +g@11 +h@12 +i@13 +j@14",
    );
    pass(60).await;
    assert!(calls.len() <= 2);
    let held_back = objects(&whole.informer);
    assert!(!held_back.contains("j@14"), "{held_back}");
    let informer = whole.informer.clone();
    gate.add_permits(1);
    pass(1).await;
    gate.close();
    whole.stop().await;
    assert!(informer.is_stopped());
    let snapshot = informer.snapshot();
    assert_eq!(
        snapshot
            .entries()
            .map(|entry| entry.resource_version.to_string())
            .max_by_key(|v| v.parse::<u32>().unwrap()),
        Some(snapshot.resource_version().to_string())
    );
}

/// Operation of a test on a server.
#[derive(Debug, Clone)]
enum Op {
    Put(u8),
    Delete(u8),
    Silently(u8),
    Reset,
    ListFails,
    WatchFails,
    Works,
    Bookmark,
    Wait,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (0..6_u8).prop_map(Op::Put),
        4 => (0..6_u8).prop_map(Op::Delete),
        2 => (0..6_u8).prop_map(Op::Silently),
        1 => Just(Op::Reset),
        1 => Just(Op::ListFails),
        1 => Just(Op::WatchFails),
        2 => Just(Op::Works),
        1 => Just(Op::Bookmark),
        4 => Just(Op::Wait),
    ]
}

fn exists(source: &FakeControllerSource, number: u8) -> bool {
    let name = format!("o{number}");
    source.keys().iter().any(|key| key.name() == name)
}

/// Number of creations of each object, which is its uid.
type Lives = BTreeMap<u8, u32>;

fn perform(source: &FakeControllerSource, lives: &mut Lives, op: &Op) {
    if let Op::Put(number) = op
        && !exists(source, *number)
    {
        *lives.entry(*number).or_default() += 1;
    }
    let object = |number: &u8| {
        let uid = lives.get(number).map(ToString::to_string);
        json!({"metadata": {"name": format!("o{number}"), "uid": uid}})
    };
    let broken = || ApiStatus::new(500, "InternalError", "broken");
    match op {
        Op::Put(number) if exists(source, *number) => drop(source.modify(&object(number)).unwrap()),
        Op::Put(number) => drop(source.add(&object(number)).unwrap()),
        Op::Delete(number) if exists(source, *number) => {
            drop(source.delete(&object(number)).unwrap());
        }
        // A change that the watch misses, and a reset so that a list finds it.
        Op::Silently(number) if exists(source, *number) => {
            source.lose_next_event();
            source.delete(&object(number)).unwrap();
            source.reset_watch();
        }
        Op::Delete(_) | Op::Silently(_) | Op::Wait => {}
        Op::Reset => source.reset_watch(),
        Op::ListFails => source.list_error(Some(broken().into())),
        Op::WatchFails => source.watch_error(Some(broken().into())),
        Op::Works => {
            source.list_error(None);
            source.watch_error(None);
        }
        Op::Bookmark => source.bookmark(),
    }
}

/// Store that regularly fails, and panics in the middle of a batch.
#[derive(Clone, Default)]
struct Flaky(Arc<parking_lot::Mutex<(BTreeMap<String, String>, u32)>>);

impl WriteThroughStore<ConfigMap> for Flaky {
    async fn apply(&mut self, batch: &StoreBatch<ConfigMap>) -> Result<(), StoreError> {
        let (objects, calls) = &mut *self.0.lock();
        *calls += 1;
        if *calls % 3 == 1 {
            return Err("not now".into());
        }
        if batch.is_replace() {
            objects.clear();
        }
        for change in batch.changes() {
            let key = change.key().to_string();
            match change.after() {
                Some(object) => objects.insert(key, name(object)),
                None => objects.remove(&key),
            };
            assert!(*calls % 5 != 0, "store panics on purpose");
        }
        Ok(())
    }
}

/// Plays operations against an informer. Compares the server's state, the cache, a flaky store, and
/// a view that is built only from events.
async fn follow(ops: Vec<Op>, order: Order, streams: bool) -> Result<(), String> {
    let source = FakeControllerSource::new();
    source.set_supports_watch_list(streams);
    let store = Flaky::default();
    let informer = builder(source.clone())
        .config(InformerConfig::new().order(order))
        .store({
            let store = store.clone();
            move || store.clone()
        })
        .build()
        .unwrap();
    let view = Arc::new(parking_lot::Mutex::new(Ok(BTreeMap::new())));
    let shared = Arc::clone(&view);
    informer
        .add_event_handler(move |event: Event<ConfigMap>| {
            let mut view = shared.lock();
            let Ok(objects) = &mut *view else { return };
            let key = event.key().to_string();
            let known = objects.contains_key(&key);
            // A recreated object is another object, so it must not arrive as an update.
            let is_legal = match &event {
                Event::Added(_) => !known,
                Event::Updated(updated) => {
                    known && updated.old.metadata.uid == updated.new.metadata.uid
                }
                Event::Deleted(_) => known,
            };
            if !is_legal {
                *view = Err(format!("{} after {objects:?}", event_text(&event)));
                return;
            }
            match &event {
                Event::Added(_) | Event::Updated(_) => {
                    objects.insert(key, name(event.object()));
                }
                Event::Deleted(_) => drop(objects.remove(&key)),
            }
        })
        .unwrap();
    let cancel = CancellationToken::new();
    let run = spawn({
        let (informer, cancel) = (informer.clone(), cancel.clone());
        async move { informer.run(cancel).await }
    });
    let mut lives = Lives::new();
    for op in &ops {
        perform(&source, &mut lives, op);
        if matches!(op, Op::Wait) {
            pass(1).await;
        }
    }
    perform(&source, &mut lives, &Op::Works);
    perform(&source, &mut lives, &Op::Put(9));
    let last = source.resource_version();
    until("the last version", || {
        informer.last_sync_resource_version() == last
    })
    .await;
    until("the store", || informer.status().store_failure.is_none()).await;
    pass(1).await;
    let server: Vec<String> = source.keys().iter().map(ToString::to_string).collect();
    let snapshot = informer.snapshot();
    let cached: Vec<String> = snapshot
        .entries()
        .map(|entry| entry.key.to_string())
        .collect();
    let objects: Vec<String> = snapshot.iter().map(name).collect();
    cancel.cancel();
    run.await.unwrap().unwrap();
    let view = view.lock().clone()?;
    let stored: Vec<String> = store.0.lock().0.values().cloned().collect();
    if stored != objects {
        return Err(format!("cache {objects:?}, store {stored:?}"));
    }
    if server != cached {
        return Err(format!("server {server:?}, cache {cached:?}"));
    }
    let seen: Vec<String> = view.into_values().collect();
    if seen != objects {
        return Err(format!("cache {objects:?}, handler {seen:?}"));
    }
    Ok(())
}

proptest! {
    /// N-08, C-10, C-13, C-14, C-15: after any operations and faults, the cache equals the server,
    /// the user's store equals the cache, and the events form a legal sequence that yields the
    /// cache.
    #[test]
    fn n08_any_operations_and_faults_end_with_the_cache_as_the_server(
        ops in prop::collection::vec(op(), 0..40),
        per_key in any::<bool>(),
        streams in any::<bool>(),
    ) {
        let order = if per_key { Order::PerKey } else { Order::Global };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let followed = runtime.block_on(follow(ops, order, streams));
        prop_assert!(followed.is_ok(), "{}", followed.unwrap_err());
    }
}

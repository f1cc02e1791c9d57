//! Reasons for which items wait.

use std::convert::Infallible;
use std::sync::Arc;

use informer_runtime::{Added, Deleted, Event, EventHandler, ObjectKey, Origin, Updated};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use serde_json::json;
use tokio::time::timeout;

use super::super::{
    Action, AddOptions, Reasons, ReconcileReason, RecordedCall, Recorder, RelationName,
    enqueue_into, enqueue_mapped, enqueue_owner,
};
use super::*;
use crate::workqueue::outcome::{Failure, Outcome};

/// Takes the next item, and returns it with its reason.
fn next<T: crate::workqueue::QueueItem>(queue: &WorkQueue<T>) -> String {
    let item = queue.get().now_or_never().expect("get would wait").unwrap();
    format!("{:?}: {}", *item, item.reason())
}

/// Events of one object in the order of its life, each with its origin.
fn events<T: Send + Sync + 'static>(key: &ObjectKey, object: T) -> Vec<Event<T>> {
    let object = Arc::new(object);
    let updated = |origin| {
        Event::Updated(Updated {
            key: key.clone(),
            old: Arc::clone(&object),
            new: Arc::clone(&object),
            origin,
        })
    };
    let added = |origin| {
        Event::Added(Added {
            key: key.clone(),
            object: Arc::clone(&object),
            origin,
        })
    };
    vec![
        added(Origin::Initial),
        added(Origin::Live),
        updated(Origin::Relist),
        updated(Origin::Resync),
        Event::Deleted(Deleted {
            key: key.clone(),
            object: Arc::clone(&object),
            origin: Origin::Live,
            final_state_unknown: false,
        }),
    ]
}

/// Delivers each event, and returns what a worker sees after it.
async fn seen<T: Send + Sync + 'static>(
    queue: &WorkQueue<ObjectKey>,
    mut handler: impl EventHandler<T>,
    events: Vec<Event<T>>,
) -> Vec<String> {
    let mut seen = Vec::new();
    for event in events {
        handler.on_event(event).await;
        let item = queue
            .get()
            .now_or_never()
            .expect("a key is queued")
            .unwrap();
        seen.push(format!("{}: {}", *item, item.reason()));
    }
    seen
}

#[tokio::test(start_paused = true)]
async fn k24_the_change_of_the_object_or_of_a_related_object_is_the_reason() {
    let queue = WorkQueue::new("test");
    let key = ObjectKey::namespaced("a", "x");
    let own = seen(
        &queue,
        enqueue_into(&queue),
        events(&key, ConfigMap::default()),
    )
    .await;
    assert_eq!(
        own,
        [
            "a/x: listed",
            "a/x: added",
            "a/x: updated",
            "a/x: resync",
            "a/x: deleted"
        ]
    );
    let other = |_: &ObjectKey, _: &ConfigMap| Some(ObjectKey::namespaced("a", "owner"));
    let handler = enqueue_mapped(&queue, other)
        .because(RelationName::new("selected", "ConfigMap"))
        .0;
    let related = seen(&queue, handler, events(&key, ConfigMap::default())).await;
    assert_eq!(
        related,
        [
            "a/owner: selected ConfigMap a/x listed",
            "a/owner: selected ConfigMap a/x added",
            "a/owner: selected ConfigMap a/x updated",
            "a/owner: selected ConfigMap a/x resynced",
            "a/owner: selected ConfigMap a/x deleted",
        ]
    );
    let owners = json!([{
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "owner", "uid": "1", "controller": true,
    }]);
    let pod: Pod = serde_json::from_value(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "ownerReferences": owners },
    }))
    .unwrap();
    let live = events(&key, pod).remove(1);
    let owned = seen(&queue, enqueue_owner::<ReplicaSet>(&queue), vec![live]).await;
    assert_eq!(owned, ["a/owner: owned object a/x added"]);
}

/// K-24. Later causes are dropped until a worker has taken the item, also for an item in work.
#[tokio::test(start_paused = true)]
async fn k24_the_first_reason_of_a_waiting_item_is_kept() {
    let queue = Queue::new("test");
    queue.add("a");
    queue.retry("a", 0, super::super::ReconcileReason::RETRY);
    let item = take(&queue).unwrap();
    assert_eq!(item.reason().to_string(), "added by the program");
    queue.settle(&"a", 0, &Outcome::Succeeded(Action::Requeue));
    queue.add("a");
    item.done();
    assert_eq!(next(&queue), "\"a\": requeue requested");
}

/// K-24. An add at once gives the reason if it brings a delayed item forward.
#[tokio::test(start_paused = true)]
async fn k24_an_item_keeps_its_reason_while_it_is_delayed() {
    let queue = Queue::new("test");
    let failed = || Failure::Returned("no".into());
    let after = Action::RequeueAfter(secs(1));
    queue.settle(&"a", 0, &Outcome::Succeeded(after));
    queue.settle(&"b", 0, &Outcome::Failed(failed(), after));
    queue.settle(&"c", 0, &Outcome::Succeeded(after));
    queue.add_with("c", AddOptions::default());
    // The earlier of two delays counts.
    queue.settle(&"d", 0, &Outcome::Succeeded(after));
    queue.settle(
        &"d",
        0,
        &Outcome::Failed(failed(), Action::RequeueAfter(ms(500))),
    );
    assert_eq!(next(&queue), "\"c\": added by the program");
    advance(secs(1)).await;
    assert_eq!(next(&queue), "\"d\": retry after error");
    assert_eq!(next(&queue), "\"a\": requeue requested");
    assert_eq!(next(&queue), "\"b\": retry after error");
    let reasons = queue.metrics().reasons;
    let reasons: Vec<_> = reasons.into_iter().collect();
    assert_eq!(reasons, [("added", 1), ("requeue", 1), ("retry", 2)]);
}

/// Calls that a recorder saw: reasons, time of the wait, time of the work, and outcome.
type Seen = Arc<parking_lot::Mutex<Vec<String>>>;

fn recorder(seen: &Seen) -> Arc<Recorder<&'static str>> {
    let seen = Arc::clone(seen);
    Arc::new(move |item, run: &RecordedCall<'_>| {
        let (waited, worked) = (run.waited.as_millis(), run.worked.as_millis());
        let (reasons, outcome) = (run.reasons, run.outcome);
        let line = format!("{item}: {reasons} | {waited} | {worked} | {outcome:?}");
        seen.lock().push(line);
    })
}

#[tokio::test(start_paused = true)]
async fn k25_a_recorder_gets_all_reasons_of_a_call_and_its_end() {
    let queue: WorkQueue<&str> = WorkQueue::rate_limited("test");
    let seen = Seen::default();
    queue.record(Some(recorder(&seen)));
    let add = |reason: ReconcileReason| queue.add_because("a", AddOptions::default(), reason);
    let related = |number: usize| {
        let event = Event::Deleted(Deleted {
            key: ObjectKey::cluster(&format!("n{number}")),
            object: Arc::new(()),
            origin: Origin::Live,
            final_state_unknown: false,
        });
        ReconcileReason::related(RelationName::new("owned", "Pod"), &event)
    };
    add(ReconcileReason::REQUEUE);
    for number in 0..9 {
        add(related(number));
        add(related(0));
    }
    add(ReconcileReason::REQUEUE);
    advance(ms(30)).await;
    let waiting = queue.waiting(2);
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].1.iter().count(), waiting[0].2), (9, ms(30)));
    assert!(queue.waiting(0).is_empty());
    let said = Seen::default();
    let (says, stopped) = (Arc::clone(&said), queue.clone());
    let attempt = move |_: &'static str| {
        let (says, stopped) = (Arc::clone(&says), stopped.clone());
        async move {
            advance(ms(5)).await;
            says.lock().push(Reasons::current().to_string());
            if says.lock().len() == 1 {
                return Err("a fault");
            }
            stopped.shut_down();
            Ok(Action::Done)
        }
    };
    queue.run_workers(1, attempt).await;
    let merged = "requeue requested (2 times), owned Pod n0 deleted (10 times), owned Pod n1 deleted, \
                  owned Pod n2 deleted, owned Pod n3 deleted, owned Pod n4 deleted, \
                  owned Pod n5 deleted, owned Pod n6 deleted, owned Pod n7 deleted, and 1 more";
    assert_eq!(*said.lock(), [merged, "retry after error"]);
    let expected = [
        format!("a: {merged} | 30 | 5 | Failed(Returned(\"a fault\"), Requeue)"),
        "a: retry after error | 0 | 5 | Succeeded(Done)".to_owned(),
    ];
    assert_eq!(*seen.lock(), expected);
    assert_eq!(Reasons::current().to_string(), "no reason is known");
}

/// K-25. Delayed adds are merged too; the reason of the earliest time comes first.
#[tokio::test(start_paused = true)]
async fn k25_reasons_of_delayed_adds_survive_only_with_a_recorder() {
    let (added, requeue, retry) = (
        "added by the program",
        "requeue requested",
        "retry after error",
    );
    let recorded = [
        format!("{retry}, {requeue} (2 times)"),
        format!("{added}, {requeue}"),
        format!("{added}, {retry}"),
    ];
    let first = [retry, added, added].map(str::to_owned);
    for (is_recorded, expected) in [(true, recorded), (false, first)] {
        let queue = Queue::new("test");
        queue.record(is_recorded.then(|| recorder(&Seen::default())));
        let later = |item, after, reason| queue.requeue_after(item, secs(after), 0, reason);
        later("a", 2, ReconcileReason::REQUEUE);
        later("a", 1, ReconcileReason::RETRY);
        later("a", 3, ReconcileReason::REQUEUE);
        later("b", 3, ReconcileReason::REQUEUE);
        queue.add_with("b", AddOptions::default());
        queue.add("c");
        later("c", 1, ReconcileReason::RETRY);
        advance(secs(1)).await;
        assert_eq!(queue.len(), 3);
        let mut waiting = queue.waiting(9);
        waiting.sort_unstable_by_key(|(item, ..)| *item);
        let reasons: Vec<_> = waiting.iter().map(|waits| waits.1.to_string()).collect();
        assert_eq!(reasons, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn k25_a_panic_of_the_recorder_loses_no_retry() {
    let queue: WorkQueue<&str> = WorkQueue::rate_limited("test");
    queue.record(Some(Arc::new(|_: &&str, _: &RecordedCall<'_>| {
        panic!("a recorder")
    })));
    queue.add("a");
    let stopped = queue.clone();
    let attempt = move |_| {
        let is_second = stopped.num_requeues(&"a") == 1;
        if is_second {
            stopped.shut_down();
        }
        async move { if is_second { Ok(()) } else { Err("a fault") } }
    };
    let ended = timeout(secs(60), queue.run_workers(1, attempt)).await;
    assert!(ended.is_ok(), "the retry is lost");
}

#[tokio::test(start_paused = true)]
async fn k25_without_a_recorder_only_the_first_reason_is_kept() {
    let queue: WorkQueue<&str> = WorkQueue::new("test");
    let seen = Seen::default();
    queue.record(Some(recorder(&seen)));
    queue.record(None);
    queue.add_because("a", AddOptions::default(), ReconcileReason::REQUEUE);
    queue.add("a");
    assert_eq!(queue.waiting(1)[0].1.to_string(), "requeue requested");
    queue.shut_down();
    queue
        .run_workers(1, async |_| Ok::<_, Infallible>(()))
        .await;
    assert!(seen.lock().is_empty() && queue.waiting(1).is_empty());
}

//! Tests of informers as streams, and of `until`: Z-06 of docs/CONFORMANCE.md.

use std::num::NonZeroUsize;
use std::sync::Arc;

use futures::stream;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::event::Event;
use crate::processor::HandlerOptions;
use crate::shared_informer::SharedInformer;
use crate::source::FakeControllerSource;

fn is(wanted: u32) -> impl FnMut(&u32) -> Result<bool, ConditionError> {
    move |seen| Ok(*seen == wanted)
}

/// Z-06.
#[tokio::test(start_paused = true)]
async fn z06_conditions_are_judged_in_turn() {
    let mut events = stream::iter([1, 3, 2, 3, 4]);
    let waited = until(&mut events).condition(is(2)).condition(is(3)).wait();
    assert_eq!(waited.await.unwrap(), Some(3));
    assert_eq!(
        events.next().await,
        Some(4),
        "later events stay in the stream"
    );
}

/// Z-06.
#[tokio::test(start_paused = true)]
async fn z06_each_condition_is_judged_first_against_the_last_event() {
    let mut events = stream::iter([1, 2, 3]);
    let above = |least: u32| move |seen: &u32| Ok(*seen > least);
    let waited = until(&mut events)
        .condition(above(1))
        .condition(above(0))
        .condition(above(1))
        .wait();
    assert_eq!(waited.await.unwrap(), Some(2));
    assert_eq!(events.next().await, Some(3));
}

/// Z-06.
#[tokio::test(start_paused = true)]
async fn z06_no_conditions_are_met_at_once() {
    let mut events = stream::pending::<u32>();
    assert_eq!(until(&mut events).wait().await.unwrap(), None);
}

/// Z-06.
#[tokio::test(start_paused = true)]
async fn z06_events_that_end_are_an_error_with_the_last_one() {
    let events = stream::iter([1, 2]);
    let waited = until(events).condition(is(1)).condition(is(9)).wait();
    let error = waited.await.unwrap_err();
    assert_eq!((error.position, error.last), (1, Some(2)));
    assert!(matches!(error.cause, UntilErrorCause::Closed));
}

/// Z-06.
#[tokio::test(start_paused = true)]
async fn z06_a_condition_that_fails_ends_the_wait() {
    let mut events = stream::iter([1, 2, 3]);
    let waited = until(&mut events)
        .condition(is(1))
        .condition(|seen| {
            if *seen == 2 {
                return Err("two".into());
            }
            Ok(false)
        })
        .wait();
    let error = waited.await.unwrap_err();
    assert_eq!((error.position, error.last), (1, Some(2)));
    let UntilErrorCause::Failed(cause) = error.cause else {
        panic!("{:?}", error.cause)
    };
    assert_eq!(cause.to_string(), "two");
    assert_eq!(events.next().await, Some(3));
}

/// Z-06: one time limit applies to all conditions.
#[tokio::test(start_paused = true)]
async fn z06_time_can_be_limited() {
    let start = Instant::now();
    let ticks = stream::unfold(0, |tick| async move {
        tokio::time::sleep(Duration::from_secs(4)).await;
        Some((tick + 1, tick + 1))
    });
    let waited = until(ticks)
        .condition(is(2))
        .condition(is(9))
        .within(Duration::from_secs(10))
        .wait();
    let error = waited.await.unwrap_err();
    assert_eq!((error.position, error.last), (1, Some(2)));
    assert!(matches!(error.cause, UntilErrorCause::Timeout(_)));
    assert_eq!(start.elapsed().as_secs(), 10);
    let ends = until(stream::iter([1])).condition(is(1));
    assert!(ends.within(Duration::MAX).wait().await.is_ok());
}

fn object(name: &str, round: usize) -> Value {
    json!({
        "metadata": {"namespace": "ns", "name": name, "uid": name},
        "data": {"round": round.to_string()},
    })
}

fn round(object: &ConfigMap) -> usize {
    object.data.as_ref().unwrap()["round"].parse().unwrap()
}

/// Running informer over an in-memory source.
struct Running {
    source: FakeControllerSource,
    informer: SharedInformer<ConfigMap>,
    cancel: CancellationToken,
    tasks: JoinSet<()>,
}

impl Running {
    async fn start() -> Self {
        let source = FakeControllerSource::new();
        source.add(&object("a", 0)).unwrap();
        let informer = SharedInformer::<ConfigMap>::builder(source.clone())
            .build()
            .unwrap();
        let cancel = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let (running, stop) = (informer.clone(), cancel.clone());
        tasks.spawn(async move { running.run(stop).await.unwrap() });
        informer.wait_for_sync().await.unwrap();
        Self {
            source,
            informer,
            cancel,
            tasks,
        }
    }

    async fn stop(mut self) {
        self.cancel.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
        }
    }
}

/// Z-06: all of many events arrive, in order.
#[tokio::test(start_paused = true)]
async fn z06_an_informer_as_a_stream_keeps_the_order() {
    let running = Running::start().await;
    let mut events = running.informer.events(HandlerOptions::new()).unwrap();
    let mut seen = Vec::new();
    let source = running.source.clone();
    let write = async {
        for round in 1..=1_000 {
            source.modify(&object("a", round)).unwrap();
            tokio::task::yield_now().await;
        }
    };
    let read = until(&mut events)
        .condition(|event: &Event<Arc<ConfigMap>>| {
            seen.push(round(event.object()));
            Ok(seen.len() == 1_001)
        })
        .wait();
    let (read, ()) = tokio::join!(read, write);
    assert!(read.is_ok());
    assert_eq!(seen, (0..=1_000).collect::<Vec<_>>());
    running.stop().await;
}

/// Z-06: the event of a missed deletion contains the last known object.
#[tokio::test(start_paused = true)]
async fn z06_a_tombstone_is_unwrapped() {
    let running = Running::start().await;
    let events = running.informer.events(HandlerOptions::new()).unwrap();
    running.source.delete_drop_watch(&object("a", 9)).unwrap();
    running.source.reset_watch();
    let last = until(events)
        .condition(|event| Ok(matches!(event, Event::Deleted(_))))
        .within(Duration::from_secs(3600))
        .wait()
        .await
        .unwrap();
    let Some(Event::Deleted(deleted)) = last else {
        panic!("no deletion")
    };
    assert!(deleted.final_state_unknown);
    assert_eq!(round(&deleted.object), 0);
    running.stop().await;
}

/// Z-06. (client-go's buffer is unbounded.)
#[tokio::test(start_paused = true)]
async fn z06_a_stream_that_nobody_reads_is_bounded() {
    let running = Running::start().await;
    let options = HandlerOptions::new().capacity(NonZeroUsize::new(8).unwrap());
    let mut events = running.informer.events(options).unwrap();
    let mut version = running.informer.last_sync_resource_version();
    for round in 1..=1_000 {
        version = running.source.modify(&object("a", round)).unwrap();
    }
    let limit = Duration::from_secs(5);
    let waited = running.informer.wait_for_resource_version(&version, limit);
    waited.await.unwrap();
    let stats = events.registration().stats();
    assert!(stats.pending <= 8, "{stats:?}");
    // No object is lost: the last state arrives.
    let last = until(&mut events)
        .condition(|event: &Event<Arc<ConfigMap>>| Ok(round(event.object()) == 1_000))
        .within(limit)
        .wait();
    assert!(last.await.is_ok());
    running.stop().await;
}

/// Z-06: the stream ends with its informer.
#[tokio::test(start_paused = true)]
async fn z06_a_stop_ends_the_wait() {
    let running = Running::start().await;
    let events = running.informer.events(HandlerOptions::new()).unwrap();
    let waiting = until(events).condition(|_| Ok(false)).wait();
    let (waited, ()) = tokio::join!(waiting, async {
        tokio::task::yield_now().await;
        running.stop().await;
    });
    let error = waited.unwrap_err();
    assert!(matches!(error.cause, UntilErrorCause::Closed), "{error}");
}

use std::io;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::super::{Action, Lookup, WorkQueue, Workers};
use super::{ms, secs};
use crate::indexer::Indexer;
use crate::lister::Lister;
use crate::object::{ObjectKey, Scope};

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("a", name)
}

fn lister(names: &[&str]) -> Lister<ConfigMap> {
    let indexer = Indexer::new(Scope::Namespaced);
    for name in names {
        let mut object = ConfigMap::default();
        object.metadata.namespace = Some("a".to_owned());
        object.metadata.name = Some((*name).to_owned());
        indexer.add(Arc::new(object).into());
    }
    Lister::from(&indexer)
}

fn queue(names: &[&str]) -> WorkQueue<ObjectKey> {
    let queue = WorkQueue::new("test");
    for name in names {
        queue.add(key(name));
    }
    queue
}

/// Observed calls, in order.
type Seen = Mutex<Vec<String>>;

fn requeue(_: Arc<ConfigMap>, _: &io::Error, _: Arc<Seen>, _: u32) -> Action {
    Action::Requeue
}

#[tokio::test(start_paused = true)]
async fn a_controller_receives_the_objects_of_the_keys_and_skips_missing_ones() {
    let (queue, seen) = (queue(&["x", "gone", "y"]), Arc::new(Seen::default()));
    queue.shut_down();
    let reconcile = async |object: Arc<ConfigMap>, seen: Arc<Seen>| {
        seen.lock().push(object.name_any());
        Ok(())
    };
    queue
        .run_controller(
            &lister(&["x", "y"]),
            Workers::new(1),
            Arc::clone(&seen),
            reconcile,
            requeue,
        )
        .await;
    assert_eq!(*seen.lock(), ["x", "y"]);
    assert_eq!(queue.metrics().failures, 0);
}

#[tokio::test(start_paused = true)]
async fn a_controller_with_missing_receives_the_keys_of_missing_objects() {
    let (queue, seen) = (queue(&["x", "gone"]), Arc::new(Seen::default()));
    queue.shut_down();
    let reconcile = async |lookup: Lookup<ConfigMap>, seen: Arc<Seen>| {
        seen.lock().push(match lookup {
            Lookup::Found(object) => object.name_any(),
            Lookup::Missing(key) => format!("no {key}"),
        });
        Ok::<_, io::Error>(())
    };
    let workers = Workers::new(1).with_missing();
    queue
        .run_controller(
            &lister(&["x"]),
            workers,
            Arc::clone(&seen),
            reconcile,
            |_, _, _, _| Action::Requeue,
        )
        .await;
    assert_eq!(*seen.lock(), ["x", "no a/gone"]);
}

/// K-12.
#[tokio::test(start_paused = true)]
async fn k12_the_error_policy_decides_and_knows_how_often_a_key_failed_in_a_row() {
    let (queue, seen) = (queue(&["x"]), Arc::new(Seen::default()));
    let reconcile = async |_: Arc<ConfigMap>, seen: Arc<Seen>| {
        let calls = seen.lock().iter().filter(|line| *line == "call").count();
        seen.lock().push("call".to_owned());
        match calls {
            2 => Ok(Action::RequeueAfter(secs(1))),
            3 => panic!("a panic counts too"),
            _ => Err(io::Error::other("not yet")),
        }
    };
    let policy = |object: Arc<ConfigMap>, error: &io::Error, seen: Arc<Seen>, attempt: u32| {
        let line = format!("{} failed {attempt} times: {error}", object.name_any());
        seen.lock().push(line);
        let calls = seen.lock().iter().filter(|line| *line == "call").count();
        match calls {
            1 => Action::Requeue,
            2 => Action::RequeueAfter(ms(10)),
            _ => Action::Done,
        }
    };
    let workers = Workers::new(1).graceful_shutdown_on(tokio::time::sleep(secs(60)));
    queue
        .run_controller(
            &lister(&["x"]),
            workers,
            Arc::clone(&seen),
            reconcile,
            policy,
        )
        .await;
    let expected = [
        "call",
        "x failed 1 times: not yet",
        "call",
        "x failed 2 times: not yet",
        "call",
        "call",
        "call",
        "x failed 2 times: not yet",
    ];
    assert_eq!(*seen.lock(), expected);
    assert_eq!((queue.metrics().failures, queue.metrics().panics), (4, 1));
    assert_eq!(queue.num_requeues(&key("x")), 0);
}

/// Calls that run finish, and the keys that wait stay in the queue.
#[tokio::test(start_paused = true)]
async fn after_its_trigger_a_controller_starts_nothing_more() {
    let names: Vec<String> = (0..100).map(|number| format!("x{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (queue, seen) = (queue(&names), Arc::new(Seen::default()));
    let reconcile = async |object: Arc<ConfigMap>, seen: Arc<Seen>| {
        seen.lock().push(format!("begin {}", object.name_any()));
        tokio::time::sleep(secs(1)).await;
        seen.lock().push(format!("end {}", object.name_any()));
        Ok(Action::RequeueAfter(secs(5)))
    };
    let started = tokio::time::Instant::now();
    let workers = Workers::new(1).graceful_shutdown_on(tokio::time::sleep(ms(1500)));
    let lister = lister(&names);
    let run = queue.run_controller(&lister, workers, Arc::clone(&seen), reconcile, requeue);
    run.await;
    assert_eq!(*seen.lock(), ["begin x0", "end x0", "begin x1", "end x1"]);
    assert_eq!(started.elapsed(), secs(2));
    assert!(queue.is_shutting_down());
    assert_eq!(queue.len(), 98);
}

/// A trigger that completes at the same moment as a call wins over the next key.
#[tokio::test(start_paused = true)]
async fn a_trigger_is_seen_before_the_next_key_is_taken() {
    let (queue, seen) = (queue(&["x", "y"]), Arc::new(Seen::default()));
    let stop = CancellationToken::new();
    let workers = Workers::new(2).graceful_shutdown_on(stop.clone().cancelled_owned());
    let reconcile = move |object: Arc<ConfigMap>, seen: Arc<Seen>| {
        stop.cancel();
        seen.lock().push(object.name_any());
        async { Ok(()) }
    };
    let lister = lister(&["x", "y"]);
    let run = queue.run_controller(&lister, workers, Arc::clone(&seen), reconcile, requeue);
    run.await;
    assert_eq!(*seen.lock(), ["x"]);
}

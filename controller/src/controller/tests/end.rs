//! Ends of a controller: triggers, grace periods, draining, and the loss of the lease.

use std::future::pending;
use std::io;
use std::sync::Arc;

use informer_runtime::{ObjectKey, Typed};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::world::{Seen, World, key, note, slow};
use crate::controller::{Controller, ControllerError, ControllerState};
use crate::logged;
use crate::reconcile::leader_election::Held;
use crate::tests::{ms, secs, settled};

type Maps = Controller<ConfigMap, io::Error, Typed>;

fn names(number: usize) -> Vec<String> {
    (0..number).map(|number| format!("x{number:03}")).collect()
}

fn world(number: usize) -> World {
    let names = names(number);
    World::started(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

fn maps(world: &World) -> Maps {
    Controller::new("maps", &world.informer)
}

async fn stalled(object: Arc<ConfigMap>, seen: Arc<Seen>) -> Result<(), io::Error> {
    seen.lock().push(object.name_any());
    pending().await
}

#[tokio::test(start_paused = true)]
async fn k20_after_a_trigger_running_calls_finish_and_no_further_call_begins() {
    let (world, seen) = (world(100), Arc::new(Seen::default()));
    let started = Instant::now();
    let controller = maps(&world).shutdown_on(sleep(ms(1500)));
    let handle = controller.handle();
    controller.run(Arc::clone(&seen), slow).await.unwrap();
    let expected = ["begin x000", "end x000", "begin x001", "end x001"];
    assert_eq!(*seen.lock(), expected);
    assert_eq!(started.elapsed(), secs(2));
    assert!(handle.queue().is_shutting_down());
    let metrics = handle.queue().metrics();
    assert_eq!((metrics.depth, metrics.delayed), (0, 0), "dropped");
    world.stop().await;
}

/// K-20. A trigger that completes at the same moment as a call wins over the next key.
#[tokio::test(start_paused = true)]
async fn k20_a_trigger_is_seen_before_the_next_key_is_taken() {
    let (world, seen) = (world(2), Arc::new(Seen::default()));
    let stop = CancellationToken::new();
    let controller = maps(&world)
        .workers(2)
        .shutdown_on(stop.clone().cancelled_owned());
    let reconcile = move |object: Arc<ConfigMap>, seen: Arc<Seen>| {
        stop.cancel();
        seen.lock().push(object.name_any());
        async { Ok(()) }
    };
    controller.run(Arc::clone(&seen), reconcile).await.unwrap();
    assert_eq!(*seen.lock(), ["x000"]);
    world.stop().await;
}

/// K-20. The trigger of a controller that waits for its caches.
#[tokio::test(start_paused = true)]
async fn k20_a_trigger_ends_a_controller_that_waits_for_its_caches() {
    let world = World::new(&["x"]);
    let seen = Arc::new(Seen::default());
    let controller = maps(&world).shutdown_on(sleep(secs(1)));
    controller.run(Arc::clone(&seen), note).await.unwrap();
    assert!(seen.lock().is_empty());
    assert_eq!(world.handlers(), 0);
}

#[tokio::test(start_paused = true)]
async fn k21_a_stalled_call_ends_with_the_grace_period_and_is_logged() {
    let (world, seen) = (world(14), Arc::new(Seen::default()));
    let log = logged::capture(module_path!());
    let started = Instant::now();
    let controller = maps(&world).workers(12).shutdown_on(sleep(secs(1)));
    let handle = controller.handle();
    let mut run = Box::pin(controller.run(Arc::clone(&seen), stalled));
    tokio::select! {
        _ = &mut run => unreachable!("the calls are stalled"),
        () = handle.wait_until(ControllerState::ShuttingDown) => {}
    }
    run.await.unwrap();
    assert_eq!(started.elapsed(), secs(21));
    assert_eq!(seen.lock().len(), 12);
    assert_eq!(handle.state(), ControllerState::Ended);
    let lines = log.lines();
    let dropped: Vec<_> = lines
        .iter()
        .filter(|line| line.text.contains("calls of `reconcile` dropped"))
        .collect();
    assert_eq!(dropped.len(), 1, "{}", log.text());
    let text = &dropped[0].text;
    assert!(
        text.contains("calls=12") && text.contains("more=2"),
        "{text}"
    );
    assert_eq!(text.matches("a/x").count(), 10, "{text}");
    assert!(text.contains("the grace period is over"), "{text}");
    world.stop().await;
}

#[tokio::test(start_paused = true)]
async fn k21_draining_reconciles_the_keys_that_wait_within_the_grace_period() {
    for (grace, calls, total) in [(secs(60), 10, secs(10)), (secs(3), 5, secs(5))] {
        let (world, seen) = (world(10), Arc::new(Seen::default()));
        let started = Instant::now();
        let controller = maps(&world).drain().grace_period(grace);
        let controller = controller.shutdown_on(sleep(ms(1999)));
        let handle = controller.handle();
        controller.run(Arc::clone(&seen), slow).await.unwrap();
        let ends = seen
            .lock()
            .iter()
            .filter(|line| line.starts_with("end"))
            .count();
        let elapsed = started.elapsed();
        assert!(elapsed <= total && elapsed + secs(1) > total, "{elapsed:?}");
        // Of the last call of the second case, only the begin is seen.
        assert!(ends == calls || ends + 1 == calls, "{ends}");
        assert_eq!(handle.queue().metrics().depth, 0);
        world.stop().await;
    }
}

/// K-22. Three hundred keys wait when the lease is lost.
#[tokio::test(start_paused = true)]
async fn k22_nothing_is_reconciled_after_the_lease_was_lost() {
    let (world, seen) = (world(300), Arc::new(Seen::default()));
    let lease = Held::for_test(Instant::now() + ms(240));
    let is_held = lease.clone();
    let reconcile = move |object: Arc<ConfigMap>, seen: Arc<Seen>| {
        assert!(
            !is_held.is_over(),
            "{} begins after the loss",
            object.name_any()
        );
        async move {
            seen.lock().push(format!("begin {}", object.name_any()));
            sleep(ms(40)).await;
            seen.lock().push(format!("end {}", object.name_any()));
            Ok::<_, io::Error>(())
        }
    };
    let lost = lease.clone();
    let end = async move {
        sleep(ms(250)).await;
        lost.lose();
        pending::<()>().await;
    };
    let controller = maps(&world).shutdown_on(end).while_held(lease);
    let handle = controller.handle();
    let error = controller
        .run(Arc::clone(&seen), reconcile)
        .await
        .unwrap_err();
    assert!(
        matches!(error, ControllerError::LeaseLost { .. }),
        "{error}"
    );
    let (seen, failures) = (seen.lock().len(), handle.queue().metrics().panics);
    assert!((10..=13).contains(&seen), "{seen} lines");
    assert_eq!(failures, 0);
    assert_eq!(handle.queue().metrics().depth, 0);
    world.stop().await;
}

/// K-22. A call that runs is dropped at once, without a grace period; the same holds if the lease is
/// lost during the grace period or the drain of another end.
#[tokio::test(start_paused = true)]
async fn k22_a_lost_lease_drops_the_calls_that_run() {
    for (trigger, drains) in [(3600, false), (1, false), (1, true)] {
        let (world, seen) = (world(3), Arc::new(Seen::default()));
        let lease = Held::for_test(Instant::now() + secs(3600));
        let log = logged::capture(module_path!());
        let started = Instant::now();
        let mut controller = maps(&world)
            .shutdown_on(sleep(secs(trigger)))
            .while_held(lease.clone());
        if drains {
            controller = controller.drain();
        }
        let run = controller.run(Arc::clone(&seen), stalled);
        let lose = async {
            sleep(secs(5)).await;
            lease.lose();
        };
        let (ran, ()) = tokio::join!(run, lose);
        let error = ran.unwrap_err();
        assert!(
            matches!(error, ControllerError::LeaseLost { .. }),
            "{error}"
        );
        assert_eq!(started.elapsed(), secs(5));
        assert_eq!(*seen.lock(), ["x000"]);
        let text = log.text();
        assert!(
            text.contains("the lease is lost") && text.contains("a/x000"),
            "{text}"
        );
        world.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn k22_a_controller_without_the_lease_reconciles_nothing() {
    let (world, seen) = (world(3), Arc::new(Seen::default()));
    let lease = Held::for_test(Instant::now());
    lease.lose();
    let controller = maps(&world).while_held(lease);
    let error = controller.run(Arc::clone(&seen), note).await.unwrap_err();
    assert!(
        matches!(error, ControllerError::LeaseLost { .. }),
        "{error}"
    );
    assert!(seen.lock().is_empty());
    world.stop().await;
}

/// A queue that is shut down by hand is emptied first.
#[tokio::test(start_paused = true)]
async fn a_queue_that_is_shut_down_ends_its_controller_when_it_is_empty() {
    let (world, seen) = (world(3), Arc::new(Seen::default()));
    let controller = maps(&world);
    let handle = controller.handle();
    let reconcile = async |key: ObjectKey, seen: Arc<Seen>| {
        seen.lock().push(key.name().to_owned());
        Ok::<_, io::Error>(())
    };
    handle.queue().add(key("own"));
    let end = async {
        handle.wait_until(ControllerState::Running).await;
        handle.queue().shut_down_with_drain().await
    };
    let (ran, drained) = tokio::join!(controller.run_keys(Arc::clone(&seen), reconcile), end);
    ran.unwrap();
    assert!(drained);
    assert_eq!(*seen.lock(), ["own", "x000", "x001", "x002"]);
    settled().await;
    assert_eq!(world.handlers(), 0);
    world.stop().await;
}

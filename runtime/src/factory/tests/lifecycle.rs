//! Start, shutdown and drop of factories.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

use super::support::{Answer, Brittle, SECOND, Server};
use crate::event::Event;
use crate::factory::StartError;
use crate::logged;
use crate::processor::{HandlerOptions, async_handler};
use crate::shared_informer::{RunError, SyncError};
use crate::status::{InformerState, StopCause};

#[tokio::test(start_paused = true)]
async fn f04_start_can_be_repeated_and_later_informers_start_by_themselves() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let pods = factory.informer::<Pod>();
    assert!(!pods.has_started());
    factory.start().unwrap();
    assert!(pods.has_started());
    factory.start().unwrap();
    let nodes = factory.informer::<Node>();
    assert!(nodes.has_started());
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(server.requests().len(), 4, "{:?}", server.requests());
    factory.shutdown().await;
}

/// E-15, F-06, F-07, W-20: a panic outside the contained calls is reported by the status, the
/// factory and the log.
#[tokio::test(start_paused = true)]
async fn e15_an_informer_whose_task_panicked_says_so() {
    let log = logged::capture(module_path!());
    let server = Server::default();
    server.on("/api/v1/pods", Answer::InternalErrors);
    let factory = server.factory().build().unwrap();
    let brittle = factory.stored_as_with(|| Brittle([""; 3]));
    let pods = brittle.informer::<Pod>();
    let nodes = factory.informer::<Node>();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    assert!(nodes.has_synced());
    // The next list deletes the object, which the controller drops.
    server.on("/api/v1/pods", Answer::List(&[]));
    pods.wait_until_stopped().await;
    let InformerState::Stopped { cause } = pods.status().state else {
        panic!("not stopped");
    };
    assert_eq!(cause, StopCause::Panicked);
    assert_eq!(
        factory.run_errors(),
        [RunError::Panicked(pods.name().into())]
    );
    let ended = format!("informer `{}` ended because", pods.name());
    assert!(log.text().contains(&ended), "{}", log.text());
    assert!(!log.text().contains("s3cret"), "{}", log.text());
    factory.shutdown().await;
    assert_eq!(factory.run_errors().len(), 1, "a shutdown adds no error");
}

/// F-05: every request after the shutdown gets an error.
#[tokio::test(start_paused = true)]
async fn f05_after_the_shutdown_nothing_starts_and_everybody_is_told() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let pods = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
    let requests = server.requests().len();

    assert_eq!(factory.start(), Err(StartError::ShutDown));
    let late = factory.informer::<Node>();
    let error = late.wait_for_sync().await.unwrap_err();
    assert_eq!(error.to_string(), "cannot run: the factory was shut down");
    assert!(late.is_stopped());
    let InformerState::Stopped { cause } = late.status().state else {
        panic!("not stopped");
    };
    assert_eq!(
        cause,
        StopCause::Refused("the factory was shut down".into())
    );
    assert!(late.add_event_handler(|_| {}).is_err());
    assert!(pods.add_event_handler(|_| {}).is_err());
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to sync all caches; nodes.v1: cannot run: the factory was shut down; \
         pods.v1: stopped: it does not follow the server any more"
    );
    assert!(matches!(
        error.result().get("pods.v1"),
        Some(Err(SyncError::Stopped))
    ));
    assert_eq!(pods.lister().len(), 1, "what was cached stays readable");
    assert_eq!(server.requests().len(), requests);
}

/// F-12: start and shut down.
#[tokio::test(start_paused = true)]
async fn f12_shutdown_cancels_and_joins_and_waits_for_nobody_else() {
    let server = Server::default();
    server.on("/api/v1/nodes", Answer::Silence);
    server.on("/api/v1/secrets", Answer::Status(500));
    let factory = server.factory().build().unwrap();
    let (pods, nodes) = (factory.informer::<Pod>(), factory.informer::<Node>());
    let secrets = factory.informer::<Secret>();
    factory.start().unwrap();
    pods.wait_for_sync().await.unwrap();
    let started = Instant::now();
    factory.shutdown().await;
    factory.shutdown().await;
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert!(pods.is_stopped() && nodes.is_stopped() && secrets.is_stopped());
}

/// F-12, F-10: a shutdown without a start notifies all waiters.
#[tokio::test(start_paused = true)]
async fn f12_shutdown_without_a_start_ends_everything_too() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let pods = factory.informer::<Pod>();
    let registration = pods.add_event_handler(|_| {}).unwrap();
    let started = Instant::now();
    let (waited, of_handler, ()) = tokio::join!(
        pods.wait_for_sync(),
        registration.wait_for_sync(),
        factory.shutdown()
    );
    assert!(matches!(waited, Err(SyncError::Stopped)), "{waited:?}");
    assert!(of_handler.is_err());
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert!(pods.is_stopped());
    assert_eq!(factory.start(), Err(StartError::ShutDown));
    assert_eq!(server.requests(), [""; 0]);
}

/// F-11, F-12: the shutdown waits for a running call of a handler.
#[tokio::test(start_paused = true)]
async fn f12_shutdown_waits_for_the_call_that_runs() {
    let factory = Server::default().factory().build().unwrap();
    let pods = factory.informer::<Pod>();
    let gate = Arc::new(Semaphore::new(0));
    let entered = Arc::clone(&gate);
    let handler = async_handler(move |_: Event<Pod>| {
        let gate = Arc::clone(&entered);
        async move { gate.acquire().await.unwrap().forget() }
    });
    pods.add_event_handler(handler).unwrap();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    assert!(timeout(10 * SECOND, factory.shutdown()).await.is_err());
    assert!(!pods.is_stopped());
    gate.add_permits(1);
    factory.shutdown().await;
    assert!(pods.is_stopped());
}

/// F-13: with and without a start; the cached objects stay readable.
#[tokio::test(start_paused = true)]
async fn f13_a_dropped_factory_leaves_no_task_and_its_listers_readable() {
    let factory = Server::default().factory().build().unwrap();
    let pods = factory.informer::<Pod>();
    let source = Arc::downgrade(&pods.inner.sources[0].0);
    let clone = factory.clone();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    drop(factory);
    assert!(
        timeout(SECOND, pods.inner.stop.cancelled()).await.is_err(),
        "a clone is left"
    );
    drop(clone);
    timeout(SECOND, pods.wait_until_stopped()).await.unwrap();
    let lister = pods.lister();
    assert!(lister.namespace("ns").get("x").is_some());
    drop(pods);
    assert!(source.upgrade().is_none(), "the informer is freed");

    let factory = Server::default().factory().build().unwrap();
    let pods = factory.informer::<Pod>();
    drop(factory);
    assert!(pods.is_stopped());
    assert!(matches!(
        pods.wait_for_sync().await,
        Err(SyncError::Stopped)
    ));
}

/// Debug forms take no held lock, and contain no settings.
#[tokio::test(start_paused = true)]
async fn debug_forms_do_not_deadlock() {
    let factory = Server::default().factory().build().unwrap();
    let pods = factory.informer::<Pod>();
    let registration = pods.add_event_handler(|_| {}).unwrap();
    let index = pods.add_index("name", |pod: &Pod| pod.metadata.name.clone());
    factory.start().unwrap();
    let result = factory.wait_for_cache_sync().await.unwrap();
    let lister = pods.lister();
    let text = format!(
        "{factory:?} {pods:?} {registration:?} {index:?} {result:?} {lister:?} {:?} {:?} {:?}",
        lister.namespace("ns"),
        pods.indexer(),
        Server::default().factory()
    );
    assert!(text.contains("pods.v1"), "{text}");
    assert!(text.contains("Started"), "{text}");
    factory.shutdown().await;
}

/// A probe says no until everything that was asked for has synced, and a line for each says why.
#[tokio::test(start_paused = true)]
async fn a_factory_is_ready_when_all_of_its_informers_have_synced() {
    let server = Server::default();
    server.on("/api/v1/secrets", Answer::Status(403));
    server.on("/api/v1/nodes", Answer::Silence);
    let factory = server.factory().build().unwrap();
    let not_started = factory.check_ready().unwrap_err();
    assert!(
        not_started.to_string().contains("does not run"),
        "{not_started}"
    );

    let pods = factory.informer::<Pod>();
    let _secrets = factory.informer::<Secret>();
    let nodes = factory.informer::<Node>();
    factory.start().unwrap();
    pods.wait_for_sync().await.unwrap();
    tokio::time::sleep(5 * SECOND).await;
    let names: Vec<_> = factory
        .informers()
        .iter()
        .map(|it| it.name().to_owned())
        .collect();
    assert_eq!(names, ["nodes.v1", "pods.v1", "secrets.v1"]);
    let error = factory.check_ready().unwrap_err();
    let lines: Vec<_> = error.to_string().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2, "{error}");
    assert_eq!(lines[0], "nodes.v1: listing for 5 s");
    let secrets = "secrets.v1: degraded for 5 s: forbidden: grant `list` and `watch` on it: ";
    assert!(lines[1].starts_with(secrets), "{error}");

    server.on("/api/v1/secrets", Answer::List(&["s"]));
    nodes.stop();
    tokio::time::sleep(60 * SECOND).await;
    let stopped = factory.check_ready().unwrap_err().to_string();
    assert_eq!(stopped, "nodes.v1: stopped for 60 s: on request");

    let ready = server.factory().build().unwrap();
    let _pods = ready.informer::<Pod>();
    ready.start().unwrap();
    ready.wait_for_cache_sync().await.unwrap();
    ready.check_ready().unwrap();
    ready.shutdown().await;
    assert!(
        ready.check_ready().is_err(),
        "a factory that was shut down is not ready"
    );
    factory.shutdown().await;
}

/// F-12: a shutdown ends although a handler hangs, and names the handler.
#[tokio::test(start_paused = true)]
async fn f12_a_handler_that_hangs_does_not_hold_a_shutdown_up() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    let is_dropped = Arc::new(());
    let held = Arc::clone(&is_dropped);
    let hangs = async_handler(move |_| {
        let held = Arc::clone(&held);
        async move {
            std::future::pending::<()>().await;
            drop(held);
        }
    });
    maps.add_event_handler_with(hangs, HandlerOptions::new().name("stuck"))
        .unwrap();
    maps.add_event_handler(|_: Event<ConfigMap>| {}).unwrap();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    sleep(SECOND).await;
    let began = Instant::now();
    let error = factory.shutdown_within(3 * SECOND).await.unwrap_err();
    assert_eq!(began.elapsed().as_secs(), 3);
    assert_eq!(
        error.to_string(),
        "still running after 3 s: handler \"stuck\" of informer \"configmaps.v1\""
    );
    assert_eq!(Arc::strong_count(&is_dropped), 1, "the call was dropped");
    assert_eq!(factory.shutdown_within(SECOND).await, Ok(()));
}

/// F-01, F-14: a stopped informer is not handed out again, and its own waits say that it stopped.
#[tokio::test(start_paused = true)]
async fn f14_a_request_after_a_stop_makes_a_new_informer() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let first = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    first.stop();
    // The tasks of the first one may run still.
    let second = factory.informer::<Pod>();
    assert!(!second.is_same(&first) && second.name() == first.name());
    second.wait_for_sync().await.unwrap();
    first.wait_until_stopped().await;
    assert!(factory.informer::<Pod>().is_same(&second));
    assert_eq!((first.lister().len(), second.lister().len()), (1, 1));
    let waits = [first.wait_for_sync().await, first.wait_until_served().await];
    for error in waits.map(Result::unwrap_err) {
        assert!(matches!(error, SyncError::Stopped), "{error}");
    }
    factory.check_ready().unwrap();

    // One that was stopped on purpose, and is not requested again, is nobody's fault.
    second.stop();
    second.wait_until_stopped().await;
    factory.check_ready().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
    assert!(
        factory.informer::<Pod>().is_same(&second),
        "its cache stays readable"
    );
    factory.wait_for_cache_sync().await.unwrap_err();
}

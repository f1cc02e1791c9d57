//! Keys, calls, policies and handlers of a controller.

use std::io;
use std::sync::Arc;

use informer_runtime::source::FakeControllerSource;
use informer_runtime::{ObjectKey, Packed, PackedObject, SharedInformer};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::ResourceExt as _;
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::world::{Seen, World, key, note};
use crate::controller::{Controller, ControllerError, ControllerState};
use crate::logged;
use crate::relations::{Reference, ReferencedObjects};
use crate::session::Session;
use crate::tests::running::{Running, config_map};
use crate::tests::server::Server;
use crate::tests::{ms, secs, settled};
use crate::workqueue::{Action, WorkQueue, enqueue_mapped};

#[tokio::test(start_paused = true)]
async fn objects_are_reconciled_and_keys_without_an_object_are_skipped() {
    let (world, seen) = (World::started(&["x", "y"]), Arc::new(Seen::default()));
    let queue = WorkQueue::rate_limited("own");
    queue.add(key("gone"));
    let controller = Controller::new("maps", &world.informer).queue(&queue);
    let controller = controller.shutdown_on(tokio::time::sleep(secs(60)));
    controller.run(Arc::clone(&seen), note).await.unwrap();
    assert_eq!(*seen.lock(), ["x", "y"]);
    let metrics = queue.metrics();
    assert_eq!((metrics.failures, metrics.work_duration.count()), (0, 3));
    world.stop().await;
}

#[tokio::test(start_paused = true)]
async fn keys_are_reconciled_even_if_their_object_was_deleted() {
    let (world, seen) = (World::started(&["x"]), Arc::new(Seen::default()));
    let reconcile = async |key: ObjectKey, seen: Arc<Seen>| {
        seen.lock().push(key.to_string());
        Ok::<_, io::Error>(())
    };
    let source = world.source.clone();
    let deleted = async move {
        tokio::time::sleep(secs(1)).await;
        source.delete(&config_map("x", "1")).unwrap();
        tokio::time::sleep(secs(1)).await;
    };
    let controller = Controller::new("maps", &world.informer).shutdown_on(deleted);
    controller
        .run_keys(Arc::clone(&seen), reconcile)
        .await
        .unwrap();
    assert_eq!(*seen.lock(), ["a/x", "a/x"]);
    world.stop().await;
}

#[tokio::test(start_paused = true)]
async fn k12_the_error_policy_decides_and_knows_how_often_a_key_failed_in_a_row() {
    let (world, seen) = (World::started(&["x"]), Arc::new(Seen::default()));
    let reconcile = async |_: Arc<ConfigMap>, seen: Arc<Seen>| {
        let calls = seen.lock().iter().filter(|line| *line == "call").count();
        seen.lock().push("call".to_owned());
        match calls {
            2 => Ok(Action::RequeueAfter(secs(1))),
            3 => panic!("a panic counts too"),
            _ => Err(io::Error::other("not yet")),
        }
    };
    let policy = {
        let seen = Arc::clone(&seen);
        move |key: &ObjectKey, error: &io::Error, attempt: u32| {
            let mut seen = seen.lock();
            seen.push(format!("{key} failed {attempt} times: {error}"));
            match seen.iter().filter(|line| *line == "call").count() {
                1 => Action::Requeue,
                2 => Action::RequeueAfter(secs(1)),
                _ => Action::Done,
            }
        }
    };
    let controller = Controller::new("maps", &world.informer);
    let queue = controller.handle().queue().clone();
    let controller = controller
        .on_error(policy)
        .shutdown_on(tokio::time::sleep(secs(60)));
    controller.run(Arc::clone(&seen), reconcile).await.unwrap();
    let expected = [
        "call",
        "a/x failed 1 times: not yet",
        "call",
        "a/x failed 2 times: not yet",
        "call",
        "call",
        "call",
        "a/x failed 2 times: not yet",
    ];
    assert_eq!(*seen.lock(), expected);
    assert_eq!((queue.metrics().failures, queue.metrics().panics), (4, 1));
    assert_eq!(queue.num_requeues(&key("x")), 0);
    world.stop().await;
}

#[tokio::test(start_paused = true)]
async fn updates_that_change_nothing_of_interest_are_ignored() {
    let (world, seen) = (World::started(&["x"]), Arc::new(Seen::default()));
    let source = world.source.clone();
    let updates = async move {
        for value in ["1", "2", "2"] {
            tokio::time::sleep(secs(1)).await;
            source.modify(&config_map("x", value)).unwrap();
        }
        tokio::time::sleep(secs(1)).await;
    };
    let controller = Controller::new("maps", &world.informer)
        .changed(|old, new| old.data != new.data)
        .shutdown_on(updates);
    controller.run(Arc::clone(&seen), note).await.unwrap();
    assert_eq!(*seen.lock(), ["x", "x"], "once listed, once changed");
    world.stop().await;
}

/// A panic in the function says "changed": the update that it did not judge is reconciled.
#[tokio::test(start_paused = true)]
async fn k33_an_update_whose_predicate_panics_is_reconciled() {
    let (world, seen) = (World::started(&["x"]), Arc::new(Seen::default()));
    let source = world.source.clone();
    let update = async move {
        tokio::time::sleep(secs(1)).await;
        source.modify(&config_map("x", "2")).unwrap();
        tokio::time::sleep(secs(1)).await;
    };
    let controller = Controller::new("maps", &world.informer)
        .changed(|_, _| panic!("no judgement"))
        .shutdown_on(update);
    controller.run(Arc::clone(&seen), note).await.unwrap();
    assert_eq!(*seen.lock(), ["x", "x"]);
    world.stop().await;
}

/// A mapper that panics leaves open which keys are concerned: the controller reconciles all.
#[tokio::test(start_paused = true)]
async fn k33_all_keys_are_reconciled_for_an_object_whose_mapper_panics() {
    let (world, related) = (World::started(&["x", "y"]), World::synced(&["r"]).await);
    let seen = Arc::new(Seen::default());
    let controller = Controller::new("maps", &world.informer);
    let queue = controller.handle().queue().clone();
    let mapper = |_: &ObjectKey, object: &ConfigMap| {
        let value = &object.data.as_ref().unwrap()["value"];
        assert_eq!(value, "1", "cannot map this");
        vec![key("x")]
    };
    let registration = related
        .informer
        .add_event_handler(enqueue_mapped(&queue, mapper))
        .unwrap();
    let (source, seen_before) = (related.source.clone(), Arc::clone(&seen));
    let update = async move {
        tokio::time::sleep(secs(1)).await;
        seen_before.lock().clear();
        source.modify(&config_map("r", "2")).unwrap();
        tokio::time::sleep(secs(1)).await;
    };
    let controller = controller.shutdown_on(update);
    controller.run(Arc::clone(&seen), note).await.unwrap();
    assert_eq!(*seen.lock(), ["x", "y"], "x is known from the old object");
    assert_eq!(registration.stats().panics, 1);
    world.stop().await;
    related.stop().await;
}

/// K-23. The informer starts after the controller; nothing is reconciled before its first list.
#[tokio::test(start_paused = true)]
async fn k23_a_controller_waits_for_its_caches() {
    let (mut world, seen) = (World::new(&["x", "y"]), Arc::new(Seen::default()));
    let log = logged::capture(module_path!());
    let controller = Controller::new("maps", &world.informer);
    let handle = controller.handle();
    handle.queue().add(key("x"));
    let mut run = Box::pin(controller.run_keys(Arc::clone(&seen), {
        let informer = world.informer.clone();
        move |key: ObjectKey, seen: Arc<Seen>| {
            assert!(informer.has_synced());
            seen.lock().push(key.name().to_owned());
            async { Ok::<_, io::Error>(()) }
        }
    }));
    tokio::select! {
        biased;
        _ = &mut run => unreachable!("the informer has not started"),
        () = tokio::time::sleep(secs(2)) => {}
    }
    assert_eq!(handle.state(), ControllerState::Waiting);
    assert!(seen.lock().is_empty());
    let waiting = "INFO waiting for the caches to sync controller=maps caches=\"configmaps.v1\"\n";
    assert_eq!(log.text(), waiting);
    world.start();
    let drained = async {
        handle.wait_until(ControllerState::Running).await;
        handle.queue().shut_down_with_drain().await
    };
    let (ran, drained) = tokio::join!(run, drained);
    ran.unwrap();
    assert!(drained);
    assert_eq!(*seen.lock(), ["x", "y"]);
    assert_eq!(handle.state(), ControllerState::Ended);
    let running = "INFO reconciling controller=maps workers=1\n";
    assert_eq!(log.text(), format!("{waiting}{running}"));
    world.stop().await;
}

/// K-29: refreshes that are due do not hold a change up, also those of objects that were created while
/// the program ran.
#[tokio::test(start_paused = true)]
async fn k29_a_new_object_overtakes_all_refreshes() {
    let names: Vec<String> = (0..1000).map(|number| format!("old-{number}")).collect();
    let world = World::started(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let seen = Arc::new(Seen::default());
    let mut runs = JoinSet::new();
    let controller = Controller::new("maps", &world.informer);
    runs.spawn(controller.run(
        Arc::clone(&seen),
        |map: Arc<ConfigMap>, seen: Arc<Seen>| async move {
            seen.lock().push(map.name_any());
            tokio::time::sleep(ms(10)).await;
            // All are due again before all were called once.
            Ok::<_, io::Error>(Action::RequeueAfter(secs(1)))
        },
    ));
    tokio::time::sleep(secs(5)).await;
    for number in 0..1000 {
        world
            .source
            .add(&config_map(&format!("young-{number}"), "1"))
            .unwrap();
    }
    tokio::time::sleep(secs(60)).await;
    let before = seen.lock().len();
    world.source.add(&config_map("new", "1")).unwrap();
    tokio::time::sleep(ms(500)).await;
    let calls = seen.lock().split_off(before);
    let waited = calls.iter().position(|name| name == "new");
    assert!(waited.is_some_and(|calls| calls <= 2), "{waited:?}");
    runs.shutdown().await;
}

/// K-23: `reconcile` may read a cache that fills no queue, and which seems to be empty before its first
/// list.
#[tokio::test(start_paused = true)]
async fn k23_a_controller_waits_for_each_cache_that_was_requested_of_its_factory() {
    for is_awaited in [true, false] {
        let server = Server::new(1);
        server.put("configmaps", &key("x"), Some(config_map("x", "1")));
        server.fail(|target| (target.resource == "secrets").then_some((403, "Forbidden")));
        let factory = server.factory();
        let maps = factory.informer::<ConfigMap>();
        let secrets = factory.informer::<Secret>();
        let given_up = factory.informer::<Pod>();
        factory.start().unwrap();
        maps.wait_for_sync().await.unwrap();
        given_up.stop();
        let log = logged::capture(module_path!());
        let seen = Arc::new(Seen::default());
        let stop = CancellationToken::new();
        let controller = Controller::new("maps", &maps);
        let controller = controller.shutdown_on(stop.clone().cancelled_owned());
        let controller = if is_awaited {
            controller
        } else {
            controller.starts_without(&secrets)
        };
        let mut runs = JoinSet::new();
        runs.spawn(controller.run(Arc::clone(&seen), note));
        tokio::time::sleep(secs(5)).await;
        let is_named = log
            .text()
            .contains("controller=maps caches=\"secrets.v1\"\n");
        assert_eq!((seen.lock().is_empty(), is_named), (is_awaited, is_awaited));
        server.fail(|_| None);
        tokio::time::sleep(secs(120)).await;
        assert_eq!(*seen.lock(), ["x"]);
        stop.cancel();
        runs.join_next().await.unwrap().unwrap().unwrap();
        factory.shutdown().await;
    }
}

/// K-23: the informers of a session may be of other factories.
#[tokio::test(start_paused = true)]
async fn k23_a_controller_waits_for_each_informer_of_its_session() {
    let server = Server::new(1);
    server.put("configmaps", &key("x"), Some(config_map("x", "1")));
    let (factory, other) = (server.factory(), server.factory());
    let maps = factory.informer::<ConfigMap>();
    let session = Session::new(&factory);
    session.add_informer(&other.informer::<Secret>());
    factory.start().unwrap();
    let seen = Arc::new(Seen::default());
    let controller = Controller::new("maps", &maps).session(&session);
    let mut runs = JoinSet::new();
    runs.spawn(controller.run(Arc::clone(&seen), note));
    tokio::time::sleep(secs(5)).await;
    assert_eq!(seen.lock().len(), 0);
    other.start().unwrap();
    tokio::time::sleep(secs(5)).await;
    assert_eq!(*seen.lock(), ["x"]);
    runs.shutdown().await;
}

/// K-23: nothing is waited for if the caches have synced.
#[tokio::test(start_paused = true)]
async fn k23_caches_that_have_synced_are_not_reported_as_awaited() {
    let (world, seen) = (World::started(&["x"]), Arc::new(Seen::default()));
    world.informer.wait_for_sync().await.unwrap();
    let log = logged::capture(module_path!());
    let controller = Controller::new("maps", &world.informer);
    let controller = controller.shutdown_on(tokio::time::sleep(secs(60)));
    controller.run(Arc::clone(&seen), note).await.unwrap();
    assert_eq!(*seen.lock(), ["x"]);
    assert!(!log.text().contains("waiting for"), "{}", log.text());
    world.stop().await;
}

#[tokio::test(start_paused = true)]
async fn k23_the_handlers_of_a_controller_are_removed_when_it_ends_or_is_dropped() {
    let world = World::started(&["x"]);
    let seen = Arc::new(Seen::default());
    let controller = || Controller::new("maps", &world.informer);

    let ended = controller().shutdown_on(tokio::time::sleep(secs(1)));
    assert_eq!(world.handlers(), 0);
    ended.run(Arc::clone(&seen), note).await.unwrap();
    assert_eq!(world.handlers(), 0);

    let dropped = controller();
    let handle = dropped.handle();
    {
        let mut run = Box::pin(dropped.run(Arc::clone(&seen), note));
        tokio::select! {
            biased;
            _ = &mut run => unreachable!("nothing ends it"),
            () = tokio::time::sleep(secs(1)) => {}
        }
        assert_eq!(
            (world.handlers(), handle.state()),
            (1, ControllerState::Running)
        );
    }
    assert_eq!(
        (world.handlers(), handle.state()),
        (0, ControllerState::Ended)
    );

    let unused = controller();
    let handle = unused.handle();
    drop(unused);
    handle.wait_until(ControllerState::Ended).await;
    world.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_has_stopped_is_an_error() {
    let world = World::new(&[]);
    world.informer.stop();
    let controller = Controller::new("maps", &world.informer);
    let error = controller
        .run(Arc::new(Seen::default()), note)
        .await
        .unwrap_err();
    assert!(
        matches!(error, ControllerError::AddHandler { .. }),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_stops_before_it_has_synced_is_an_error() {
    let world = World::new(&[]);
    let controller = Controller::new("maps", &world.informer);
    let run = controller.run(Arc::new(Seen::default()), note);
    let stop = async {
        settled().await;
        world.informer.stop();
    };
    let (ran, ()) = tokio::join!(run, stop);
    let error = ran.unwrap_err();
    assert!(
        matches!(error, ControllerError::NotSynced { .. }),
        "{error}"
    );
}

/// The Secrets that a `ConfigMap` mentions: the one with its name.
const SECRET: Reference<ConfigMap, Secret> =
    Reference::new("secret", |map: &ConfigMap| vec![ObjectKey::of(map)]);

#[tokio::test(start_paused = true)]
async fn a_change_of_a_related_object_reconciles_what_it_concerns() {
    let (world, seen) = (World::started(&["x", "y"]), Arc::new(Seen::default()));
    let source = FakeControllerSource::new();
    let secrets: SharedInformer<Secret> = SharedInformer::builder(source.clone()).build().unwrap();
    let relation = ReferencedObjects::over(&world.informer, SECRET, secrets.clone());
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let controller = Controller::new("maps", &world.informer)
        .relations(&relation)
        .shutdown_on(async { drop(ended.await) });
    let handle = controller.handle();
    let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
    let change = async {
        // The cache of a relation delays the controller.
        settled().await;
        assert_eq!(handle.state(), ControllerState::Waiting);
        assert!(seen.lock().is_empty());
        tasks.spawn(secrets.run(stop.clone()));
        handle.wait_until(ControllerState::Running).await;
        settled().await;
        assert_eq!(*seen.lock(), ["x", "y"]);
        let secret = json!({ "metadata": { "namespace": "a", "name": "y" } });
        source.add(&secret).unwrap();
        settled().await;
        assert_eq!(secrets.metrics().handlers.len(), 1);
        drop(end);
    };
    let (ran, ()) = tokio::join!(controller.run(Arc::clone(&seen), note), change);
    ran.unwrap();
    assert_eq!(*seen.lock(), ["x", "y", "y"]);
    assert_eq!(secrets.metrics().handlers.len(), 0);
    stop.cancel();
    tasks.join_next().await.unwrap().unwrap().unwrap();
    world.stop().await;
}

/// Objects of two informers share a trigger, as in the docs of `Controller`.
#[tokio::test(start_paused = true)]
async fn controllers_share_a_trigger() {
    let (one, two) = (World::started(&["x"]), World::started(&["y"]));
    let stop = CancellationToken::new();
    let seen = Arc::new(Seen::default());
    let [one_run, two_run] = [&one, &two].map(|world| {
        Controller::new("maps", &world.informer)
            .shutdown_on(stop.clone().cancelled_owned())
            .run(Arc::clone(&seen), note)
    });
    let end = async {
        settled().await;
        stop.cancel();
        Ok(())
    };
    tokio::try_join!(one_run, two_run, end).unwrap();
    seen.lock().sort_unstable();
    assert_eq!(*seen.lock(), ["x", "y"]);
    one.stop().await;
    two.stop().await;
}

/// Objects that another storage holds are passed in its form.
#[tokio::test(start_paused = true)]
async fn a_controller_takes_any_storage() {
    let world = Running::<Packed>::started(&["x"]);
    let reconcile = async |object: Arc<PackedObject<ConfigMap>>, seen: Arc<Seen>| {
        let object = object.decode().expect("the object decodes");
        seen.lock().push(object.name_any());
        Ok::<_, io::Error>(())
    };
    let seen = Arc::new(Seen::default());
    let controller = Controller::new("maps", &world.informer);
    let controller = controller.shutdown_on(tokio::time::sleep(secs(1)));
    controller.run(Arc::clone(&seen), reconcile).await.unwrap();
    assert_eq!(*seen.lock(), ["x"]);
    world.stop().await;
}

/// The object of an event is as in the cache, or newer in the cache.
#[tokio::test(start_paused = true)]
async fn the_newest_object_is_reconciled() {
    let (world, seen) = (World::started(&["x"]), Arc::new(Seen::default()));
    let reconcile = async |object: Arc<ConfigMap>, seen: Arc<Seen>| {
        let value = object.data.clone().unwrap_or_default();
        seen.lock()
            .push(format!("{} {}", object.name_any(), value["value"]));
        Ok::<_, io::Error>(())
    };
    let source = world.source.clone();
    let updates = async move {
        tokio::time::sleep(secs(1)).await;
        source.modify(&config_map("x", "2")).unwrap();
        tokio::time::sleep(secs(1)).await;
    };
    let controller = Controller::new("maps", &world.informer).shutdown_on(updates);
    controller.run(Arc::clone(&seen), reconcile).await.unwrap();
    assert_eq!(*seen.lock(), ["x 1", "x 2"]);
    world.stop().await;
}

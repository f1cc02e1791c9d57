//! Transforms of an informer.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use super::support::{Running, SECOND, broken, config, recorder, source_with, value};
use crate::object::ObjectKey;
use crate::shared_informer::SharedInformer;
use crate::source::{FakeControllerSource, Request};
use crate::storage::Transform;

/// Creates a transform that appends `!`, and counts its calls per version.
fn shouting(calls: &Arc<Mutex<BTreeMap<String, u32>>>) -> Transform<ConfigMap> {
    let calls = Arc::clone(calls);
    Transform::new("shout", move |object: &mut ConfigMap| {
        let version = object.metadata.resource_version.clone().unwrap_or_default();
        let name = object.metadata.name.clone().unwrap_or_default();
        *calls.lock().entry(format!("{name}@{version}")).or_default() += 1;
        match value(object).as_str() {
            "fails" => return Err("function failed".into()),
            "panics" => panic!("function panicked"),
            "moves" => object.metadata.name = Some("elsewhere".to_owned()),
            _ => {}
        }
        for value in object.data.iter_mut().flatten() {
            value.1.push('!');
        }
        Ok(())
    })
}

fn informer(
    source: &FakeControllerSource,
    calls: &Arc<Mutex<BTreeMap<String, u32>>>,
) -> SharedInformer<ConfigMap> {
    let builder = SharedInformer::builder(source.clone());
    builder.transform(shouting(calls)).build().unwrap()
}

/// Y-08: with both kinds of list.
#[tokio::test(start_paused = true)]
async fn x01_each_version_is_transformed_once_before_anybody_sees_it() {
    for supports_watch_list in [true, false] {
        let calls = Arc::default();
        let source = source_with(&["a", "b"]);
        source.set_supports_watch_list(supports_watch_list);
        let informer = informer(&source, &calls);
        let index = informer.add_index("value", |object: &ConfigMap| [value(object)]);
        let (handler, mut seen) = recorder();
        let resync = crate::processor::HandlerOptions::new().resync_period(60 * SECOND);
        informer.add_event_handler_with(handler, resync).unwrap();
        let running = Running::synced(&informer).await;
        assert_eq!(
            seen.take(2).await,
            ["add ns/a=1! initial", "add ns/b=1! initial"]
        );
        source.modify(&config("a", "2")).unwrap();
        source.delete(&config("b", "3")).unwrap();
        assert_eq!(
            seen.take(2).await,
            ["update ns/a=1!>2! live", "delete ns/b=3! live"]
        );
        assert_eq!(index.unwrap().values(), ["2!"]);

        // A relist without changes, a resync and a tombstone cause no call.
        source.lose_next_event();
        source.delete(&config("a", "9")).unwrap();
        source.add(&config("c", "1")).unwrap();
        source.reset_watch();
        let rest = seen.within(200 * SECOND).await;
        assert!(
            rest.contains(&"delete ns/a=2!? relist".to_owned()),
            "{rest:?}"
        );
        assert!(
            rest.contains(&"update ns/c=1!>1! resync".to_owned()),
            "{rest:?}"
        );
        let calls = calls.lock().clone();
        let expected = ["a@1", "a@3", "b@2", "b@4", "c@6"];
        assert_eq!(
            calls,
            expected.map(|version| (version.to_owned(), 1)).into()
        );
        running.stop().await;
    }
}

/// E-15: in the first list and in events, for each kind of failure.
#[tokio::test(start_paused = true)]
async fn x03_a_failing_transform_costs_its_object_one_error_and_nothing_else() {
    for failure in ["fails", "panics", "moves"] {
        let calls = Arc::default();
        let source = source_with(&["a"]);
        source.add(&config("bad", failure)).unwrap();
        source.add(&config("z", "1")).unwrap();
        let informer = informer(&source, &calls);
        let (handler, mut seen) = recorder();
        informer.add_event_handler(handler).unwrap();
        let running = Running::synced(&informer).await;
        assert_eq!(
            seen.take(2).await,
            ["add ns/a=1! initial", "add ns/z=1! initial"]
        );
        source.modify(&config("a", failure)).unwrap();
        source.modify(&config("z", "2")).unwrap();
        assert_eq!(
            seen.next().await,
            "update ns/z=1!>2! live",
            "no later event is lost"
        );

        let a = informer.lister().namespace("ns").get("a").unwrap();
        assert_eq!(value(&a), "1!");
        let key = ObjectKey::namespaced("ns", "a");
        let snapshot = informer.snapshot();
        let error = snapshot.undecodable(&key).unwrap().error.to_string();
        assert_eq!(
            error,
            "ns/a at resourceVersion \"4\": transform `shout` failed"
        );
        assert_eq!(informer.snapshot().undecodable_all().len(), 2);
        assert!(seen.within(600 * SECOND).await.is_empty());
        let lists = |request: &&Request| match request {
            Request::List(_) => true,
            Request::Watch(options) => options.send_initial_events,
        };
        assert_eq!(
            source.requests().iter().filter(lists).count(),
            1,
            "no relist"
        );
        assert_eq!(informer.metrics().undecodable_objects, 2);

        source.modify(&config("bad", "good")).unwrap();
        assert_eq!(seen.next().await, "add ns/bad=good! live");
        running.stop().await;
    }
}

/// X-02, W-14: if the final object of a deletion cannot be transformed, the event contains the last
/// known object.
#[tokio::test(start_paused = true)]
async fn x02_a_deletion_survives_its_transform() {
    for last in [config("a", "panics"), config("a", "fails"), broken("a")] {
        let calls = Arc::default();
        let source = source_with(&["a"]);
        let informer = informer(&source, &calls);
        let (handler, mut seen) = recorder();
        informer.add_event_handler(handler).unwrap();
        let running = Running::synced(&informer).await;
        source.delete(&last).unwrap();
        assert_eq!(
            seen.take(2).await,
            ["add ns/a=1! initial", "delete ns/a=1!? live"]
        );
        assert!(informer.lister().is_empty());
        running.stop().await;
    }
}

/// on several threads, handlers are added and removed while objects are transformed. Each
/// handler receives only transformed objects, and no version is transformed twice for them.
/// client-go's counterpart is `TestTransformingInformerRace`.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn x05_handlers_may_be_added_while_transforms_run() {
    const CHANGES: usize = 200;
    let calls: Arc<Mutex<BTreeMap<String, u32>>> = Arc::default();
    let source = source_with(&["a", "b", "c"]);
    let informer = informer(&source, &calls);
    let running = Running::start(&informer);
    let seen = Arc::new(Mutex::new(0_usize));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (informer, seen) = (informer.clone(), Arc::clone(&seen));
        tasks.spawn(async move {
            for _ in 0..25 {
                let (sender, mut plain) = tokio::sync::mpsc::channel(1);
                let seen = Arc::clone(&seen);
                let handler = move |event: crate::event::Event<ConfigMap>| {
                    *seen.lock() += 1;
                    if !value(event.object()).ends_with('!') {
                        let _full = sender.try_send(value(event.object()));
                    }
                };
                let registration = informer.add_event_handler(handler).unwrap();
                registration.wait_for_sync().await.unwrap();
                registration.remove().await;
                // The removal dropped the handler, and with it the sender.
                assert_eq!(plain.recv().await, None, "received an untransformed object");
            }
        });
    }
    for number in 0..CHANGES {
        source.modify(&config("a", &number.to_string())).unwrap();
        tokio::task::yield_now().await;
    }
    tasks.join_all().await;
    let reached = source.resource_version();
    informer.indexer().wait_for_in("", &reached).await.unwrap();
    assert!(
        *seen.lock() >= 4 * 25 * 3,
        "each handler received the initial objects"
    );
    let calls = calls.lock().clone();
    assert!(calls.values().all(|&times| times == 1), "{calls:?}");
    let last = informer.lister().namespace("ns").get("a").unwrap();
    assert_eq!(value(&last), format!("{}!", CHANGES - 1));
    running.stop().await;
}

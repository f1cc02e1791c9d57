//! Indices of an informer: typed, at any time, and none that does harm.

use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{Running, config, informer, recorder, source_with, value};
use crate::indexer::AddIndexError;
use crate::private;

fn names(objects: &[std::sync::Arc<ConfigMap>]) -> Vec<&str> {
    objects
        .iter()
        .map(|object| object.metadata.name.as_deref().unwrap())
        .collect()
}

/// I-05, I-07, S-08.
#[tokio::test(start_paused = true)]
async fn i05_an_index_may_be_added_before_the_start_and_after_the_sync_and_starts_nothing() {
    let source = source_with(&["a", "b"]);
    let informer = informer(source.clone());
    let early = informer
        .add_index("value", |object: &ConfigMap| [value(object)])
        .unwrap();
    assert!(!informer.has_started());
    assert_eq!(early.get("1").len(), 0);
    let (handler, mut seen) = recorder();
    informer.add_event_handler(handler).unwrap();
    let running = Running::synced(&informer).await;
    assert_eq!(names(&early.get("1")), ["a", "b"]);

    let late = informer
        .add_index("length", |object: &ConfigMap| [value(object).len()])
        .unwrap();
    assert_eq!(
        names(&late.get(&1)),
        ["a", "b"],
        "what is cached appears at once"
    );
    source.modify(&config("a", "22")).unwrap();
    seen.take(3).await;
    assert_eq!(
        (late.values(), early.values()),
        (vec![1, 2], vec!["1".into(), "22".into()])
    );
    assert_eq!(names(&late.get(&2)), ["a"]);
    assert_eq!(late.keys(&2)[0].to_string(), "ns/a");

    let lister = informer.lister();
    assert_eq!(names(&lister.by_index("length", "2").unwrap()), ["a"]);
    assert_eq!(
        names(&lister.by_index("value", "1").unwrap()),
        names(&early.get("1"))
    );
    assert!(lister.by_index("unknown", "1").is_err());
    running.stop().await;
    assert_eq!(names(&early.get("22")), ["a"], "after the stop too");
}

/// I-05: a conflict is an error and adds nothing.
#[tokio::test(start_paused = true)]
async fn i05_a_name_is_taken_once() {
    let informer = informer(source_with(&["a"]));
    informer
        .add_index("value", |object: &ConfigMap| [value(object)])
        .unwrap();
    let again = informer.add_index("value", |_: &ConfigMap| [1_u8]);
    let again: Option<AddIndexError> = again.err();
    assert!(again.unwrap().to_string().contains("value"));
    assert!(informer.index::<u8>("value").is_none(), "other values");
    assert!(informer.index::<String>("other").is_none());
    let running = Running::synced(&informer).await;
    let index = informer.index::<String>("value").unwrap();
    assert_eq!(index.get("1").len(), 1);
    running.stop().await;
}

/// I-06, E-15: an index function that fails or panics costs its object its place in that index.
#[tokio::test(start_paused = true)]
async fn i06_a_failing_index_function_is_recorded_and_does_no_harm() {
    let source = source_with(&["a"]);
    source.add(&config("fails", "x")).unwrap();
    source.add(&config("panics", "x")).unwrap();
    let informer = informer(source.clone());
    let fragile = informer
        .try_add_index("fragile", |object: &ConfigMap| {
            match object.metadata.name.as_deref() {
                Some("fails") => Err("it fails".into()),
                Some("panics") => panic!("it panics"),
                _ => Ok(vec![value(object)]),
            }
        })
        .unwrap();
    let sound = informer
        .add_index("sound", |object: &ConfigMap| [value(object)])
        .unwrap();
    let (handler, mut seen) = recorder();
    informer.add_event_handler(handler).unwrap();
    let running = Running::synced(&informer).await;
    assert_eq!(informer.lister().len(), 3, "the objects stay");
    assert_eq!(fragile.values(), ["1"]);
    assert_eq!(names(&sound.get("x")), ["fails", "panics"]);
    let failures = informer.snapshot().index_failures("fragile").unwrap();
    assert_eq!(failures.len(), 2);

    source.modify(&config("fails", "y")).unwrap();
    seen.take(4).await;
    assert_eq!(names(&sound.get("y")), ["fails"]);
    running.stop().await;
}

/// What generated constructors ask for, each time they are called.
#[tokio::test(start_paused = true)]
async fn generated_code_adds_its_index_once() {
    let informer = informer(source_with(&["a"]));
    let values = |object: &ConfigMap| vec![value(object)];
    let first = private::index::<_, String>(&informer, "data.value", values);
    let second = private::index::<_, String>(&informer, "data.value", values);
    assert_eq!(first.name(), second.name());
    let own = |names: &[crate::indexer::IndexName]| names.len() - 1;
    assert_eq!(own(&informer.lister().index_names()), 1);

    // Somebody took the name for values of another type: theirs stays theirs.
    informer.add_index("taken", |_: &ConfigMap| [1_u8]).unwrap();
    let ours = private::index::<_, String>(&informer, "taken", values);
    let again = private::index::<_, String>(&informer, "taken", values);
    assert_eq!(ours.name().as_str(), "taken (generated)");
    assert_eq!(again.name(), ours.name());
    assert_eq!(own(&informer.lister().index_names()), 3);
    let running = Running::synced(&informer).await;
    assert_eq!(ours.get("1").len(), 1);
    assert_eq!(informer.index::<u8>("taken").unwrap().get(&1).len(), 1);
    running.stop().await;
}

/// F-03: first requests at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn generated_code_may_ask_for_its_index_from_many_tasks() {
    for _ in 0..50 {
        let informer = informer(source_with(&["a"]));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let informer = informer.clone();
            tasks.spawn(async move {
                let values = |object: &ConfigMap| vec![value(object)];
                let index = private::index::<_, String>(&informer, "data.value", values);
                index.name().to_string()
            });
        }
        let names = tasks.join_all().await;
        assert!(names.iter().all(|name| name == "data.value"), "{names:?}");
        assert_eq!(informer.lister().index_names().len(), 2);
    }
}

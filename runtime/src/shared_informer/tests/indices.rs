//! Indices of an informer: typed, added at any time, with failures that affect only their object.

use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{Running, config, informer, recorder, source_with, value};
use crate::object::{Requirement, Selector};
use crate::private::Definition;
use crate::storage::Typed;

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

/// I-05, S-01: the index of a label is one index, however it was added, and lists use it.
#[tokio::test(start_paused = true)]
async fn i05_an_index_over_the_path_of_a_label_is_its_label_index() {
    let source = source_with(&["a"]);
    let mut labelled = config("b", "2");
    labelled["metadata"]["labels"] = serde_json::json!({"app": "web"});
    source.add(&labelled).unwrap();
    let informer = informer(source);
    let path = "metadata.labels['app']";
    let by_path = informer.add_path_index(path.parse().unwrap()).unwrap();
    let by_label = informer.add_label_index("app").unwrap();
    assert_eq!(
        (by_path.name().as_str(), by_label.name().as_str()),
        (path, path)
    );
    assert_eq!(informer.lister().index_names().len(), 2);
    let running = Running::synced(&informer).await;
    assert_eq!(by_label.values(), ["web"]);
    let equals = Requirement::equals("app", "web").unwrap();
    let snapshot = informer.snapshot();
    let requirements = [equals.clone()];
    let (_, found) = snapshot.narrowest(&requirements, None).unwrap();
    assert_eq!(found.count(), 1);
    let selected = informer.lister().list(&Selector::everything().and(equals));
    assert_eq!(names(&selected), ["b"]);
    running.stop().await;
}

/// Returns an index definition, as generated code declares it.
fn definition(name: &'static str) -> Definition<ConfigMap, String> {
    Definition::object(name, |object| vec![value(object)])
}

/// Generated constructors add their index once, over any number of calls.
#[tokio::test(start_paused = true)]
async fn generated_code_adds_its_index_once() {
    let informer = informer(source_with(&["a"]));
    let indexer = informer.indexer();
    let first = definition("data.value").add::<Typed>(indexer);
    let second = definition("data.value").add::<Typed>(indexer);
    assert_eq!(first.name(), second.name());
    let own = |names: &[crate::indexer::IndexName]| names.len() - 1;
    assert_eq!(own(&informer.lister().index_names()), 1);

    // Another index has the name already, and keeps it.
    informer.add_index("taken", |_: &ConfigMap| [1_u8]).unwrap();
    let ours = definition("taken").add::<Typed>(indexer);
    let again = definition("taken").add::<Typed>(indexer);
    assert_eq!(ours.name().as_str(), "taken (generated)");
    assert_eq!(again.name(), ours.name());
    assert_eq!(own(&informer.lister().index_names()), 3);
    let running = Running::synced(&informer).await;
    assert_eq!(ours.get("1").len(), 1);
    assert_eq!(informer.index::<u8>("taken").unwrap().get(&1).len(), 1);
    running.stop().await;
}

/// I-05: two indices with the same name are one if their definitions are equal; otherwise the error
/// names the other definition.
#[tokio::test(start_paused = true)]
async fn i05_an_index_of_another_definition_is_in_the_way() {
    let informer = informer(source_with(&["a"]));
    let indexer = informer.indexer();
    let rejected = |definition: Definition<ConfigMap, String>| {
        let error = definition.check::<Typed>(indexer).err();
        error.map(|error| error.to_string())
    };
    let generated = || Definition::json("data.value", |_| vec![String::new()]);
    assert_eq!(rejected(definition("data.value")), None);

    let by_path = informer
        .add_path_index("data.value".parse().unwrap())
        .unwrap();
    assert_eq!(rejected(generated()), None, "the same path");
    assert_eq!(generated().add::<Typed>(indexer).name(), by_path.name());
    let other = Definition::with("data.value", "with app: other", |_| vec![String::new()]);
    assert_eq!(
        rejected(other).as_deref(),
        Some("an index named `data.value` exists already, over `data.value`")
    );
    let numbers = Definition::<ConfigMap, u8>::json("data.value", |_| vec![0]);
    assert!(numbers.check::<Typed>(indexer).is_err(), "other values");

    informer
        .add_index("by_x", |_: &ConfigMap| [String::new()])
        .unwrap();
    assert_eq!(
        rejected(definition("by_x")).as_deref(),
        Some("an index named `by_x` exists already"),
    );
    assert_eq!(
        rejected(definition("namespace")).as_deref(),
        Some("an index named `namespace` exists already, over `metadata.namespace`"),
    );
}

/// F-03: concurrent first requests create one index.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn generated_code_may_ask_for_its_index_from_many_tasks() {
    for _ in 0..50 {
        let informer = informer(source_with(&["a"]));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let informer = informer.clone();
            tasks.spawn(async move {
                let index = definition("data.value").add::<Typed>(informer.indexer());
                index.name().to_string()
            });
        }
        let names = tasks.join_all().await;
        assert!(names.iter().all(|name| name == "data.value"), "{names:?}");
        assert_eq!(informer.lister().index_names().len(), 2);
    }
}

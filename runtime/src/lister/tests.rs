//! Tests of listers over stores that the test fills.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::core::DynamicObject;
use serde_json::json;

use super::{GetError, Lister, ScopeError, over_label};
use crate::indexer::Indexer;
use crate::object::{
    Footprint, NAMESPACE_READS, Object, ObjectKey, ResourceInfo, ResourceVersion, Selector,
};
use crate::storage::{Entry, Storage, Typed};
use crate::wire::RawObject;

/// Creates an entry. `key` is `ns/name` or a name; `labels` is as in `app=web,tier=a`.
fn entry<K: Object>(key: &str, labels: &str) -> Entry {
    let key: ObjectKey = key.parse().unwrap();
    let labels: serde_json::Map<String, serde_json::Value> = labels
        .split(',')
        .filter_map(|label| label.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let metadata = json!({
        "namespace": key.namespace(), "name": key.name(), "resourceVersion": "1", "labels": labels
    });
    let raw = RawObject::from_value(&json!({"metadata": metadata})).unwrap();
    Entry {
        key,
        uid: None,
        resource_version: ResourceVersion::new("1"),
        footprint: Footprint::default(),
        object: Arc::new(<Typed as Storage<K>>::make(&Typed, &raw, None).unwrap()),
    }
}

fn lister<K: Object>(resource: ResourceInfo, objects: &[(&str, &str)]) -> Lister<K> {
    over(Indexer::new(resource.scope), resource, objects)
}

fn over<K: Object>(
    indexer: Indexer<K>,
    resource: ResourceInfo,
    objects: &[(&str, &str)],
) -> Lister<K> {
    let entries = objects.iter().map(|(key, labels)| entry::<K>(key, labels));
    indexer.replace(entries.collect(), ResourceVersion::new("7"));
    Lister::new(indexer, resource.into())
}

fn pods(objects: &[(&str, &str)]) -> Lister<Pod> {
    lister(ResourceInfo::of::<Pod>(&()).unwrap(), objects)
}

fn keys<K: Object>(objects: &[Arc<K>]) -> String {
    let keys: Vec<String> = objects
        .iter()
        .map(|object| ObjectKey::of(&**object).to_string())
        .collect();
    keys.join(" ")
}

const SHOP: &[(&str, &str)] = &[
    ("b/web", "app=web,tier=a"),
    ("a/web", "app=web"),
    ("a/db", "app=db,tier=b"),
    ("a-b/web", ""),
];

/// S-01, S-06, I-08: each kind of requirement; results are ordered by key, with and without label
/// indices.
#[test]
fn s01_selectors_choose_as_the_api_server_does() {
    let resource = ResourceInfo::of::<Pod>(&()).unwrap();
    let store = Indexer::new(resource.scope);
    for label in ["app", "tier"] {
        over_label::<Pod, Typed>(&store, label).unwrap();
    }
    let indexed = over(store, resource, SHOP);
    for lister in [pods(SHOP), indexed] {
        selectors_choose(&lister);
    }
}

fn selectors_choose(lister: &Lister<Pod>) {
    for (selector, expected) in [
        ("", "a/db a/web a-b/web b/web"),
        ("app=web", "a/web b/web"),
        ("app==web", "a/web b/web"),
        ("app!=web", "a/db a-b/web"),
        ("app in (db,web),tier", "a/db b/web"),
        ("app in (db,web)", "a/db a/web b/web"),
        ("tier in (a,b)", "a/db b/web"),
        ("app=web,tier=a", "b/web"),
        ("app=web,tier=b", ""),
        ("app=web,tier!=a", "a/web"),
        ("tier notin (a)", "a/db a/web a-b/web"),
        ("app", "a/db a/web b/web"),
        ("!app", "a-b/web"),
        ("app=none", ""),
    ] {
        let selector: Selector = selector.parse().unwrap();
        assert_eq!(keys(&lister.list(&selector)), expected, "{selector}");
    }
    let in_namespace = |namespace: &str, selector: &str| {
        keys(&lister.namespace(namespace).list(&selector.parse().unwrap()))
    };
    assert_eq!(in_namespace("a", "app=web"), "a/web");
    assert_eq!(in_namespace("a", "app in (web,db)"), "a/db a/web");
    assert_eq!(in_namespace("a-b", "app=web"), "");
    assert_eq!(in_namespace("", "app=web"), "");
    assert_eq!(
        keys(&lister.list(&Selector::default())),
        "a/db a/web a-b/web b/web"
    );
    assert_eq!(keys(&lister.list(&Selector::nothing())), "");
    assert_eq!((lister.len(), lister.is_empty()), (4, false));
}

/// Config map that counts how often its metadata is read, for all instances of a test thread.
#[derive(Debug, Clone, serde::Deserialize)]
struct Counted(ConfigMap);

thread_local! {
    static META_READS: Cell<usize> = const { Cell::new(0) };
}

crate::tests::resource_of_newtype!(Counted(ConfigMap), META_READS.set(META_READS.get() + 1));

/// S-01. Work count: a list by an indexed label examines the labels of no other object, and follows
/// changes of the label.
#[test]
fn s01_a_label_index_visits_candidates_only() {
    let resource = ResourceInfo::of::<Counted>(&()).unwrap();
    let store = Indexer::new(resource.scope);
    let lister: Lister<Counted> = over(store.clone(), resource, SHOP);
    let count_reads = |selector: &str| {
        META_READS.set(0);
        let found = lister.list(&selector.parse().unwrap());
        (found.len(), META_READS.take())
    };
    assert_eq!(count_reads("app=web"), (2, 4), "a scan");

    let index = over_label::<Counted, Typed>(&store, "app").unwrap();
    let same = over_label::<Counted, Typed>(&store, "app").unwrap();
    assert_eq!((index.name(), index.get("web").len()), (same.name(), 2));
    assert_eq!(store.index_names().len(), 2, "namespace and label");
    assert_eq!(count_reads("app=web"), (2, 0));
    assert_eq!(count_reads("app in (web,db)"), (3, 0));
    assert_eq!(count_reads("app=web,tier=a"), (1, 2), "the other label");
    assert_eq!(count_reads("app!=web"), (2, 4), "a scan");

    store.add(entry::<Counted>("b/web", "app=db"));
    assert_eq!(
        (count_reads("app=web"), count_reads("app=db")),
        ((1, 0), (2, 0))
    );
    store.delete(&ObjectKey::namespaced("a", "db"));
    assert_eq!(count_reads("app=db"), (1, 0));
}

/// S-02, S-04: a namespace lister excludes namespaces whose name has the same prefix.
#[test]
fn s02_a_namespace_lister_sees_its_namespace_only() {
    let lister = pods(SHOP);
    let all = Selector::everything();
    assert_eq!(keys(&lister.namespace("a").list(&all)), "a/db a/web");
    assert_eq!(keys(&lister.namespace("a-b").list(&all)), "a-b/web");
    assert_eq!(
        keys(&lister.namespace("a").list(&"app=web".parse().unwrap())),
        "a/web"
    );
    assert_eq!(keys(&lister.namespace("none").list(&all)), "");
    assert_eq!(keys(&lister.namespace("a").list(&Selector::nothing())), "");
    assert_eq!(keys(&lister.namespace("").list(&all)), "");
    let a = lister.namespace("a");
    assert_eq!(a.namespace(), "a");
    assert!(a.get("web").is_some());
    assert!(a.get("none").is_none());
    assert!(
        a.get("b/web").is_none(),
        "a name cannot leave the namespace"
    );
}

/// S-04. Work count: a list of a namespace looks at the keys of no other namespace, but for a
/// search.
#[test]
fn s04_a_list_of_a_namespace_visits_no_other() {
    const OTHERS: usize = 5_000;
    let names: Vec<String> = (0..OTHERS)
        .map(|number| format!("{}/{number}", ["a", "c"][number % 2]))
        .collect();
    let others = names.iter().map(|name| (name.as_str(), "app=web"));
    let objects: Vec<_> = others.chain([("b/x", "app=web"), ("b/y", "")]).collect();
    let scanned = pods(&objects);
    let resource = ResourceInfo::of::<Pod>(&()).unwrap();
    let store = Indexer::new(resource.scope);
    over_label::<Pod, Typed>(&store, "app").unwrap();
    let indexed = over(store, resource, &objects);
    let visited = |read: &dyn Fn() -> usize| {
        NAMESPACE_READS.set(0);
        (read(), NAMESPACE_READS.take())
    };
    let all = Selector::everything();
    let web: Selector = "app=web".parse().unwrap();
    for lister in [scanned, indexed] {
        let b = lister.namespace("b");
        for (found, visited) in [
            visited(&|| b.list(&all).len()),
            visited(&|| b.list(&web).len() + 1),
            visited(&|| lister.by_index("namespace", "b").unwrap().len()),
            visited(&|| lister.snapshot().namespace("b").count()),
        ] {
            assert_eq!(found, 2);
            assert!(visited < 100, "{visited} keys");
        }
    }
    // The counter sees a scan.
    let scan = |entry: &&Entry| entry.key.namespace() == Some("b");
    let (found, visited) = visited(&|| pods(&objects).snapshot().entries().filter(scan).count());
    assert_eq!(found, 2);
    assert!(visited >= OTHERS, "{visited} keys");
}

/// S-05, I-13: reads by key return the same allocation.
#[test]
fn s05_reading_by_key_takes_a_key_and_copies_nothing() {
    let lister = pods(SHOP);
    let key = ObjectKey::namespaced("a", "web");
    let once = lister.get_by_key(&key).unwrap();
    let again = lister.namespace("a").get("web").unwrap();
    assert!(Arc::ptr_eq(&once, &again));
    assert!(lister.get_by_key(&ObjectKey::cluster("a/web")).is_none());
}

/// S-02, I-13: a borrowed read sees the stored entry, takes no reference to its object and may
/// write to the cache.
#[test]
fn i13_a_borrowed_read_counts_no_reference() {
    let resource = ResourceInfo::of::<Pod>(&()).unwrap();
    let store = Indexer::new(resource.scope);
    let pods: Lister<Pod> = over(store.clone(), resource, SHOP);
    let key = ObjectKey::namespaced("a", "web");
    let references = || Arc::strong_count(&store.snapshot().entry(&key).unwrap().object);
    let is_web = |pod: &Pod| (pod.metadata.name.as_deref() == Some("web"), references());
    assert_eq!(pods.with_key(&key, is_web), Some((true, 1)));
    assert_eq!(pods.namespace("a").with("web", is_web), Some((true, 1)));
    assert_eq!(pods.namespace("a").with("none", is_web), None);
    let mut seen = Vec::new();
    pods.for_each(&Selector::everything(), |_| seen.push(references()));
    assert_eq!(seen, [1; 4]);

    let replaced = pods.with_key(&key, |pod| {
        store.add(entry::<Pod>("a/web", "app=other"));
        let changed = pods.get_by_key(&key).unwrap();
        (pod.metadata.labels.clone(), changed.metadata.labels.clone())
    });
    let app = |labels: &Option<BTreeMap<String, String>>| labels.as_ref().unwrap()["app"].clone();
    let (before, after) = replaced.unwrap();
    assert_eq!(
        (app(&before).as_str(), app(&after).as_str()),
        ("web", "other")
    );

    let nodes: Lister<Node> = lister(ResourceInfo::of::<Node>(&()).unwrap(), &[("n", "")]);
    let name = nodes.with("n", |node| node.metadata.name.clone().unwrap());
    assert_eq!(name.as_deref(), Some("n"));
}

/// S-06, I-09: a snapshot is consistent, and has its version.
#[test]
fn s06_a_snapshot_is_of_one_moment_and_says_of_which() {
    let resource = ResourceInfo::of::<Pod>(&()).unwrap();
    let store = Indexer::new(resource.scope);
    let lister: Lister<Pod> = over(store.clone(), resource, SHOP);
    let before = lister.snapshot();
    assert_eq!(before.resource_version(), &ResourceVersion::new("7"));
    store.replace(Vec::new(), ResourceVersion::new("8"));
    assert_eq!((before.len(), lister.len()), (4, 0));
    let after = lister.snapshot();
    assert_eq!(after.resource_version(), &ResourceVersion::new("8"));
}

/// S-07: the error contains the plural name.
#[test]
fn s07_not_found_names_the_plural_and_the_key() {
    let missing = pods(SHOP).namespace("a").try_get("x").unwrap_err();
    assert!(matches!(missing, GetError::NotFound { .. }));
    assert_eq!(missing.to_string(), "pods \"a/x\" not found");
    let nodes: Lister<Node> = lister(ResourceInfo::of::<Node>(&()).unwrap(), &[("n", "")]);
    assert!(nodes.get("n").is_some() && nodes.try_get("n").is_ok());
    assert_eq!(
        nodes.try_get("x").unwrap_err().to_string(),
        "nodes \"x\" not found"
    );
}

/// S-03: a type whose scope is unknown at compile time reports a wrong scope at run time.
#[test]
fn s03_the_wrong_scope_of_a_dynamic_type_is_an_error_value() {
    let all = Selector::everything();
    let pods = ResourceInfo::of::<Pod>(&()).unwrap();
    let pods: Lister<DynamicObject> = lister(pods, &[("a/web", "")]);
    assert_eq!(pods.try_namespace("a").unwrap().list(&all).len(), 1);
    let error = pods.get_cluster_scoped("web").unwrap_err();
    assert_eq!(error, ScopeError::Namespaced("pods.v1".to_owned()));
    assert_eq!(error.to_string(), "pods.v1 is namespaced: name a namespace");

    let nodes = ResourceInfo::of::<Node>(&()).unwrap();
    let nodes: Lister<DynamicObject> = lister(nodes, &[("n", "")]);
    assert!(nodes.get_cluster_scoped("n").unwrap().is_some());
    assert!(nodes.get_cluster_scoped("x").unwrap().is_none());
    let error = nodes.try_namespace("a").unwrap_err();
    assert_eq!(
        error.to_string(),
        "nodes.v1 is cluster-scoped: it has no namespaces"
    );
}

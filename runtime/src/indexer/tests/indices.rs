//! Indices: built-in and added, typed and by name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::{Thing, entry, index_values, key, printed, store, version};
use crate::indexer::{
    Index, IndexErrorCause, IndexFunctionError, IndexLookupError, IndexName, IndexValue, Indexer,
    Write,
};
use crate::object::{ObjectKey, Requirement, Scope};

/// Number whose comparison panics for `nan`, and between 3 and 4, like `partial_cmp().unwrap()` of
/// an `f64`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Score(String);

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let pair = [self.0.as_str(), other.0.as_str()];
        assert!(!pair.contains(&"nan"), "not a number");
        assert!(pair != ["3", "4"] && pair != ["4", "3"], "no comparison");
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl IndexValue for Score {
    fn parse(text: &str) -> Option<Self> {
        Some(Self(text.to_owned()))
    }
}

fn names(indexer: &Indexer<Thing>) -> Vec<String> {
    indexer
        .index_names()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn i01_namespaced_stores_have_the_namespace_index_and_others_do_not() {
    let indexer = store(&["b/x@1", "a/y@2", "a/x@3"]);
    assert_eq!(names(&indexer), ["namespace"]);
    let keys = indexer.snapshot().index_keys("namespace", "a").unwrap();
    assert_eq!(printed(&keys), ["a/x", "a/y"]);
    assert_eq!(
        indexer.snapshot().by_index("namespace", "b").unwrap().len(),
        1
    );
    let values = indexer
        .snapshot()
        .list_index_func_values("namespace")
        .unwrap();
    assert_eq!(values, ["a", "b"]);
    let like = indexer
        .snapshot()
        .index_of("namespace", &entry("a/new@4"))
        .unwrap();
    assert_eq!(like.len(), 2);
    assert!(
        indexer
            .snapshot()
            .index_failures("namespace")
            .unwrap()
            .is_empty()
    );

    let cluster: Indexer<Thing> = Indexer::new(Scope::Cluster);
    assert_eq!(names(&cluster), [] as [&str; 0]);
    assert!(cluster.snapshot().by_index("namespace", "a").is_err());
}

#[test]
fn i04_an_object_asks_for_the_union_of_its_values() {
    let indexer = store(&["a/x@1 red round", "a/y@2 red", "a/z@3 round", "a/w@4 blue"]);
    let _ = index_values(&indexer);
    let like = |text: &str| indexer.snapshot().index_of("values", &entry(text)).unwrap();
    let object = |text: &str| indexer.get(&key(text)).unwrap();
    assert_eq!(
        like("b/new@9 round red"),
        [object("a/x"), object("a/y"), object("a/z")]
    );
    assert_eq!(like("b/new@9 blue"), [object("a/w")]);
    assert!(like("b/new@9").is_empty());

    let error = indexer
        .snapshot()
        .index_of("values", &entry("b/new@9 error"))
        .unwrap_err();
    assert!(matches!(error, IndexLookupError::Failed(_)));
    assert_eq!(
        error.to_string(),
        "index `values` has no values for object `b/new`"
    );
}

#[test]
fn i04_an_unknown_index_is_an_error() {
    let indexer = store(&["a/x@1"]);
    let snapshot = indexer.snapshot();
    let errors = [
        indexer.snapshot().by_index("no", "x").unwrap_err(),
        indexer.snapshot().index_keys("no", "x").unwrap_err(),
        indexer
            .snapshot()
            .index_of("no", &entry("a/x@1"))
            .unwrap_err(),
        indexer.snapshot().list_index_func_values("no").unwrap_err(),
        snapshot.index_failures("no").unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), "index with name `no` does not exist");
    }
    assert!(indexer.index::<String>("no").is_none());
}

#[test]
fn i05_a_name_is_given_once_and_a_conflict_adds_nothing() {
    let indexer = store(&["a/x@1 red"]);
    let reader = index_values(&indexer);
    let before = indexer.snapshot().generation();
    for (taken, over) in [("values", ""), ("namespace", ", over `metadata.namespace`")] {
        let added = indexer.add_index(taken, |_: &Thing| Ok(vec![0_u8]));
        let error = added.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("an index named `{taken}` exists already{over}")
        );
    }
    assert_eq!(indexer.snapshot().generation(), before);
    assert_eq!(names(&indexer), ["namespace", "values"]);
    assert_eq!(reader.get("red").len(), 1);

    let cluster: Indexer<Thing> = Indexer::new(Scope::Cluster);
    let added = cluster.add_index("namespace", |_: &Thing| Ok(vec![0_u8]));
    assert!(added.is_ok(), "cluster-scoped stores have no such index");
}

/// I-05, I-10: the writer does not wait for the values of stored objects, and its concurrent writes
/// are included.
#[test]
fn i05_a_slow_index_function_does_not_hold_up_the_writer() {
    let indexer = store(&["a/old@1 red", "a/gone@2 slow red"]);
    let (enter, entered) = mpsc::channel();
    let (leave, left) = mpsc::channel::<()>();
    let left = parking_lot::Mutex::new(left);
    let function = move |thing: &Thing| {
        if thing.values.contains(&"slow".to_owned()) {
            enter.send(()).unwrap();
            left.lock().recv().unwrap();
        }
        Ok(thing.values.clone())
    };
    std::thread::scope(|scope| {
        let adding = scope.spawn(|| indexer.add_index("values", function));
        entered.recv().unwrap();
        indexer.add(entry("a/old@3 blue"));
        indexer.add(entry("a/new@4 slow red"));
        indexer.delete(&key("a/gone"));
        leave.send(()).unwrap();

        entered.recv().unwrap();
        indexer.add(entry("a/old@5 green"));
        indexer.add(entry("a/newer@6 red"));
        indexer.delete(&key("a/new"));
        assert!(
            indexer.snapshot().by_index("values", "red").is_err(),
            "not added yet"
        );
        leave.send(()).unwrap();

        let reader = adding.join().unwrap().unwrap();
        assert_eq!(reader.values(), ["green", "red"]);
        assert_eq!(printed(&reader.keys("green")), ["a/old"]);
        assert_eq!(printed(&reader.keys("red")), ["a/newer"]);
    });
}

/// I-10: no index function runs while the writer's lock is held, also if an index is added between the
/// computation of an object's values and its write.
#[test]
fn i10_index_functions_run_without_the_lock() {
    fn values(
        store: &Indexer<Thing>,
    ) -> impl Fn(&Thing) -> Result<Vec<String>, IndexFunctionError> + use<> {
        let store = store.clone();
        move |thing| {
            assert!(!store.is_locked());
            Ok(thing.values.clone())
        }
    }

    let indexer = store(&["a/x@1 red"]);
    let (writing, first_values) = (indexer.clone(), values(&indexer));
    let first = indexer.add_index("first", move |thing: &Thing| {
        if thing.values == ["blue"] {
            // Fails but for the first time.
            _ = writing.add_index("second", values(&writing));
        }
        first_values(thing)
    });
    let first = first.unwrap();
    indexer.add(entry("a/y@2 blue"));
    let second = indexer.index::<String>("second").unwrap();
    assert_eq!(second.values(), ["blue", "red"]);
    let write = Write::Insert(entry("a/z@3 green"));
    indexer.write_batch([Ok::<_, ()>(write)]).unwrap();
    assert_eq!(second.values(), ["blue", "green", "red"]);
    indexer.replace(vec![entry("a/x@1 red"), entry("a/z@4 grey")], version("4"));
    for index in [first, second] {
        assert_eq!(index.values(), ["grey", "red"]);
        let snapshot = indexer.snapshot();
        assert!(index.in_snapshot(&snapshot).unwrap().failures().is_empty());
    }
}

/// I-05, I-10: a write does not wait for the values of another write.
#[test]
fn i10_a_slow_index_function_delays_no_other_write() {
    let indexer = store(&[]);
    let (enter, entered) = mpsc::channel();
    let (leave, left) = mpsc::channel::<()>();
    let left = parking_lot::Mutex::new(left);
    let added = indexer.add_index("values", move |thing: &Thing| {
        if thing.values == ["slow"] {
            enter.send(()).unwrap();
            left.lock().recv().unwrap();
        }
        Ok(thing.values.clone())
    });
    let reader = added.unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| indexer.add(entry("a/slow@1 slow")));
        entered.recv().unwrap();
        indexer.add(entry("a/fast@2 fast"));
        assert_eq!(reader.values(), ["fast"]);
        leave.send(()).unwrap();
    });
    assert_eq!(reader.values(), ["fast", "slow"]);
}

#[test]
fn i06_a_failing_function_costs_one_object_in_one_index() {
    let indexer = store(&["a/ok@1 red", "a/late@2 red"]);
    let reader = index_values(&indexer);
    let other = indexer.add_index("count", |thing: &Thing| Ok(vec![thing.values.len()]));
    let other = other.unwrap();

    indexer.add(entry("a/bad@3 red error"));
    indexer.add(entry("a/late@4 red panic"));
    assert_eq!(
        printed(&indexer.list_keys()),
        ["a/bad", "a/late", "a/ok"],
        "stored"
    );
    assert_eq!(
        printed(&reader.keys("red")),
        ["a/ok"],
        "no values of an older version"
    );
    assert_eq!(printed(&other.keys(&2)), ["a/bad", "a/late"]);

    let snapshot = indexer.snapshot();
    let failures = snapshot.index_failures("values").unwrap();
    assert_eq!(printed(failures.keys()), ["a/bad", "a/late"]);
    assert!(failures.contains(&key("a/bad")) && failures.len() == 2 && failures.total() == 2);
    let [failed, panicked] = failures.latest() else {
        panic!("{failures:?}");
    };
    assert_eq!((&failed.index, &failed.key), (reader.name(), &key("a/bad")));
    assert_eq!(failed.cause.to_string(), "no values for this");
    assert!(matches!(&panicked.cause, IndexErrorCause::Panicked));
    assert!(!format!("{panicked:?} {}", panicked.cause).contains("at all"));
    assert!(snapshot.index_failures("count").unwrap().is_empty());

    indexer.add(entry("a/bad@5 blue"));
    indexer.delete(&key("a/late"));
    let failures = indexer.snapshot().index_failures("values").unwrap();
    assert!(failures.is_empty() && failures.latest().is_empty() && failures.total() == 2);
    assert_eq!(printed(&reader.keys("blue")), ["a/bad"]);
}

/// Error of an index function, with a source.
#[derive(Debug, thiserror::Error)]
#[error("the first value is not a number")]
struct NoNumber(#[source] std::num::ParseIntError);

/// I-06: the error chain repeats nothing, and `Debug` of the failures prints counts and latest
/// errors.
#[test]
fn i06_a_failure_tells_its_causes_once_each() {
    let indexer = store(&["a/x@1 one"]);
    let reader = indexer
        .add_index("numbers", |thing: &Thing| {
            let number = thing.values[0].parse::<u8>();
            Ok(vec![number.map_err(NoNumber)?])
        })
        .unwrap();
    let snapshot = indexer.snapshot();
    let failures = reader.in_snapshot(&snapshot).unwrap().failures();
    assert!(!failures.is_empty());
    assert!(failures.contains(&key("a/x")) && !failures.contains(&key("a/y")));
    let error = &*failures.latest()[0];
    let chain = std::iter::successors(Some(error as &dyn std::error::Error), |error| {
        error.source()
    });
    assert_eq!(
        chain.map(ToString::to_string).collect::<Vec<_>>(),
        [
            "index `numbers` has no values for object `a/x`",
            "the first value is not a number",
            "invalid digit found in string",
        ]
    );
    let printed = format!("{failures:?}");
    assert!(printed.starts_with("IndexFailures { len: 1, total: 1, latest: [IndexError {"));
}

/// I-06: the number of kept errors is bounded; the keys of all failing objects are kept.
#[test]
fn i06_the_errors_that_are_kept_are_bounded() {
    let indexer = store(&[]);
    let reader = index_values(&indexer);
    for number in 0..100 {
        indexer.add(entry(&format!("a/{number:02}@{} error", number + 1)));
    }
    indexer.add(entry("a/99@101 error"));
    let snapshot = indexer.snapshot();
    let failures = reader.in_snapshot(&snapshot).unwrap().failures();
    assert_eq!(
        (failures.len(), failures.total(), failures.latest().len()),
        (100, 101, 32)
    );
    let latest: Vec<_> = failures.latest().iter().map(|e| e.key.name()).collect();
    assert_eq!((latest[0], latest[31]), ("68", "99"));
}

/// Work count: an index function runs once per stored version, and never for a delete or a read.
#[test]
fn a_function_runs_once_per_version() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let indexer = store(&["a/x@1", "a/y@2"]);
    let reader = indexer.add_index("calls", move |_: &Thing| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(vec![true])
    });
    let reader = reader.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    indexer.add(entry("a/x@3"));
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    indexer.delete(&key("a/x"));
    assert_eq!(reader.get(&true).len(), 1);
    assert_eq!(
        indexer.snapshot().by_index("calls", "true").unwrap().len(),
        1
    );
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}

/// S-08: reads through a typed index equal reads by name.
#[test]
fn s08_an_index_is_found_by_name_and_type() {
    let indexer = store(&["a/x@1 red blue", "a/y@2 red"]);
    let count = indexer.add_index("count", |thing: &Thing| Ok(vec![thing.values.len()]));
    let again: Index<_, usize> = indexer.index("count").unwrap();
    assert_eq!(again.get(&2), count.unwrap().get(&2));
    assert_eq!(
        again.get(&2),
        indexer.snapshot().by_index("count", "2").unwrap()
    );
    assert!(
        indexer
            .snapshot()
            .by_index("count", "two")
            .unwrap()
            .is_empty(),
        "parses to no value"
    );
    assert!(indexer.index::<String>("count").is_none());
}

/// An index name equals its text, also as a key of a map.
#[test]
fn an_index_name_equals_its_text() {
    let name = IndexName::from("by-node");
    assert_eq!(AsRef::<str>::as_ref(&name), "by-node");
    assert!(name == "by-node" && name != "by-host");
    assert_eq!(format!("{name} {name:?}"), r#"by-node "by-node""#);
    let names = std::collections::HashSet::from([name]);
    assert!(names.contains("by-node"));
}

#[test]
fn index_values_print_and_parse_back() {
    fn check<V: IndexValue + std::fmt::Debug>(value: V) {
        assert_eq!(V::parse(&value.to_string()), Some(value));
    }
    check(String::from("text"));
    check(Arc::<str>::from("text"));
    check(ObjectKey::namespaced("a", "b"));
    check(true);
    check(-3_i64);
    check(u16::MAX);
    assert_eq!(bool::parse("maybe"), None);
    assert_eq!(u8::parse("256"), None);
    assert_eq!(IndexName::from("spec.nodeName"), "spec.nodeName");
}

/// E-15, I-06: a value whose comparison panics removes its object from that index only, wherever
/// the comparison happens.
#[test]
fn e15_a_value_that_does_not_compare_costs_its_object_only() {
    let indexer = store(&["a/first@1 nan", "a/one@2 1"]);
    let scores = indexer
        .add_index("scores", |thing: &Thing| {
            Ok(thing.values.iter().cloned().map(Score).collect())
        })
        .unwrap();
    let values = index_values(&indexer);
    let check = |expected: &[&str], failed: &[&str]| {
        let found: Vec<String> = scores.values().iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
        let snapshot = indexer.snapshot();
        let failures = snapshot.index_failures("scores").unwrap();
        assert_eq!(printed(failures.keys()), failed);
        for failure in failures.latest() {
            assert!(matches!(failure.cause, IndexErrorCause::Panicked));
        }
        assert!(snapshot.index_failures("values").unwrap().is_empty());
    };
    check(&["1"], &["a/first"]);
    // The comparison panics with another value of the same object, and with a value of another
    // object.
    indexer.add(entry("a/many@3 2 nan 5"));
    indexer.add(entry("a/three@4 3"));
    check(&["1", "3"], &["a/first", "a/many"]);
    indexer.add(entry("a/four@5 4"));
    check(&["1", "3"], &["a/first", "a/four", "a/many"]);
    // A failed update removes the values of the previous version; a later update restores the
    // object.
    indexer.add(entry("a/one@6 0 4"));
    check(&["3"], &["a/first", "a/four", "a/many", "a/one"]);
    indexer.add(entry("a/one@7 1"));
    indexer.add(entry("a/first@8 2"));
    check(&["1", "2", "3"], &["a/four", "a/many"]);
    indexer.delete(&key("a/three"));
    indexer.add(entry("a/four@9 4"));
    indexer.delete(&key("a/many"));
    check(&["1", "2", "4"], &[]);
    assert_eq!(printed(&scores.keys(&Score("4".to_owned()))), ["a/four"]);
    assert_eq!(printed(&values.keys("4")), ["a/four"]);
}

/// E-15, I-06: if the comparison of one of several values panics, the values before it are removed.
#[test]
fn e15_a_value_that_does_not_compare_takes_those_before_it_along() {
    let indexer = store(&["a/one@1 1", "a/two@2 2"]);
    let scores = indexer
        .add_index("scores", |thing: &Thing| {
            Ok(thing.values.iter().cloned().map(Score).collect())
        })
        .unwrap();
    // 3 and 35 are already in the index when 4 is compared with 3.
    indexer.add(entry("a/many@3 3 35 4"));
    let values: Vec<String> = scores.values().iter().map(ToString::to_string).collect();
    assert_eq!(values, ["1", "2"]);
    let snapshot = indexer.snapshot();
    let failures = snapshot.index_failures("scores").unwrap();
    assert_eq!(printed(failures.keys()), ["a/many"]);
}

/// I-06: a list does not use a label index that lacks an object because its function panicked.
#[test]
fn i06_an_incomplete_label_index_is_not_used() {
    let indexer = store(&["a/x@1 web", "a/y@2 web"]);
    let index = indexer.add_label_index("app", |handle, _| {
        let value = handle.values.first()?;
        assert_ne!(value, "panics");
        Some(value.clone())
    });
    let index = index.unwrap();
    let equals = [Requirement::equals("app", "web").unwrap()];
    let keys = || {
        let snapshot = indexer.snapshot();
        let (_, found) = snapshot.narrowest(&equals, None)?;
        Some(found.map(|entry| entry.key.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(keys().unwrap(), ["a/x", "a/y"]);
    indexer.add(entry("a/y@3 panics"));
    assert_eq!((keys(), index.get("web").len()), (None, 1));
    indexer.add(entry("a/y@4 db"));
    assert_eq!(keys().unwrap(), ["a/x"]);
}

/// I-05: a label index is added once, and never replaces an index that a user gave its name.
#[test]
fn i05_the_index_of_a_label_is_added_once() {
    let indexer = store(&["a/x@1 web"]);
    let first = indexer.add_label_index("app", |_, _| Some("first".to_owned()));
    let second = indexer.add_label_index("app", |_, _| Some("second".to_owned()));
    assert_eq!(first.unwrap().values(), second.unwrap().values());
    let name = IndexName::of_label("tier");
    let users = indexer.add_index(name, |_| Ok(vec!["web".to_owned()]));
    users.unwrap();
    assert!(indexer.add_label_index("tier", |_, _| None).is_err());
    let equals = [Requirement::equals("tier", "web").unwrap()];
    assert!(indexer.snapshot().narrowest(&equals, None).is_none());
}

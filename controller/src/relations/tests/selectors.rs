//! The index of selectors against a scan, and the candidates that a look-up examines.

use std::collections::BTreeMap;
use std::sync::Arc;

use informer_runtime::indexer::Indexer;
use informer_runtime::{Entry, Object, ResourceVersion, Scope, Selector, Typed};
use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{key_of, map, object};
use crate::private::path;
use crate::relations::selection::SelectorIndex;
use crate::relations::{LabelSelection, selecting};

const BUDGETS: LabelSelection<PodDisruptionBudget, Pod> =
    LabelSelection::new("selecting", path!(.spec[].selector[]));

fn store<K: Object>(scope: Scope, objects: &[Value]) -> Indexer<K> {
    let version = ResourceVersion::new("1");
    let entries = objects.iter().map(|object| {
        let decoded: K = serde_json::from_value(object.clone()).unwrap();
        Entry::new(key_of(object), version.clone(), Arc::new(decoded))
    });
    let indexer = Indexer::new(scope);
    indexer.replace(entries.collect(), version.clone());
    indexer
}

fn budget(key: &str, selector: &Value) -> Value {
    object(key, "", json!({ "selector": selector }))
}

fn pod(key: &str, labels: &str) -> Pod {
    serde_json::from_value(object(key, labels, json!({"containers": []}))).unwrap()
}

fn names(budgets: &[Arc<PodDisruptionBudget>]) -> Vec<&str> {
    let names = budgets.iter().map(|budget| budget.metadata.name.as_deref());
    names.map(Option::unwrap_or_default).collect()
}

/// G-05.
#[test]
fn a_look_up_examines_few_of_many_selectors() {
    let budgets: Vec<Value> = (0..10_000)
        .map(|number| {
            let labels =
                json!({"app.kubernetes.io/part-of": "shop", "app": format!("web-{number}")});
            budget(&format!("a/{number}"), &json!({ "matchLabels": labels }))
        })
        .collect();
    let indexer = store(Scope::Namespaced, &budgets);
    let index =
        SelectorIndex::<PodDisruptionBudget, Pod, Typed>::new(&indexer, Scope::Namespaced, BUDGETS);
    let labels = [
        ("app", "web-7"),
        ("app.kubernetes.io/part-of", "shop"),
        ("pod", "x"),
    ];
    let snapshot = indexer.snapshot();
    assert_eq!(index.candidates(&snapshot, Some("a"), &labels).len(), 1);
    assert_eq!(names(&index.selecting(Some("a"), &labels)), ["7"]);
    assert_eq!(index.candidates(&snapshot, Some("b"), &labels).len(), 0);
}

#[test]
fn a_cluster_scoped_object_selects_in_all_namespaces() {
    // No kind of Kubernetes does, but custom resources do.
    const ALL: LabelSelection<Node, Pod> = LabelSelection::new("selecting", |node: &Node| {
        let labels = node.metadata.labels.clone().unwrap_or_default();
        Selector::from_labels(labels).into_iter().collect()
    });
    let nodes = [
        object("n1", "app=web", json!({})),
        object("n2", "app=db", json!({})),
    ];
    let indexer: Indexer<Node> = store(Scope::Cluster, &nodes);
    for namespace in ["a", "b"] {
        let pod = pod(&format!("{namespace}/x"), "app=web");
        let found = selecting::<Node, Pod, Typed>(&indexer, Scope::Cluster, &ALL, &pod);
        assert_eq!(found.len(), 1);
    }
}

fn requirement() -> impl Strategy<Value = Value> {
    let values = prop::collection::vec(prop::sample::select(&["x", "y", "longer"][..]), 1..3);
    let key = prop::sample::select(&["a", "b", "c"][..]);
    let operator = prop::sample::select(&["In", "NotIn", "Exists", "DoesNotExist"][..]);
    (key, operator, values).prop_map(|(key, operator, values)| {
        let values = if operator.ends_with("In") {
            values
        } else {
            Vec::new()
        };
        json!({"key": key, "operator": operator, "values": values})
    })
}

proptest! {
    /// G-05.
    #[test]
    fn all_operators_select_what_a_scan_selects(
        selectors in prop::collection::vec(prop::collection::vec(requirement(), 0..4), 0..12),
        labels in prop::collection::vec(
            prop::sample::select(&["a=x", "a=y", "b=x", "b=longer", "c=y"][..]), 0..4,
        ),
    ) {
        let selectors: Vec<Value> = selectors
            .iter()
            .map(|requirements| json!({ "matchExpressions": requirements }))
            .collect();
        let budgets = selectors.iter().enumerate();
        let budgets: Vec<Value> = budgets
            .map(|(number, selector)| budget(&format!("ns/{number:02}"), selector))
            .collect();
        let indexer = store(Scope::Namespaced, &budgets);
        let labels = labels.join(",");
        let found = selecting::<PodDisruptionBudget, Pod, Typed>(
            &indexer, Scope::Namespaced, &BUDGETS, &pod("ns/p", &labels),
        );
        let labels: BTreeMap<String, String> =
            map(&labels).into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        let matching = selectors.iter().enumerate().filter(|(_, selector)| {
            let selector: LabelSelector = serde_json::from_value((*selector).clone()).unwrap();
            Selector::try_from(&selector).unwrap().matches(&labels)
        });
        let expected: Vec<String> = matching.map(|(number, _)| format!("{number:02}")).collect();
        prop_assert_eq!(names(&found), expected);
    }
}

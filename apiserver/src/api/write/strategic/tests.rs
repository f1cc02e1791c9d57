use serde_json::{Value, json};

use super::apply;
use crate::registry::models::built_in;

const POD: &str = "io.k8s.api.core.v1.PodSpec";
const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// Patches a document with this schema.
#[track_caller]
fn check(schema: &str, mut document: Value, patch: &Value, expected: &Value) {
    let schema = Some(built_in(schema).unwrap());
    apply(&mut document, patch, schema).unwrap();
    assert_eq!(&document, expected);
}

#[test]
fn maps_merge_and_null_removes() {
    check(
        POD,
        json!({ "a": { "b": 1, "c": 2 }, "d": 3 }),
        &json!({ "a": { "b": null, "e": 4 }, "d": null }),
        &json!({ "a": { "c": 2, "e": 4 } }),
    );
}

#[test]
fn lists_with_a_key_merge_by_it_and_new_elements_come_first() {
    check(
        POD,
        json!({ "containers": [
            { "name": "a", "image": "1", "env": [{ "name": "x", "value": "1" }] },
            { "name": "b", "image": "1" },
        ]}),
        &json!({ "containers": [
            { "name": "a", "env": [{ "name": "y", "value": "2" }] },
            { "name": "c", "image": "3" },
        ]}),
        &json!({ "containers": [
            { "name": "a", "image": "1", "env": [
                { "name": "y", "value": "2" }, { "name": "x", "value": "1" },
            ]},
            { "name": "c", "image": "3" },
            { "name": "b", "image": "1" },
        ]}),
    );
}

#[test]
fn ports_of_containers_and_of_services_have_different_keys() {
    check(
        "io.k8s.api.core.v1.Container",
        json!({ "ports": [{ "containerPort": 80, "name": "web" }] }),
        &json!({ "ports": [{ "containerPort": 80, "protocol": "UDP" }] }),
        &json!({ "ports": [{ "containerPort": 80, "name": "web", "protocol": "UDP" }] }),
    );
    check(
        "io.k8s.api.core.v1.ServiceSpec",
        json!({ "ports": [{ "port": 80, "targetPort": 1 }] }),
        &json!({ "ports": [{ "port": 80, "targetPort": 2 }] }),
        &json!({ "ports": [{ "port": 80, "targetPort": 2 }] }),
    );
}

#[test]
fn atomic_lists_are_replaced_and_sets_are_united() {
    check(
        POD,
        json!({ "tolerations": [{ "key": "a" }] }),
        &json!({ "tolerations": [{ "key": "b" }] }),
        &json!({ "tolerations": [{ "key": "b" }] }),
    );
    check(
        META,
        json!({ "finalizers": ["a", "b"] }),
        &json!({ "finalizers": ["c", "a"] }),
        &json!({ "finalizers": ["c", "a", "b"] }),
    );
}

#[test]
fn elements_and_maps_are_deleted_and_replaced_by_directive() {
    check(
        POD,
        json!({ "volumes": [{ "name": "a" }, { "name": "b" }] }),
        &json!({ "volumes": [{ "name": "a", "$patch": "delete" }] }),
        &json!({ "volumes": [{ "name": "b" }] }),
    );
    check(
        POD,
        json!({ "volumes": [{ "name": "a" }, { "name": "b" }] }),
        &json!({ "volumes": [{ "$patch": "replace" }, { "name": "c" }] }),
        &json!({ "volumes": [{ "name": "c" }] }),
    );
    check(
        META,
        json!({ "labels": { "a": "1", "b": "2" } }),
        &json!({ "labels": { "$patch": "replace", "c": "3" } }),
        &json!({ "labels": { "c": "3" } }),
    );
}

#[test]
fn sets_lose_elements_and_lists_are_ordered_by_directive() {
    check(
        META,
        json!({ "finalizers": ["a", "b", "c"] }),
        &json!({
            "$deleteFromPrimitiveList/finalizers": ["b"],
            "$setElementOrder/finalizers": ["c", "a"],
        }),
        &json!({ "finalizers": ["c", "a"] }),
    );
    check(
        POD,
        json!({ "containers": [{ "name": "a" }, { "name": "b" }] }),
        &json!({
            "$setElementOrder/containers": [{ "name": "b" }, { "name": "a" }],
            "containers": [{ "name": "b", "image": "2" }],
        }),
        &json!({ "containers": [{ "name": "b", "image": "2" }, { "name": "a" }] }),
    );
}

#[test]
fn only_retained_keys_are_kept() {
    check(
        "io.k8s.api.apps.v1.DeploymentSpec",
        json!({ "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1 } } }),
        &json!({ "strategy": { "$retainKeys": ["type"], "type": "Recreate" } }),
        &json!({ "strategy": { "type": "Recreate" } }),
    );
}

#[test]
fn directives_in_new_values_are_removed() {
    check(
        "io.k8s.api.core.v1.Pod",
        json!({}),
        &json!({ "spec": { "$retainKeys": ["a"], "a": [{ "b": 1 }], "volumes": [
            { "name": "x", "$patch": "delete" },
        ]}}),
        &json!({ "spec": { "a": [{ "b": 1 }], "volumes": [] } }),
    );
}

#[test]
fn an_unknown_directive_is_rejected() {
    let error = apply(
        &mut json!({ "a": {} }),
        &json!({ "a": { "$patch": "twist" } }),
        None,
    )
    .unwrap_err();
    assert_eq!(error.code(), 400);
    let error = apply(&mut json!({}), &json!([]), None).unwrap_err();
    assert_eq!(error.code(), 400);
}

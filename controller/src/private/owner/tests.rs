use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::json;

use super::*;

fn pod(owners: &serde_json::Value) -> Pod {
    let metadata = json!({"name": "p", "namespace": "default", "ownerReferences": owners});
    serde_json::from_value(json!({"metadata": metadata})).unwrap()
}

#[test]
fn the_controller_is_the_owner_with_controller_true() {
    let pod = pod(&json!([
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "1"},
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "2",
         "controller": true},
    ]));
    assert_eq!(controller_uid(&pod), ["2"]);
    assert_eq!(
        controller_of::<ReplicaSet, _>(&pod),
        [ObjectKey::namespaced("default", "web")]
    );
    assert_eq!(controller_of::<Node, _>(&pod), []);
}

#[test]
fn the_key_of_a_cluster_scoped_owner_has_no_namespace() {
    let pod = pod(&json!([
        {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1", "controller": true},
    ]));
    assert_eq!(controller_of::<Node, _>(&pod), [ObjectKey::cluster("n")]);
}

#[test]
fn objects_without_a_controller_are_not_indexed() {
    assert_eq!(controller_uid(&Pod::default()), [""; 0]);
    assert_eq!(controller_of::<ReplicaSet, _>(&Pod::default()), []);
}

//! Keys and selectors that generated functions read.

use informer_runtime::{Object, ObjectKey, Selector};
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Secret, Service, ServiceAccount};
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::core::DynamicObject;
use serde_json::{Value, json};

use crate::private::{self, Beside, Keys, Named, json_keys, json_selectors, path};
use crate::relations::Reference;

fn keys<K: Object, T>(reference: Reference<K, T>, object: &Value) -> Vec<String> {
    let object: K = serde_json::from_value(object.clone()).unwrap();
    let keys = reference.keys(&object);
    keys.iter().map(ObjectKey::to_string).collect()
}

/// G-07: The elements of a list keep their own namespace and kind.
#[test]
fn each_place_has_its_own_namespace_and_kind() {
    let accounts: Reference<ClusterRoleBinding, ServiceAccount> =
        Reference::new("by_service_account", |object| {
            let mut keys = Keys::<ServiceAccount>::of(object);
            for place in path!(places object, .subjects[]) {
                let names = Named::new(path!(values place, .name[]));
                let names = names.namespaces(path!(values place, .namespace[]));
                keys.add(names.kinds(path!(values place, .kind[])));
            }
            keys.into_vec()
        });
    let binding = json!({
        "metadata": {"name": "b"},
        "roleRef": {"apiGroup": "", "kind": "ClusterRole", "name": "r"},
        "subjects": [
            {"kind": "ServiceAccount", "name": "x", "namespace": "a"},
            {"kind": "ServiceAccount", "name": "y", "namespace": "b"},
            {"kind": "ServiceAccount", "name": "nowhere"},
            {"kind": "User", "name": "z"},
        ],
    });
    assert_eq!(keys(accounts, &binding), ["a/x", "b/y"]);
}

/// G-07.
#[test]
fn a_namespace_outside_of_the_list_belongs_to_all_names() {
    let accounts: Reference<ClusterRoleBinding, ServiceAccount> =
        Reference::new("by_service_account", |object| {
            let mut keys = Keys::<ServiceAccount>::of(object);
            for place in path!(places object, .subjects[]) {
                let names = Named::new(path!(values place, .name[]));
                let names = names.namespaces(path!(values object, .role_ref.name[]));
                keys.add(names.kinds(path!(values place, .kind[])));
            }
            keys.into_vec()
        });
    let binding = json!({
        "metadata": {"name": "b"},
        "roleRef": {"apiGroup": "", "kind": "ClusterRole", "name": "r"},
        "subjects": [{"kind": "User", "name": "x"}, {"kind": "ServiceAccount", "name": "y"}],
    });
    assert_eq!(keys(accounts, &binding), ["r/y"]);
}

/// G-07.
#[test]
fn a_cluster_scoped_object_is_named_without_a_namespace_and_an_empty_name_is_none() {
    use k8s_openapi::api::core::v1::Pod;

    let nodes: Reference<Pod, Node> = Reference::new("by_node", |object| {
        private::keys::<Node, _>(object, path!(values object, .spec[].node_name[]))
    });
    let pod = |node: &str| json!({"metadata": {"name": "p", "namespace": "a"}, "spec": {"containers": [], "nodeName": node}});
    assert_eq!(keys(nodes, &pod("n1")), ["n1"]);
    assert_eq!(keys(nodes, &pod("")), [""; 0]);
}

#[test]
fn a_name_in_the_metadata_is_a_reference_too() {
    let claims: Reference<Secret, PersistentVolumeClaim> = Reference::new("by_claim", |object| {
        let names = path!(values object, metadata.annotations[]["claim"][]);
        private::keys::<PersistentVolumeClaim, _>(object, names)
    });
    let secret =
        json!({"metadata": {"name": "s", "namespace": "a", "annotations": {"claim": "c"}}});
    assert_eq!(keys(claims, &secret), ["a/c"]);
}

/// G-08.
#[test]
fn members_of_dynamic_objects_are_read_as_fields_are() {
    let object: DynamicObject = serde_json::from_value(json!({
        "metadata": {"name": "x", "namespace": "own"},
        "spec": {
            "secretName": "s",
            "refs": [
                {"kind": "Deployment", "name": "d", "namespace": "other"},
                {"kind": "Deployment", "name": "e"},
                {"kind": "ReplicaSet", "name": "f"},
            ],
            "selector": {"matchLabels": {"app": "web"}},
            "labels": {"app": "db"},
        },
    }))
    .unwrap();
    let texts =
        |keys: Vec<ObjectKey>| -> Vec<String> { keys.iter().map(ObjectKey::to_string).collect() };
    let secrets = json_keys::<Secret>(&object, &["spec"], &["secretName"], None, None);
    assert_eq!(texts(secrets), ["own/s"]);
    let refs = ["spec", "refs"];
    let namespace = Some(Beside::Name(&["namespace"]));
    let kind = Some(Beside::Name(&["kind"]));
    let deployments = json_keys::<Deployment>(&object, &refs, &["name"], namespace, kind);
    assert_eq!(texts(deployments), ["other/d", "own/e"]);
    // A field outside of the list belongs to all names.
    let elsewhere = Some(Beside::Object(&["spec", "secretName"]));
    let deployments = json_keys::<Deployment>(&object, &refs, &["name"], elsewhere, kind);
    assert_eq!(texts(deployments), ["s/d", "s/e"]);
    let sets = json_keys::<ReplicaSet>(&object, &refs, &["name"], None, kind);
    assert_eq!(texts(sets), ["own/f"]);

    let selectors = |path: &[&str]| -> Vec<String> {
        json_selectors(&object, path)
            .iter()
            .map(Selector::to_string)
            .collect()
    };
    assert_eq!(selectors(&["spec", "selector"]), ["app=web"]);
    assert_eq!(selectors(&["spec", "labels"]), ["app=db"]);
    assert_eq!(selectors(&["spec", "none"]), [""; 0]);
    assert_eq!(selectors(&["spec", "secretName"]), [""; 0]);
}

/// G-06.
#[test]
fn a_label_selector_that_is_empty_selects_all_and_one_that_is_invalid_selects_nothing() {
    let selectors: fn(&Deployment) -> Vec<Selector> = path!(.spec[].selector[]);
    let of = |selector: Value| {
        let spec = json!({"selector": selector, "template": {}});
        let deployment = json!({"metadata": {"name": "d"}, "spec": spec});
        let deployment: Deployment = serde_json::from_value(deployment).unwrap();
        selectors(&deployment)
    };
    let of_services: fn(&Service) -> Vec<Selector> = path!(.spec[].selector[]);
    let service = json!({ "metadata": {}, "spec": {} });
    assert!(of_services(&serde_json::from_value(service).unwrap()).is_empty());
    assert_eq!(of(json!({})), [Selector::everything()]);
    assert_eq!(
        of(json!({"matchLabels": {"a b": "c"}})),
        [Selector::nothing()]
    );
    let expression = json!({"key": "app", "operator": "In", "values": ["a", "b"]});
    let [selector] = of(json!({"matchExpressions": [expression]}))
        .try_into()
        .unwrap();
    assert_eq!(selector.to_string(), "app in (a,b)");
}

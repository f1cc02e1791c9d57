//! Every built-in kind is equal in both storages.

use std::error::Error;
use std::fmt;

use k8s_openapi::api::{
    admissionregistration, apps, autoscaling, batch, certificates, coordination, core, discovery,
    events, flowcontrol, networking, node, policy, rbac, resource, scheduling, storage,
    storagemigration,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration;
use kube::Resource;
use serde::Serialize;
use serde_json::{Value, json};

use informer_runtime::wire::RawObject;
use informer_runtime::{Object, ObjectKey, Packed, PackedObject, Storage, Typed};

/// Packs the object, with and without a dictionary. Checks that key, label and decoded object equal
/// those of typed storage.
fn check<K>(object: &Value) -> Result<(), Box<dyn Error>>
where
    K: Object + Serialize + PartialEq + fmt::Debug,
{
    let storage = Packed::new();
    let raw = RawObject::from_value(object)?;
    let typed = Typed.make_handle(&raw, None)?;
    // The first objects become the dictionary.
    for number in 0..40 {
        let packed: PackedObject<K> = storage.make_handle(&raw, None)?;
        if number % 39 > 0 {
            continue;
        }
        assert_eq!(packed.decode()?, typed);
        assert_eq!(packed.key(), &ObjectKey::of(&*typed));
        let label = <Typed as Storage<K>>::label(&typed, "app");
        assert_eq!(packed.label("app"), label);
    }
    // An object serialized from its type decodes, too.
    let written = RawObject::from_value(&*typed)?;
    let packed: PackedObject<K> = storage.make_handle(&written, None)?;
    assert_eq!(packed.decode()?, typed);
    Ok(())
}

/// Returns a minimal object of this kind, as an API server writes it.
fn minimal<K: Resource<DynamicType = ()>>() -> Value {
    json!({
        "kind": K::kind(&()),
        "apiVersion": K::api_version(&()),
        "metadata": {
            "name": "minimal", "namespace": "ns", "resourceVersion": "1",
            "uid": "0c8de0a6-4d0f-4f3a-9a3c-000000000001",
            "creationTimestamp": "2026-03-04T09:12:41Z",
            "labels": {"app": "web", "tier": "\u{e9}\""},
        },
    })
}

macro_rules! kinds {
    ($($kind:ty),+ $(,)?) => {
        [$((stringify!($kind), (|| check::<$kind>(&minimal::<$kind>())) as fn() -> Result<(), Box<dyn Error>>)),+]
    };
}

/// I-14: every kind that has a stable version.
#[test]
fn i14_every_built_in_kind_is_equal_in_both_storages() {
    let kinds = built_in_kinds!(kinds);
    for (kind, check) in kinds {
        check().unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

/// I-14: complete objects, as API servers write them.
#[test]
fn i14_whole_objects_are_equal_in_both_storages() -> Result<(), Box<dyn Error>> {
    let metadata = || minimal::<core::v1::Pod>()["metadata"].clone();
    let template = json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {
            "containers": [{
                "name": "main", "image": "web:1", "ports": [{"containerPort": 80, "name": "http"}],
                "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom":
                    {"secretKeyRef": {"name": "s", "key": "k", "optional": true}}}],
                "resources": {"limits": {"cpu": "100m"}, "requests": {"memory": "64Mi"}},
                "livenessProbe": {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 10},
            }],
            "volumes": [{"name": "v", "projected": {"sources": [{"configMap": {"name": "c"}}]}}],
            "tolerations": [{"operator": "Exists", "tolerationSeconds": 300}],
        },
    });
    let replicas = json!({
        "replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template,
        "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
    });
    let conditions = json!([{"type": "Available", "status": "True",
        "lastTransitionTime": "2026-03-04T09:12:41Z", "reason": "r", "message": "\u{1f600} \\ \n"}]);
    check::<core::v1::Pod>(&json!({"metadata": metadata(), "spec": template["spec"],
        "status": {"phase": "Running", "conditions": conditions, "podIPs": [{"ip": "::1"}]}}))?;
    check::<apps::v1::Deployment>(&json!({"metadata": metadata(), "spec": replicas,
        "status": {"observedGeneration": 9_007_199_254_740_993_i64, "conditions": conditions}}))?;
    check::<core::v1::Secret>(
        &json!({"metadata": metadata(), "type": "Opaque", "immutable": true,
        "data": {"key": "AAEC/w==", "": ""}}),
    )?;
    check::<core::v1::Service>(
        &json!({"metadata": metadata(), "spec": {"clusterIP": "None",
        "ports": [{"port": 80, "targetPort": "http"}, {"port": 81, "targetPort": 8081}]}}),
    )?;
    check::<discovery::v1::EndpointSlice>(&json!({"metadata": metadata(), "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": true},
            "targetRef": {"kind": "Pod", "name": "p"}, "zone": "a"}],
        "ports": [{"name": "", "port": 80, "protocol": "TCP"}]}))?;
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-int-or-string": true,
        "properties": {"spec": {"type": "object", "additionalProperties": {"type": "string"},
            "default": {"a": [1, 2.5, null]}}}}});
    check::<apiextensions::v1::CustomResourceDefinition>(
        &json!({"metadata": metadata(), "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"kind": "Foo", "plural": "foos"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]}}),
    )?;
    Ok(())
}

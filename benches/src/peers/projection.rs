//! A user's projection of Pods, for a controller that reads eight of their fields.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::{Deserialize, Serialize};

/// Placement and state of a Pod.
#[derive(Resource, Serialize, Deserialize, Clone, Debug)]
#[resource(inherit = Pod)]
pub(crate) struct PodSummary {
    /// The whole metadata, which kube requires.
    metadata: ObjectMeta,
    spec: Spec,
    status: Status,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
struct Spec {
    node_name: Option<String>,
    service_account_name: Option<String>,
    priority: Option<i32>,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
struct Status {
    phase: Option<String>,
    #[serde(rename = "podIP")]
    pod_ip: Option<String>,
    #[serde(rename = "hostIP")]
    host_ip: Option<String>,
    start_time: Option<Time>,
}

#[cfg(test)]
mod tests {
    use informer_runtime::wire::RawObject;

    use super::*;

    #[test]
    fn each_field_is_read_from_both_encodings() {
        let json = crate::pod_json(7);
        let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let protobuf = informer_protobuf::to_vec(&value).unwrap();
        let from_json: PodSummary = RawObject::json(json).unwrap().decode().unwrap();
        let from_protobuf: PodSummary = informer_protobuf::from_slice(&protobuf).unwrap();
        let [from_json, from_protobuf] =
            [from_json, from_protobuf].map(|pod| serde_json::to_value(pod).unwrap());
        assert_eq!(from_json["spec"], from_protobuf["spec"]);
        assert_eq!(from_json["status"], from_protobuf["status"]);
        for part in ["spec", "status"] {
            for (name, field) in from_json[part].as_object().unwrap() {
                assert_eq!(*field, value[part][name], "{part}.{name}");
                assert!(
                    !field.is_null(),
                    "the Pods of the benchmark have no {part}.{name}"
                );
            }
        }
        for name in ["name", "namespace", "uid", "labels", "ownerReferences"] {
            assert_eq!(
                from_protobuf["metadata"][name], value["metadata"][name],
                "{name}"
            );
        }
    }
}

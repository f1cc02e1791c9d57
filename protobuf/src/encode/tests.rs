use serde_json::json;

use super::*;
use crate::ErrorKind;

fn fault(object: &Value) -> Error {
    encode(object).expect_err("the object does not have this form")
}

#[test]
fn errors_have_a_path() {
    let mut pod =
        json!({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{}, {"name": 7}]}});
    assert_eq!(
        fault(&pod).to_string(),
        "spec.containers[1].name: expected a text"
    );
    pod["spec"] = json!({"nodeSelector": {"a": ["b"]}});
    assert_eq!(fault(&pod).path(), "spec.nodeSelector.a");
    pod["spec"] = json!({"priority": 2_147_483_648_u32});
    assert_eq!(fault(&pod).path(), "spec.priority");
    pod["spec"] = json!({"volumes": [{"name": "v", "emptyDir": 1}]});
    assert_eq!(fault(&pod).path(), "spec.volumes[0].emptyDir");
    pod["metadata"] = json!({"creationTimestamp": "yesterday"});
    assert_eq!(fault(&pod).path(), "metadata.creationTimestamp");
}

#[test]
fn kinds_without_protobuf_are_rejected() {
    let foo = fault(&json!({"apiVersion": "example.com/v1", "kind": "Foo"}));
    assert!(foo.is_unusual());
    assert!(matches!(
        fault(&json!(null)).kind(),
        ErrorKind::UnknownKind { .. }
    ));
}

#[test]
fn unknown_members_are_left_out() {
    let with = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "extra": 1});
    let without = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    assert_eq!(
        encode(&with).expect("a pod"),
        encode(&without).expect("a pod")
    );
}

#[test]
fn depth_is_bounded() {
    let mut schema = json!({});
    for _ in 0..MAX {
        schema = json!({"not": schema});
    }
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]},
    });
    assert_eq!(*fault(&crd).kind(), ErrorKind::TooDeep);
}

const MAX: usize = 300;

#[test]
fn a_chunked_list_has_the_bytes_of_the_whole_list() {
    let pod = Message::of("v1", "Pod").expect("there are Pods");
    let encode = |object| encode_message(pod, &object).expect("it is a Pod");
    let small = encode(json!({"metadata": {"name": "a"}}));
    let large = encode(json!({"metadata": {"annotations": {"a": "b".repeat(50_000)}}}));
    for items in [
        vec![],
        vec![small.clone()],
        vec![small, large.clone(), large],
    ] {
        let metadata = b"\x12\x017";
        let mut message = Vec::new();
        put_bytes(&mut message, 1, metadata);
        for item in &items {
            put_bytes(&mut message, 2, item);
        }
        let items: Vec<_> = items.into_iter().map(bytes::Bytes::from).collect();
        let chunks: Vec<_> = wrap_list("v1", "PodList", metadata, items).collect();
        assert_eq!(chunks.len(), message.len() / (64 * 1024) + 1);
        assert!(chunks.concat() == wrap("v1", "PodList", &message));
    }
}

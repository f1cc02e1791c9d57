//! Dynamic types, and user-defined types.

use k8s_openapi::api::core::v1::Pod;
use serde::Deserialize;
use serde_json::{Value, json};

use informer_protobuf::{Deserializer, Envelope, Message, from_slice, to_vec};

fn pod() -> Vec<u8> {
    to_vec(&json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "a", "name": "b", "labels": {"app": "web"},
            "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {}}}]},
        "spec": {"nodeName": "n", "containers": [
            {"name": "c", "image": "i", "ports": [{"containerPort": 80}]},
            {"name": "d", "resources": {"limits": {"cpu": "1"}}},
        ]},
        "status": {"phase": "Running"},
    }))
    .expect("a pod")
}

/// A projection: three of the hundreds of fields of a Pod.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Placement<'a> {
    #[serde(borrow)]
    spec: PlacementSpec<'a>,
    status: PlacementStatus,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlacementSpec<'a> {
    node_name: &'a str,
    containers: Vec<Container>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Container {
    name: String,
    #[serde(default)]
    ports: Vec<Port>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Port {
    container_port: u16,
}

#[derive(Debug, PartialEq, Deserialize)]
struct PlacementStatus {
    phase: Phase,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Phase {
    Pending,
    Running,
}

#[test]
fn a_struct_of_a_few_fields_takes_those() {
    let bytes = pod();
    let placement: Placement<'_> = from_slice(&bytes).expect("a placement");
    assert_eq!(placement.spec.node_name, "n");
    assert_eq!(placement.status.phase, Phase::Running);
    let names = placement
        .spec
        .containers
        .iter()
        .map(|c| (c.name.as_str(), c.ports.len()));
    assert_eq!(names.collect::<Vec<_>>(), [("c", 1), ("d", 0)]);
}

#[test]
fn managed_fields_are_skipped_on_request() {
    let bytes = pod();
    let deserializer = Deserializer::from_slice(&bytes).expect("a pod");
    let whole = Pod::deserialize(deserializer).expect("a pod");
    assert_eq!(
        whole.metadata.managed_fields.as_ref().map(Vec::len),
        Some(1)
    );
    let without = Pod::deserialize(deserializer.skip_managed_fields(true)).expect("a pod");
    let mut expected = whole;
    expected.metadata.managed_fields = None;
    assert_eq!(without, expected);
}

/// Reserved memory stays allocated, so lists must not have excess capacity.
#[test]
fn lists_have_the_capacity_of_their_length() {
    let pod: Pod = from_slice(&pod()).expect("a pod");
    let spec = pod.spec.expect("a spec");
    assert_eq!(spec.containers.capacity(), 2);
    let ports = spec
        .containers
        .into_iter()
        .next()
        .and_then(|container| container.ports);
    assert_eq!(ports.expect("ports").capacity(), 1);
}

#[test]
fn errors_have_a_path() {
    #[derive(Debug, Deserialize)]
    struct Strict {
        #[serde(rename = "spec")]
        _spec: StrictSpec,
    }
    #[derive(Debug, Deserialize)]
    struct StrictSpec {
        #[serde(rename = "containers")]
        _containers: Vec<StrictContainer>,
    }
    #[derive(Debug, Deserialize)]
    struct StrictContainer {
        #[serde(rename = "image")]
        _image: u8,
    }
    let error = from_slice::<Strict>(&pod()).expect_err("an image is no number");
    assert_eq!(error.path(), "spec.containers[0].image");
    assert!(!error.is_unusual());
    assert_eq!(
        error.to_string(),
        "spec.containers[0].image: invalid type: string \"i\", expected u8"
    );
    let error = from_slice::<bool>(&pod()).expect_err("a pod is no boolean");
    assert_eq!(error.path(), ".");
}

/// JSON texts inside objects decode to typed values, dynamic values and null.
#[test]
fn raw_extensions_are_decoded_like_the_rest() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Revision {
        data: Data,
        revision: i64,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Data {
        text: String,
        list: Vec<Option<u8>>,
        flag: bool,
        half: f32,
        nested: Option<Box<Data>>,
    }
    let inner =
        json!({"text": "a\"b", "list": [1, null], "flag": true, "half": 0.5, "nested": null});
    let mut data = inner.clone();
    data["nested"] = inner;
    let object = json!({
        "apiVersion": "apps/v1", "kind": "ControllerRevision", "data": data, "revision": 3,
    });
    let bytes = to_vec(&object).expect("a revision");
    let typed: Revision = from_slice(&bytes).expect("a revision");
    assert_eq!(typed, Revision::deserialize(&object).expect("a revision"));
    let value: Value = from_slice(&bytes).expect("a revision");
    assert_eq!(value["data"], data);
}

/// A watched object has an envelope of its own inside the event.
#[test]
fn watch_events_hold_objects() {
    let bytes = informer_protobuf::watch_frame("ADDED", &pod());
    let message = Message::of("v1", "WatchEvent").expect("a message");
    let event: Value = informer_protobuf::from_message(message, &bytes[4..]).expect("an event");
    assert_eq!(event["type"], "ADDED");
    assert_eq!(event["object"]["kind"], "Pod");
    assert_eq!(event["object"]["metadata"]["name"], "b");
}

#[test]
fn whole_lists_can_be_decoded() {
    let pod = pod();
    let raw = Envelope::parse(&pod).expect("an envelope").raw;
    let mut message = vec![0x0a, 3, 0x12, 1, b'7'];
    for _ in 0..2 {
        message.extend([0x12, u8::try_from(raw.len() & 0x7f).expect("7 bits") | 0x80]);
        message.push(u8::try_from(raw.len() >> 7).expect("a short pod"));
        message.extend_from_slice(raw);
    }
    let bytes = informer_protobuf::wrap("v1", "PodList", &message);
    let list: k8s_openapi::List<Pod> = from_slice(&bytes).expect("a list");
    assert_eq!(list.items.len(), 2);
    assert_eq!(list.metadata.resource_version.as_deref(), Some("7"));
}

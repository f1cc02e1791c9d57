//! Both encodings of the same data give the same results.

mod refused;

use bytes::Bytes;
use informer_protobuf::{encode, watch_frame};
use k8s_openapi::api::core::v1::Pod;
use kube::core::{DynamicObject, PartialObjectMeta, TypeMeta};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::wire::{
    DropFields, Encoding, ListMeta, RawEvent, RawObject, Rejected, SplitError, SplitOptions,
};

const ENCODINGS: [Encoding; 2] = [Encoding::Json, Encoding::Protobuf];

/// Returns a pod as a server writes it, with all members that servers always write.
fn pod(name: &str) -> Value {
    canonical(&json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "namespace": "a", "name": name, "uid": format!("u-{name}"), "resourceVersion": "7",
            "creationTimestamp": "2026-01-02T03:04:05Z",
            "labels": {"app": "web", "b.c/d": "", "tier": name},
            "annotations": {"x.y/z": "long", "note": "\u{e9}\"\\"},
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1"},
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "2",
                 "controller": true, "blockOwnerDeletion": true},
            ],
            "managedFields": [{"manager": "m", "operation": "Update",
                               "fieldsV1": {"f:metadata": {"f:labels": {}}}}],
        },
        "spec": {
            "nodeName": "n1", "priority": -3, "hostNetwork": true,
            "containers": [
                {"name": "c", "image": "i:1", "env": [{"name": "A", "value": "1"}],
                 "ports": [{"containerPort": 80, "name": "http"}],
                 "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}},
                 "livenessProbe": {"httpGet": {"port": "http", "path": "/"}}},
                {"name": "d", "image": "i:2", "ports": [{"containerPort": 81}],
                 "livenessProbe": {"httpGet": {"port": 8080}}},
            ],
            "volumes": [{"name": "v", "configMap": {"name": "m"}}],
        },
        "status": {"phase": "Running", "podIP": "10.0.0.1"},
    }))
}

fn canonical(object: &Value) -> Value {
    informer_protobuf::from_slice(&encode(object).unwrap()).unwrap()
}

/// Returns the body of a list of these items, as servers write it: the items have no type.
fn list_body(encoding: Encoding, kind: &str, api_version: &str, items: &[Value]) -> Vec<u8> {
    let mut items = items.to_vec();
    for item in &mut items {
        let item = item.as_object_mut().unwrap();
        item.remove("kind");
        item.remove("apiVersion");
    }
    let meta = json!({"resourceVersion": "42", "continue": "more", "remainingItemCount": 5});
    let list = json!({"kind": kind, "apiVersion": api_version, "metadata": meta, "items": items});
    body(encoding, &list)
}

fn body(encoding: Encoding, value: &Value) -> Vec<u8> {
    match encoding {
        Encoding::Json => serde_json::to_vec(value).unwrap(),
        Encoding::Protobuf => encode(value).unwrap(),
    }
}

fn event(encoding: Encoding, event_type: &str, object: &Value) -> Vec<u8> {
    match encoding {
        Encoding::Json => body(encoding, &json!({"type": event_type, "object": object})),
        Encoding::Protobuf => watch_frame(event_type, &encode(object).unwrap()),
    }
}

type Items = Vec<Result<RawObject, Rejected>>;

fn split_list(
    encoding: Encoding,
    body: &[u8],
    frame: usize,
    options: &SplitOptions,
) -> (Items, Result<ListMeta, SplitError>) {
    let mut splitter = encoding.list_splitter(options);
    let mut items = Vec::new();
    for frame in body.chunks(frame) {
        if let Err(error) = splitter.push(&Bytes::copy_from_slice(frame), &mut items) {
            return (items, Err(error));
        }
    }
    assert_eq!(splitter.stats().objects, items.len() as u64);
    assert_eq!(splitter.stats().bytes, body.len() as u64);
    (items, splitter.finish())
}

fn split_watch(
    encoding: Encoding,
    body: &[u8],
    frame: usize,
    options: &SplitOptions,
) -> (Vec<RawEvent>, Result<(), SplitError>) {
    let mut splitter = encoding.event_splitter(options);
    let mut events = Vec::new();
    for frame in body.chunks(frame) {
        if let Err(error) = splitter.push(&Bytes::copy_from_slice(frame), &mut events) {
            return (events, Err(error));
        }
    }
    assert_eq!(splitter.stats().bytes, body.len() as u64);
    (events, splitter.finish())
}

/// Returns options that add types, as dynamic informers use them.
fn typed() -> SplitOptions {
    SplitOptions::default().add_type_meta(true)
}

fn type_meta(api_version: &str, kind: &str) -> TypeMeta {
    TypeMeta {
        api_version: api_version.into(),
        kind: kind.into(),
    }
}

/// Returns the complete object in an encoding.
fn raw(encoding: Encoding, object: &Value) -> RawObject {
    let bytes = body(encoding, object);
    match encoding {
        Encoding::Json => RawObject::json(bytes).unwrap(),
        Encoding::Protobuf => RawObject::protobuf(bytes).unwrap(),
    }
}

fn decode<K: DeserializeOwned>(raw: &RawObject) -> K {
    raw.decode().unwrap()
}

/// Describes everything that is known of an object, in all its decoded forms.
fn describe(raw: &RawObject) -> String {
    let related = raw.related();
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        raw.header(),
        related.labels,
        related.controller,
        decode::<Value>(raw),
        decode::<Pod>(raw),
        decode::<DynamicObject>(raw),
        decode::<PartialObjectMeta<DynamicObject>>(raw),
    )
}

/// W-02, W-03, W-04, W-05.
#[test]
fn w02_a_list_gives_the_same_objects_in_both_encodings_and_any_framing() {
    let items = [pod("one"), pod("two"), pod("three")];
    let options = typed().expected_type(type_meta("v1", "Pod"));
    for options in [options.clone(), options.keep_managed_fields(true)] {
        let json = list_body(Encoding::Json, "PodList", "v1", &items);
        let (in_json, meta) = split_list(Encoding::Json, &json, json.len(), &options);
        let meta = meta.unwrap();
        assert_eq!(meta.continue_token.as_deref(), Some("more"));
        assert_eq!(meta.remaining_item_count, Some(5));
        let expected: Vec<String> = in_json.iter().flatten().map(describe).collect();
        assert_eq!(expected.len(), 3);

        let body = list_body(Encoding::Protobuf, "PodList", "v1", &items);
        for frame in [1, 2, 3, 7, 64, 300, 1000, body.len()] {
            let (items, end) = split_list(Encoding::Protobuf, &body, frame, &options);
            assert_eq!(end.unwrap(), meta);
            let items: Vec<RawObject> = items.into_iter().map(Result::unwrap).collect();
            assert!(
                items
                    .iter()
                    .all(|item| item.encoding() == Encoding::Protobuf)
            );
            let described: Vec<String> = items.iter().map(describe).collect();
            assert_eq!(described, expected, "frames of {frame}");
        }
    }
}

/// W-15: the same as in JSON.
#[test]
fn w15_many_items_without_a_header_are_counted() {
    let nameless = vec![json!({}); 2000];
    let body = list_body(Encoding::Protobuf, "PodList", "v1", &nameless);
    let mut splitter = Encoding::Protobuf.list_splitter(&SplitOptions::default());
    let mut items = Vec::new();
    splitter.push(&Bytes::from(body), &mut items).unwrap();
    assert_eq!((items.len(), splitter.stats().objects), (101, 2000));
    let last = items.pop().unwrap().unwrap_err();
    assert_eq!(last.reason, "1900 more items without a key");
}

#[test]
fn w04_managed_fields_are_cut_as_bytes_unless_they_are_wanted() {
    let body = list_body(Encoding::Protobuf, "PodList", "v1", &[pod("a")]);
    let lengths = [false, true].map(|keep| {
        let options = typed().keep_managed_fields(keep);
        let (items, _) = split_list(Encoding::Protobuf, &body, body.len(), &options);
        let item = items[0].as_ref().unwrap();
        let managed = &decode::<Value>(item)["metadata"]["managedFields"];
        assert_eq!(managed.is_array(), keep);
        item.bytes().len()
    });
    assert!(lengths[0] + 30 < lengths[1], "{lengths:?}");
}

#[test]
fn w01_an_object_inside_a_frame_is_not_copied() {
    let body = Bytes::from(list_body(
        Encoding::Protobuf,
        "PodList",
        "v1",
        &[pod("a"), pod("b")],
    ));
    for (keep, copies) in [(true, 0), (false, 2)] {
        let options = typed().keep_managed_fields(keep);
        let mut splitter = Encoding::Protobuf.list_splitter(&options);
        let mut items = Vec::new();
        splitter.push(&body, &mut items).unwrap();
        assert_eq!(splitter.stats().copies, copies);
        let bytes = items[0].as_ref().unwrap().bytes();
        assert_eq!(body.as_ptr_range().contains(&bytes.as_ptr()), keep);
    }
}

fn print(event: &RawEvent) -> String {
    match event {
        RawEvent::Added(o) => format!("ADDED {}", describe(o)),
        RawEvent::Modified(o) => format!("MODIFIED {}", describe(o)),
        RawEvent::Deleted(o) => format!("DELETED {}", describe(o)),
        RawEvent::Bookmark { .. }
        | RawEvent::Error(_)
        | RawEvent::Unknown { .. }
        | RawEvent::Rejected(_) => format!("{event:?}"),
    }
}

/// W-17, L-02, B-06.
#[test]
fn w17_a_watch_gives_the_same_events_in_both_encodings_and_any_framing() {
    let metadata = |annotations: Value| {
        let metadata = json!({"resourceVersion": "9", "annotations": annotations});
        canonical(&json!({"kind": "Pod", "apiVersion": "v1", "metadata": metadata}))
    };
    let events = [
        ("ADDED", pod("one")),
        ("MODIFIED", pod("two")),
        ("DELETED", pod("three")),
        ("BOOKMARK", metadata(json!({}))),
        (
            "BOOKMARK",
            metadata(json!({"k8s.io/initial-events-end": "true"})),
        ),
        (
            "BOOKMARK",
            metadata(json!({"k8s.io/initial-events-end": "false"})),
        ),
        ("STRANGE", pod("four")),
        (
            "ADDED",
            canonical(&json!({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}})),
        ),
        (
            "ERROR",
            json!({
                "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 410,
                "reason": "Expired", "message": "too old", "metadata": {},
                "details": {"retryAfterSeconds": 3, "causes": [{"reason": "r", "message": "m"}]},
            }),
        ),
    ];
    let options = typed().expected_type(type_meta("v1", "Pod"));
    let bodies = ENCODINGS.map(|encoding| {
        let events = events.iter();
        let events = events.map(|(event_type, object)| event(encoding, event_type, object));
        events.collect::<Vec<_>>().concat()
    });
    let (in_json, end) = split_watch(Encoding::Json, &bodies[0], bodies[0].len(), &options);
    end.unwrap();
    let expected: Vec<String> = in_json.iter().map(print).collect();
    assert_eq!(expected.len(), events.len());
    assert!(expected[4].contains("initial_events_end: true"));
    assert!(
        expected[8].contains("Expired") && expected[8].contains("3s"),
        "{}",
        expected[8]
    );
    for frame in (1..200).chain([bodies[1].len()]) {
        let (events, end) = split_watch(Encoding::Protobuf, &bodies[1], frame, &options);
        end.unwrap();
        let events: Vec<String> = events.iter().map(print).collect();
        assert_eq!(events, expected, "frames of {frame}");
    }
}

#[test]
fn i15_values_at_a_path_are_the_same_in_both_encodings() {
    let [json, protobuf] = ENCODINGS.map(|encoding| raw(encoding, &pod("a")));
    for line in include_str!("tests/paths.txt").lines() {
        let (path, count) = line.split_once(' ').unwrap();
        let path = path.parse().unwrap();
        let (values, in_json) = (protobuf.values_at(&path), json.values_at(&path));
        assert_eq!(values, in_json, "{path}");
        let found = values.map_or("error".to_owned(), |values| values.len().to_string());
        assert_eq!(found, count, "{path}");
    }
}

/// Removes empty values. A cut may leave an empty map in JSON and nothing in protobuf. Conversely,
/// protobuf decodes empty values of fields that Kubernetes always writes, where JSON has none.
fn without_empty_maps(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, value)| (name, without_empty_maps(value)));
            let is_empty = |value: &Value| {
                value.is_null()
                    || value.as_object().is_some_and(serde_json::Map::is_empty)
                    || value.as_array().is_some_and(Vec::is_empty)
                    || value == ""
                    || value == 0
            };
            members.filter(|(_, value)| !is_empty(value)).collect()
        }
        Value::Array(elements) => elements.into_iter().map(without_empty_maps).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

#[test]
fn x06_dropped_fields_are_the_same_in_both_encodings() {
    let [json, protobuf] = ENCODINGS.map(|encoding| raw(encoding, &pod("a")));
    for line in include_str!("tests/cuts.txt").lines() {
        let (cut, paths) = line.split_once(':').unwrap();
        let paths = paths.split_whitespace();
        let fields = match cut {
            "drop" => DropFields::new(paths),
            _ => DropFields::all_but(paths),
        };
        let fields = fields.unwrap();
        let [json, protobuf] = [&json, &protobuf].map(|raw| raw.without(&fields));
        assert_eq!(json.header(), protobuf.header());
        let [json, protobuf] =
            [&json, &protobuf].map(|raw| without_empty_maps(decode::<Value>(raw)));
        assert_eq!(json, protobuf, "{line}");
        if cut == "keep" {
            assert_eq!(json["metadata"]["labels"]["app"], "web");
            assert_eq!(json["spec"]["containers"][0].get("env"), None);
        }
    }
    // An object without these fields is not copied.
    let fields = DropFields::new(["spec.nodeSelector", "none"]).unwrap();
    let same = protobuf.without(&fields);
    assert_eq!(same.bytes().as_ptr(), protobuf.bytes().as_ptr());
    // The splitter cuts them in one pass with managed fields, for a sequence of kinds.
    let options = typed().drop_fields(DropFields::new(["status", "spec"]).unwrap());
    let events = [
        pod("a"),
        canonical(&json!({
            "kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"},
            "spec": {"podCIDR": "x"}, "status": {"phase": "y"},
        })),
    ];
    let body = events
        .map(|object| event(Encoding::Protobuf, "ADDED", &object))
        .concat();
    let (events, _) = split_watch(Encoding::Protobuf, &body, body.len(), &options);
    for event in &events {
        let RawEvent::Added(object) = event else {
            panic!("{event:?}");
        };
        let value = decode::<Value>(object);
        let sizes = value.as_object().unwrap().iter();
        let left = without_empty_maps(sizes.map(|(k, v)| (k.clone(), v.clone())).collect());
        let names: Vec<&String> = left.as_object().unwrap().keys().collect();
        assert_eq!(names, ["apiVersion", "kind", "metadata"]);
    }
}

#[test]
fn m02_metadata_of_any_kind_is_read_in_both_encodings() {
    let mut object = pod("a");
    let members = object.as_object_mut().unwrap();
    members.remove("spec");
    members.remove("status");
    object["kind"] = "PartialObjectMetadata".into();
    object["apiVersion"] = "meta.k8s.io/v1".into();
    let options = typed().expected_type(type_meta("meta.k8s.io/v1", "PartialObjectMetadata"));
    let read = ENCODINGS.map(|encoding| {
        let list = ("PartialObjectMetadataList", "meta.k8s.io/v1");
        let body = list_body(encoding, list.0, list.1, std::slice::from_ref(&object));
        let (items, end) = split_list(encoding, &body, 50, &options);
        end.unwrap();
        decode::<PartialObjectMeta<DynamicObject>>(items[0].as_ref().unwrap())
    });
    assert_eq!(read[0].metadata, read[1].metadata);
    assert_eq!(read[0].types, read[1].types);
}

use bytes::Bytes;
use serde_json::{Value, json};

use super::*;
use crate::{
    ErrorKind, Message, encode, encode_message, from_message, put_bytes, watch_frame, wrap,
};

fn pod() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "a", "namespace": "b", "uid": "c", "resourceVersion": "7",
            "labels": {"app": "web", "tier": "1"},
            "annotations": {"k8s.io/initial-events-end": "true"},
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1"},
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "2", "controller": true},
            ],
            "managedFields": [{"manager": "m", "fieldsV1": {"f:metadata": {}}}],
        },
        "spec": {"containers": [
            {"name": "c", "image": "i", "env": [{"name": "A", "value": "1"}]},
            {"name": "d", "image": "i"},
        ], "volumes": [{"name": "v", "emptyDir": {}}]},
    })
}

fn pod_bytes() -> Bytes {
    let message = Message::of("v1", "Pod").expect("a message");
    encode_message(message, &pod()).expect("a pod").into()
}

#[test]
fn the_header_is_read_without_decoding() {
    let bytes = pod_bytes();
    let header = Header::read(&bytes).expect("a header");
    assert_eq!(
        (
            header.name,
            header.namespace,
            header.uid,
            header.resource_version
        ),
        ("a", "b", "c", "7")
    );
    let labels: Vec<_> = header.labels.iter().collect();
    let expected = [("app", "web"), ("tier", "1")];
    assert_eq!(
        labels,
        expected.map(|(key, value)| (key.into(), value.into()))
    );
    assert_eq!(header.labels.get("tier").as_deref(), Some("1"));
    assert_eq!(header.labels.get("none"), None);
    assert_eq!(
        header
            .annotations
            .get("k8s.io/initial-events-end")
            .as_deref(),
        Some("true")
    );
    let owner = header.owner_references.controller().expect("a controller");
    assert_eq!(
        (&*owner.api_version, &*owner.kind, &*owner.name, &*owner.uid),
        ("apps/v1", "ReplicaSet", "r", "2")
    );
    assert!(header.has_managed_fields);
}

/// Go replaces each such byte when it writes JSON, and so does decoding.
#[test]
fn labels_and_owners_are_read_as_they_are_decoded() {
    let mut metadata = Vec::new();
    put_bytes(&mut metadata, 1, b"a");
    put_bytes(&mut metadata, 11, b"\x0a\x02k\xff\x12\x02\xfev");
    put_bytes(&mut metadata, 13, b"\x0a\x02\xf0K\x30\x01");
    let mut pod = Vec::new();
    put_bytes(&mut pod, 1, &metadata);
    let header = Header::read(&pod).expect("a header");
    assert_eq!(header.labels.get("k\u{fffd}").as_deref(), Some("\u{fffd}v"));
    let owner = header.owner_references.controller().expect("a controller");
    assert_eq!(owner.kind, "\u{fffd}K");
    let decoded: Value =
        from_message(Message::of("v1", "Pod").expect("a message"), &pod).expect("a decoded pod");
    assert_eq!(
        decoded["metadata"]["labels"],
        json!({"k\u{fffd}": "\u{fffd}v"})
    );
    assert_eq!(
        decoded["metadata"]["ownerReferences"][0]["kind"],
        "\u{fffd}K"
    );
}

#[test]
fn headers_need_metadata() {
    assert!(Header::read(b"").is_err());
    assert!(Header::read(b"\x12\x00").is_err());
    assert_eq!(
        Header::read(b"\x0a\x00").expect("an empty one"),
        Header::default()
    );
    let swapped = Header::read(b"\x0a\x06\x1a\x01b\x0a\x01a").expect_err("out of order");
    assert!(swapped.is_unusual());
    assert!(Header::read(b"\x0a\x03\x0a\x01\xff").is_err(), "no UTF-8");
}

/// A cut rewrites the lengths of the enclosing messages, and keeps all other bytes.
#[test]
fn fields_are_cut_out_of_the_bytes() {
    let pod_message = Message::of("v1", "Pod").expect("a message");
    let paths = [
        "metadata.managedFields",
        "metadata.annotations",
        "spec.containers.env",
        "spec.volumes.emptyDir",
    ];
    let cut = Cut::new(pod_message, &paths).expect("paths");
    let shorter = cut.apply(&pod_bytes()).expect("a pod");
    let mut expected = pod();
    let object = expected.as_object_mut().expect("an object");
    object.remove("apiVersion");
    object.remove("kind");
    for (at, name) in [
        ("/metadata", "managedFields"),
        ("/metadata", "annotations"),
        ("/spec/containers/0", "env"),
        ("/spec/volumes/0", "emptyDir"),
    ] {
        let place = expected.pointer_mut(at).and_then(Value::as_object_mut);
        place.expect("an object").remove(name).expect("a member");
    }
    let bytes = encode_message(pod_message, &expected).expect("a pod");
    assert_eq!(shorter, bytes, "the same bytes as without the fields");
}

#[test]
fn managed_fields_of_any_kind_are_cut_out() {
    let bytes = pod_bytes();
    let shorter = Cut::managed_fields().apply(&bytes).expect("a pod");
    assert!(!Header::read(&shorter).expect("a header").has_managed_fields);
    let pod_message = Message::of("v1", "Pod").expect("a message");
    let value: Value = from_message(pod_message, &shorter).expect("a pod");
    assert_eq!(value["metadata"]["ownerReferences"][1]["name"], "r");
    assert_eq!(value["spec"]["containers"][1]["name"], "d");
    let same = Cut::managed_fields().apply(&shorter).expect("a pod");
    assert_eq!(
        same.as_ptr(),
        shorter.as_ptr(),
        "nothing to cut, nothing copied"
    );
}

#[test]
fn entries_of_maps_are_cut_by_their_keys() {
    let object = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "a", "annotations": {"x.y/z": "long", "b": "kept"}},
        "spec": {"resources": {"requests": {"storage": "1Gi", "cpu": "1"}}},
    });
    let bytes = encode(&object).expect("a claim");
    let envelope = Envelope::parse(&bytes).expect("an envelope");
    let raw = Bytes::copy_from_slice(envelope.raw);
    let mut cut = Cut::none(Message::of("v1", "PersistentVolumeClaim").expect("a message"));
    assert!(cut.is_empty());
    for path in [
        &["metadata", "annotations", "x.y/z"][..],
        &["metadata", "annotations", "none"],
        &["spec", "resources", "requests", "cpu"],
    ] {
        cut.add(path).expect("an entry");
    }
    let shorter = cut.apply(&raw).expect("a claim");
    let value: Value = from_message(cut.message(), &shorter).expect("a claim");
    assert_eq!(value["metadata"]["annotations"], json!({"b": "kept"}));
    assert_eq!(
        value["spec"]["resources"]["requests"],
        json!({"storage": "1Gi"})
    );
    let same = cut.apply(&shorter).expect("a claim");
    assert_eq!(
        same.as_ptr(),
        shorter.as_ptr(),
        "nothing to cut, nothing copied"
    );
}

#[test]
fn invalid_paths_are_errors() {
    let pod_message = Message::of("v1", "Pod").expect("a message");
    for path in ["", "spec.none", "metadata.labels.app.x", "spec.nodeName.x"] {
        assert!(Cut::new(pod_message, &[path]).is_err(), "{path}");
    }
}

fn list(items: &[Bytes]) -> Vec<u8> {
    let mut message = vec![0x0a, 9, 0x12, 2, b'4', b'2', 0x1a, 1, b't', 0x20, 5];
    for item in items {
        crate::wire::put_bytes(&mut message, 2, item);
    }
    wrap("v1", "PodList", &message)
}

#[test]
fn items_inside_of_one_frame_are_slices_of_it() {
    let body = Bytes::from(list(&[pod_bytes(), Bytes::new(), pod_bytes()]));
    let mut splitter = ListSplitter::new();
    let mut items = Vec::new();
    splitter.push(&body, &mut items).expect("a list");
    assert_eq!(splitter.copies(), 0);
    assert_eq!(splitter.bytes(), body.len() as u64);
    let items: Vec<Bytes> = items
        .into_iter()
        .map(|item| item.expect("an item"))
        .collect();
    assert_eq!(items, [pod_bytes(), Bytes::new(), pod_bytes()]);
    assert!(body.as_ptr_range().contains(&items[0].as_ptr()));
    let meta = splitter.finish().expect("a list");
    assert_eq!(meta.resource_version, "42");
    assert_eq!(meta.continue_token, "t");
    assert_eq!(meta.remaining_item_count, Some(5));
}

#[test]
fn large_items_are_rejected_individually() {
    let body = Bytes::from(list(&[
        Bytes::from_static(b"\x0a\x00"),
        pod_bytes(),
        Bytes::from_static(b"\x0a\x00"),
    ]));
    let mut splitter = ListSplitter::new().max_item_bytes(10);
    let mut items = Vec::new();
    for frame in body.chunks(11) {
        splitter
            .push(&Bytes::copy_from_slice(frame), &mut items)
            .expect("a list");
    }
    splitter.finish().expect("a list");
    let bytes = pod_bytes().len() as u64;
    assert_eq!(items.len(), 3);
    assert_eq!(items[1], Err(BadFrame::TooLarge { bytes }));
}

#[test]
fn bodies_that_are_not_a_list_are_rejected() {
    let split = |body: &[u8]| {
        let mut splitter = ListSplitter::new();
        splitter
            .push(&Bytes::copy_from_slice(body), &mut Vec::new())
            .and_then(|()| splitter.finish())
    };
    let status =
        encode(&json!({"apiVersion": "v1", "kind": "Status", "code": 410})).expect("a status");
    assert_eq!(
        split(&status),
        Err(SplitError::NotAList {
            api_version: "v1".to_owned(),
            kind: "Status".to_owned()
        })
    );
    let json = split(b"{\"kind\":\"PodList\"}");
    assert!(
        matches!(json, Err(SplitError::Malformed { offset: 1, .. })),
        "{json:?}"
    );
    let body = list(&[pod_bytes()]);
    for end in 0..body.len() - 4 {
        let cut_off = split(&body[..end]);
        assert!(
            matches!(cut_off, Err(SplitError::Truncated { .. })),
            "{end}: {cut_off:?}"
        );
    }
    assert!(split(&body).is_ok());
    let twice = [&body[..], &body[4..]].concat();
    assert!(matches!(split(&twice), Err(SplitError::Malformed { .. })));
}

#[test]
fn events_are_split_in_any_framing() {
    let object = wrap("v1", "Pod", &pod_bytes());
    let mut body = watch_frame("ADDED", &object);
    body.extend(watch_frame("BOOKMARK", &object));
    for size in 1..60 {
        let mut splitter = EventSplitter::new();
        let mut events = Vec::new();
        for frame in body.chunks(size) {
            let pushed = splitter.push(&Bytes::copy_from_slice(frame), &mut events);
            pushed.expect("events");
        }
        splitter.finish().expect("whole events");
        let events: Vec<Event> = events
            .into_iter()
            .map(|event| event.expect("an event"))
            .collect();
        let types: Vec<&str> = events.iter().map(|event| &*event.event_type).collect();
        assert_eq!(types, ["ADDED", "BOOKMARK"]);
        assert_eq!(events[1].object, object);
        let envelope = Envelope::parse(&events[1].object).expect("an envelope");
        assert_eq!(envelope.raw_of(&events[1].object), pod_bytes());
    }
}

#[test]
fn malformed_events_do_not_affect_later_ones() {
    let mut body = vec![0, 0, 0, 2, 0x0f, 0xff, 0, 0, 0, 0];
    body.extend(watch_frame("ADDED", &[0; 100]));
    body.extend(watch_frame("DELETED", b"x"));
    let mut splitter = EventSplitter::new().max_frame_bytes(50);
    let mut events = Vec::new();
    let pushed = splitter.push(&Bytes::from(body.clone()), &mut events);
    pushed.expect("events");
    assert!(matches!(events[0], Err(BadFrame::Malformed(_))));
    assert!(
        matches!(events[1], Err(BadFrame::Malformed(_))),
        "no bytes at all"
    );
    assert!(matches!(events[2], Err(BadFrame::TooLarge { .. })));
    assert_eq!(events[3].as_ref().expect("an event").event_type, "DELETED");
    splitter.finish().expect("whole events");
    let mut splitter = EventSplitter::new();
    let pushed = splitter.push(&Bytes::from(body).slice(..body_end()), &mut Vec::new());
    pushed.expect("the beginning of an event");
    assert!(matches!(
        splitter.finish(),
        Err(SplitError::Truncated { .. })
    ));
}

/// The first characters of a text would be a length of half a gigabyte and more, which the splitter
/// must not wait for.
#[test]
fn a_text_is_not_a_watch_in_protobuf() {
    let event = watch_frame("ADDED", b"x");
    for text in [&b"{\"type\":\"ADDED\"}"[..], b"<html>", b"    "] {
        let body = [&event[..], text].concat();
        for size in [1, 3, body.len()] {
            let mut splitter = EventSplitter::new();
            let mut events = Vec::new();
            let mut frames = body.chunks(size).map(Bytes::copy_from_slice);
            let pushed = frames.try_for_each(|frame| splitter.push(&frame, &mut events));
            assert_eq!(
                pushed,
                Err(SplitError::Malformed {
                    offset: event.len() as u64 + 4,
                    expected: "the length of an event"
                })
            );
            assert_eq!(events.len(), 1);
        }
    }
}

fn body_end() -> usize {
    5
}

/// Covers a length of 64 MiB without content: the reserved capacity is bounded.
#[test]
fn a_length_alone_reserves_no_memory() {
    let frame = Bytes::from(vec![0; 100]);
    let mut body = list::Body::new(64 << 20);
    assert!(body.take(&frame, &mut 0).is_none());
    assert!(
        body.buffer.capacity() <= MAX_RESERVE,
        "{}",
        body.buffer.capacity()
    );
}

#[test]
fn encoded_envelopes_are_not_decoded() {
    let mut bytes = wrap("v1", "Pod", b"");
    bytes.truncate(bytes.len() - 4);
    bytes.extend([0x1a, 4, b'g', b'z', b'i', b'p']);
    assert!(Envelope::parse(&bytes).expect("an envelope").is_encoded());
    let error = crate::from_slice::<Value>(&bytes).expect_err("it is compressed");
    assert_eq!(*error.kind(), ErrorKind::Encoded);
}

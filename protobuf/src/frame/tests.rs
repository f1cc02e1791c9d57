use bytes::Bytes;
use serde_json::{Value, json};

use super::*;
use crate::{ErrorKind, Message, encode_message, from_message, put_bytes, wrap};

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

/// Covers a length of 64 MiB without content: the reserved capacity is bounded.
#[test]
fn a_length_alone_reserves_no_memory() {
    let frame = Bytes::from(vec![0; 100]);
    let mut body = list::FieldBody::new(64 << 20);
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

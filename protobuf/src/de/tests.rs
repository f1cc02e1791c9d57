use serde_json::{Value, json};

use super::*;
use crate::ErrorKind;
use crate::wire::{WireType, put_bytes, put_nested, put_tag, put_varint};

fn message(api_version: &str, kind: &str) -> Message {
    Message::of(api_version, kind).expect("a message")
}

/// A message that is put together by hand.
fn bytes(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out);
    out
}

fn nested(out: &mut Vec<u8>, number: u32, write: impl FnOnce(&mut Vec<u8>)) {
    put_nested(out, number, |out| {
        write(out);
        Ok::<(), Error>(())
    })
    .expect("nothing fails");
}

fn varint(out: &mut Vec<u8>, number: u32, value: u64) {
    put_tag(out, number, WireType::Varint);
    put_varint(out, value);
}

fn kind_of(bytes: &[u8]) -> ErrorKind {
    let pod = message("v1", "Pod");
    let error = from_message::<Value>(pod, bytes).expect_err("these bytes are refused");
    error.kind().clone()
}

/// Zero is absent where Go writes all scalars and JSON none, and present where it has a pointer.
#[test]
fn zero_is_what_it_is_in_go() {
    let service = bytes(|out| {
        nested(out, 2, |spec| {
            nested(spec, 1, |port| {
                put_bytes(port, 1, b"");
                put_bytes(port, 2, b"TCP");
                varint(port, 3, 0);
            });
            varint(spec, 13, 0); // publishNotReadyAddresses
            varint(spec, 20, 0); // allocateLoadBalancerNodePorts, a pointer
        });
    });
    let value: Value = from_message(message("v1", "Service"), &service).expect("a service");
    assert_eq!(
        value["spec"],
        json!({
            "ports": [{"protocol": "TCP", "port": 0, "targetPort": 0}],
            "allocateLoadBalancerNodePorts": false,
        })
    );
}

/// What is not in the bytes is in JSON all the same, if Go prints it.
#[test]
fn what_is_not_omitted_is_there() {
    let value: Value = from_message(message("v1", "Pod"), b"").expect("a pod");
    assert_eq!(
        value,
        json!({"metadata": {}, "spec": {"containers": null}, "status": {}})
    );
    let value: Value = from_message(message("v1", "Event"), b"").expect("an event");
    assert_eq!(value["eventTime"], Value::Null);
    assert_eq!(value["reportingComponent"], "");
    assert_eq!(value.get("reason"), None);
}

#[test]
fn unknown_fields_are_skipped() {
    let pod = bytes(|out| {
        nested(out, 1, |metadata| {
            put_bytes(metadata, 1, b"a");
            varint(metadata, 99, 7);
        });
        put_bytes(out, 77, b"from a newer server");
        put_tag(out, 78, WireType::Fixed64);
        out.extend([0; 8]);
    });
    let value: Value = from_message(message("v1", "Pod"), &pod).expect("a pod");
    assert_eq!(value["metadata"], json!({"name": "a"}));
}

/// Answered by asking for JSON.
#[test]
fn unusual_order_is_told_apart_from_nonsense() {
    let swapped = bytes(|out| {
        nested(out, 2, |_| {});
        nested(out, 1, |_| {});
    });
    let twice = bytes(|out| {
        nested(out, 1, |_| {});
        nested(out, 1, |_| {});
    });
    let broken_list = bytes(|out| {
        nested(out, 2, |spec| {
            nested(spec, 1, |_| {});
            nested(spec, 2, |_| {});
            nested(spec, 1, |_| {});
        });
    });
    for unusual in [&swapped, &twice, &broken_list] {
        assert!(
            matches!(kind_of(unusual), ErrorKind::Unusual(_)),
            "{unusual:?}"
        );
    }
    let packed = bytes(|out| {
        nested(out, 2, |spec| {
            // supplementalGroups
            nested(spec, 14, |context| put_bytes(context, 4, &[1, 2]));
        });
    });
    assert!(matches!(kind_of(&packed), ErrorKind::Unusual(_)));
    assert!(
        matches!(kind_of(b"\x0a\x05a"), ErrorKind::Malformed(_)),
        "cut off"
    );
    assert!(
        matches!(kind_of(b"\x0b"), ErrorKind::Malformed(_)),
        "a group"
    );
    assert!(
        matches!(kind_of(b"\x08\x01"), ErrorKind::Malformed(_)),
        "metadata is no number"
    );
    let error = from_slice::<Value>(&crate::wrap("example.com/v1", "Foo", b"")).expect_err("a Foo");
    assert!(error.is_unusual());
    assert!(matches!(error.kind(), ErrorKind::UnknownKind { .. }));
}

/// A schema inside of a schema inside of ...: bytes are short, the stack is too.
#[test]
fn depth_is_bounded() {
    let mut schema = Vec::new();
    for _ in 0..2000 {
        // `not`.
        schema = bytes(|out| put_bytes(out, 28, &schema));
    }
    let crd = bytes(|out| {
        nested(out, 1, |_| {});
        nested(out, 2, |spec| {
            nested(spec, 7, |version| {
                nested(version, 4, |validation| put_bytes(validation, 1, &schema));
            });
        });
    });
    let message = message("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    let error = from_message::<Value>(message, &crd).expect_err("too deep");
    assert_eq!(*error.kind(), ErrorKind::TooDeep);
    assert!(
        error
            .path()
            .starts_with("spec.versions[0].schema.openAPIV3Schema.not.not")
    );
}

/// A text that is no UTF-8 is in JSON what Go makes of it.
#[test]
fn texts_are_replaced_byte_by_byte() {
    let pod = bytes(|out| nested(out, 1, |metadata| put_bytes(metadata, 1, b"a\xe2\x82b\xff")));
    let value: Value = from_message(message("v1", "Pod"), &pod).expect("a pod");
    assert_eq!(value["metadata"]["name"], "a\u{fffd}\u{fffd}b\u{fffd}");
}

#[test]
fn a_length_alone_asks_for_nothing() {
    // Four items are announced to be of 2^60 bytes each; a list of 2^30 items is announced nowhere.
    let huge = [0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    assert!(matches!(kind_of(&huge), ErrorKind::Malformed(_)));
}

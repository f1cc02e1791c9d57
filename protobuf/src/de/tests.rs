use serde_json::{Value, json};

use super::*;
use crate::ErrorKind;
use crate::wire::{WireType, put_bytes, put_nested, put_tag, put_varint};

fn message(api_version: &str, kind: &str) -> Message {
    Message::of(api_version, kind).expect("a message")
}

/// Returns a message that is encoded by hand.
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
    let error = from_message::<Value>(pod, bytes).expect_err("these bytes are rejected");
    error.kind().clone()
}

/// Zero is absent where Go writes all scalars and JSON omits them, and present where Go has a
/// pointer.
#[test]
fn zero_is_absent_or_present_as_in_go() {
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

/// JSON has fields that are absent in the bytes if Go does not omit them.
#[test]
fn fields_without_omitempty_are_present() {
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

/// The error tells the caller to request JSON.
#[test]
fn unusual_order_is_distinguished_from_malformed_bytes() {
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
            // The number of `supplementalGroups`.
            nested(spec, 14, |context| put_bytes(context, 4, &[1, 2]));
        });
    });
    assert!(matches!(kind_of(&packed), ErrorKind::Unusual(_)));
    assert!(
        matches!(kind_of(b"\x0a\x05a"), ErrorKind::Malformed(_)),
        "truncated"
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

/// Covers deeply nested schemas, which are short in bytes and deep in the stack.
#[test]
fn depth_is_bounded() {
    let mut schema = Vec::new();
    for _ in 0..2000 {
        // The field `not`.
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

/// A string that is not UTF-8 is replaced byte by byte, as Go does in JSON.
#[test]
fn invalid_utf_8_is_replaced_byte_by_byte() {
    let pod = bytes(|out| nested(out, 1, |metadata| put_bytes(metadata, 1, b"a\xe2\x82b\xff")));
    let value: Value = from_message(message("v1", "Pod"), &pod).expect("a pod");
    assert_eq!(value["metadata"]["name"], "a\u{fffd}\u{fffd}b\u{fffd}");
}

#[test]
fn a_length_alone_allocates_nothing() {
    // The first record claims a length of 2^60 bytes. No record announces the length of a list.
    let huge = [0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    assert!(matches!(kind_of(&huge), ErrorKind::Malformed(_)));
}

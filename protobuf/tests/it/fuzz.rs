//! Any bytes at all: no panic, no endless work, no memory that a length alone asks for.

use std::collections::BTreeMap;

use bytes::Bytes;
use informer_protobuf::{
    Cut, Deserializer, Envelope, EventSplitter, Header, ListSplitter, Message, from_slice,
};
use k8s_openapi::api::core::v1::{Node, Pod};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::support::checked_in;

/// Reads bytes in every way that there is.
fn read(bytes: &[u8]) {
    let _ = from_slice::<Value>(bytes);
    let _ = from_slice::<Pod>(bytes);
    let _ = from_slice::<BTreeMap<String, Value>>(bytes);
    let raw = Envelope::parse(bytes).map_or(bytes, |envelope| envelope.raw);
    if let Ok(header) = Header::read(raw) {
        let _ = header
            .labels
            .iter()
            .chain(header.annotations.iter())
            .count();
    }
    let object = Bytes::copy_from_slice(raw);
    if let Ok(shorter) = Cut::managed_fields().apply(&object) {
        assert!(shorter.len() <= object.len());
    }
    for message in ["Pod", "Node", "Secret", "PodList", "WatchEvent", "Status"] {
        let message = Message::of("v1", message).expect("a message");
        let deserializer = Deserializer::from_message(message, raw).skip_managed_fields(true);
        let _ = Value::deserialize(deserializer);
        let _ = Node::deserialize(deserializer);
    }
    split(bytes, 7);
}

/// Splits a body in frames; what is held and given is never more than what came.
fn split(bytes: &[u8], frame: usize) {
    let mut lists = ListSplitter::new().max_item_bytes(1 << 20);
    let mut items = Vec::new();
    for frame in bytes.chunks(frame) {
        if lists
            .push(&Bytes::copy_from_slice(frame), &mut items)
            .is_err()
        {
            break;
        }
    }
    let given: usize = items.iter().flatten().map(Bytes::len).sum();
    assert!(given <= bytes.len());
    let mut watches = EventSplitter::new().max_frame_bytes(1 << 20);
    let mut events = Vec::new();
    for frame in bytes.chunks(frame) {
        let pushed = watches.push(&Bytes::copy_from_slice(frame), &mut events);
        if pushed.is_err() {
            break;
        }
    }
    let given: usize = events
        .iter()
        .flatten()
        .map(|event| event.object.len())
        .sum();
    assert!(given <= bytes.len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_an_object_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&bytes);
        read(&informer_protobuf::wrap("v1", "Pod", &bytes));
        read(&informer_protobuf::wrap("v1", "PodList", &bytes));
        read(&informer_protobuf::wrap("apiextensions.k8s.io/v1", "CustomResourceDefinition", &bytes));
        read(&informer_protobuf::watch_frame("ADDED", &bytes));
    }

    /// Objects of Go's in which a few bytes are changed, lost or doubled.
    #[test]
    fn damaged_objects_are_an_object_or_an_error(
        which in any::<proptest::sample::Index>(),
        damages in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0_u8..4), 1..6),
    ) {
        let objects = objects();
        let mut bytes = objects[which.index(objects.len())].clone();
        for (at, byte, damage) in damages {
            let at = at.index(bytes.len());
            match damage {
                0 => bytes[at] = byte,
                1 => bytes[at] ^= 1 << (byte % 8),
                2 => { bytes.remove(at); }
                _ => bytes.insert(at, byte),
            }
            if bytes.is_empty() {
                return Ok(());
            }
        }
        read(&bytes);
    }

    /// Frames break bodies anywhere.
    #[test]
    fn frames_do_not_matter(sizes in proptest::collection::vec(1_usize..90, 1..40)) {
        let object = objects().into_iter().max_by_key(Vec::len).expect("an object");
        let raw = Envelope::parse(&object).expect("an envelope").raw;
        let item = |out: &mut Vec<u8>| {
            out.push(0x12);
            put_varint(out, raw.len());
            out.extend_from_slice(raw);
        };
        let mut message = vec![0x0a, 4, 0x12, 2, b'4', b'2'];
        (0..3).for_each(|_| item(&mut message));
        let body = informer_protobuf::wrap("v1", "PodList", &message);
        let mut splitter = ListSplitter::new();
        let mut items = Vec::new();
        let mut rest = &body[..];
        for size in sizes.iter().cycle() {
            let (frame, tail) = rest.split_at((*size).min(rest.len()));
            splitter.push(&Bytes::copy_from_slice(frame), &mut items).expect("a list");
            rest = tail;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(splitter.finish().expect("a list").resource_version, "42");
        prop_assert_eq!(items.len(), 3);
        for item in items {
            prop_assert_eq!(&item.expect("an item")[..], raw);
        }
    }
}

/// The objects of `tests/data`, read once.
fn objects() -> Vec<Vec<u8>> {
    static OBJECTS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    let objects = OBJECTS.get_or_init(|| {
        let objects = checked_in().into_iter();
        objects.map(|object| object.protobuf).collect()
    });
    objects.clone()
}

fn put_varint(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(u8::try_from(value % 0x80).expect("7 bits") | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).expect("7 bits"));
}

/// Every prefix of an object: bodies break off anywhere.
#[test]
fn every_prefix_is_an_object_or_an_error() {
    let objects = objects();
    let object = objects
        .iter()
        .filter(|object| object.len() < 1500)
        .max_by_key(|object| object.len());
    let object = object.expect("an object");
    for end in 0..object.len() {
        let prefix = &object[..end];
        assert!(from_slice::<Value>(prefix).is_err() || end > object.len() - 5);
        read(prefix);
    }
}

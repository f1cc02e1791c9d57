//! Malformed or unusual data: rejected alone, ends the body, or makes the source request JSON.

use informer_protobuf::wrap;

use super::*;

/// Encodes a length-delimited field.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).unwrap();
    assert!(length < 128);
    [&[number << 3 | 2, length][..], bytes].concat()
}

/// Returns a pod in whose spec `nodeName = 10` precedes `restartPolicy = 3`.
fn unusual_pod() -> Vec<u8> {
    let metadata = field(1, &field(1, b"a"));
    let spec = [field(10, b"n1"), field(3, b"Always")].concat();
    [metadata, field(2, &spec)].concat()
}

fn list_of(items: &[&[u8]]) -> Vec<u8> {
    let mut message = field(1, &field(2, b"42"));
    for item in items {
        message.extend(field(2, item));
    }
    wrap("v1", "PodList", &message)
}

/// Returns the names of the items, or the reasons of their rejection.
fn outcomes(items: &Items) -> Vec<String> {
    let items = items.iter();
    items
        .map(|item| match item {
            Ok(object) => object.key().name().to_owned(),
            Err(rejected) => rejected.to_string(),
        })
        .collect()
}

/// W-01, W-15.
#[test]
fn w15_bad_items_are_rejected_alone() {
    let good = field(1, &field(1, b"a"));
    let nameless = field(1, &field(3, b"ns"));
    let body = list_of(&[&good, b"\xff", &nameless, b"", &good]);
    let options = SplitOptions::default().max_object_bytes(50);
    for frame in [1, 5, body.len()] {
        let (items, end) = split_list(Encoding::Protobuf, &body, frame, &options);
        assert_eq!(end.unwrap(), ListMeta::at("42"));
        let outcomes = outcomes(&items);
        assert_eq!(outcomes[0], "a");
        assert!(outcomes[1].starts_with("object without a key rejected: "));
        assert!(outcomes[2].ends_with("metadata.name is missing"));
        assert!(outcomes[3].starts_with("object without a key rejected: "));
        assert_eq!(outcomes[4], "a");
    }
}

/// W-13: without its header, a relist would delete the object; JSON keeps the header.
#[test]
fn w13_an_oversize_item_requires_json() {
    let good = field(1, &field(1, b"a"));
    let long = field(1, &field(1, &[b'x'; 60]));
    let body = list_of(&[&good, &long, &good]);
    let options = SplitOptions::default().max_object_bytes(50);
    for frame in [1, 5, body.len()] {
        let (items, end) = split_list(Encoding::Protobuf, &body, frame, &options);
        assert_eq!(outcomes(&items), ["a"]);
        let expected = SplitError::Unusual("an object larger than 50 bytes".to_owned());
        assert_eq!(end.unwrap_err(), expected);
    }
}

/// W-01, W-17.
#[test]
fn w17_bad_events_are_rejected_alone() {
    let good = watch_frame("ADDED", &wrap("v1", "Pod", &field(1, &field(1, b"a"))));
    let body = [
        &good[..],
        &[0, 0, 0, 2, 0x0f, 0xff],
        &[0, 0, 0, 0],
        &watch_frame("ADDED", b"{}"),
        &watch_frame("BOOKMARK", &wrap("v1", "Pod", &field(1, &field(1, b"a")))),
        &good,
    ]
    .concat();
    let options = SplitOptions::default().max_object_bytes(50);
    for frame in [1, 9, 4000, body.len()] {
        let (events, end) = split_watch(Encoding::Protobuf, &body, frame, &options);
        end.unwrap();
        let is_rejected = events
            .iter()
            .map(|event| matches!(event, RawEvent::Rejected(_)));
        let is_rejected: Vec<bool> = is_rejected.collect();
        assert_eq!(is_rejected, [false, true, true, true, true, false]);
    }
}

/// W-13: an oversize event keeps the header of its object if the header is readable; for a still
/// larger event, the body is requested in JSON.
#[test]
fn w13_an_event_that_is_too_large_keeps_its_header() {
    let large = wrap("v1", "Pod", &field(1, &field(1, &[b'x'; 60])));
    let body = [
        &watch_frame("ADDED", &large)[..],
        &watch_frame("MODIFIED", &wrap("v1", "Pod", &vec![0; 8000])),
    ]
    .concat();
    let options = SplitOptions::default().max_object_bytes(50);
    for frame in [1, 9, 4000, body.len()] {
        let (events, end) = split_watch(Encoding::Protobuf, &body, frame, &options);
        let [RawEvent::Added(object)] = &events[..] else {
            panic!("{events:?}");
        };
        assert_eq!(object.key().name(), "x".repeat(60));
        let error = object.decode::<Pod>().unwrap_err();
        assert_eq!(error.message, "the object is larger than 50 bytes");
        assert!(matches!(end, Err(SplitError::Unusual(_))), "{end:?}");
    }
}

#[test]
fn w16_a_watch_that_continues_as_text_fails_after_its_events() {
    let good = watch_frame("ADDED", &wrap("v1", "Pod", &field(1, &field(1, b"a"))));
    let options = SplitOptions::default();
    // Their first characters would be a length of half a gigabyte and more.
    let event = br#"{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}}"#;
    for text in [&event[..], b"<html>", b"    "] {
        let body = [&good[..], text].concat();
        for frame in [1, 9, body.len()] {
            let (events, end) = split_watch(Encoding::Protobuf, &body, frame, &options);
            assert!(matches!(&events[..], [RawEvent::Added(_)]));
            assert_eq!(
                end.unwrap_err().to_string(),
                format!("expected the length of an event at byte {}", good.len() + 4)
            );
        }
    }
}

#[test]
fn w11_a_list_of_another_type_is_rejected_item_by_item() {
    let body = list_of(&[&field(1, &field(1, b"a"))]);
    let options = SplitOptions::default().expected_type(type_meta("v1", "Node"));
    let (items, end) = split_list(Encoding::Protobuf, &body, body.len(), &options);
    end.unwrap();
    assert_eq!(
        outcomes(&items),
        ["object without a key rejected: it is a Pod of v1, not a Node of v1"]
    );
}

/// W-10, W-16.
#[test]
fn w16_bodies_that_are_not_a_list_fail() {
    let options = SplitOptions::default();
    let end = |body: &[u8]| split_list(Encoding::Protobuf, body, 7, &options).1;
    let status = encode(&json!({"kind": "Status", "apiVersion": "v1", "code": 500})).unwrap();
    assert_eq!(end(&status), Err(SplitError::NotAList("a Status")));
    assert!(matches!(
        end(b"{\"kind\":"),
        Err(SplitError::Malformed { .. })
    ));
    let body = list_of(&[&field(1, &field(1, b"a"))]);
    let twice = [&body[..], &body[4..]].concat();
    assert!(matches!(end(&twice), Err(SplitError::Malformed { .. })));
    for cut in 1..body.len() - 4 {
        let ended = end(&body[..cut]);
        assert!(
            matches!(ended, Err(SplitError::Truncated { .. })),
            "{cut}: {ended:?}"
        );
    }
    let watch = watch_frame("ADDED", &wrap("v1", "Pod", &field(1, &field(1, b"a"))));
    for cut in 1..watch.len() {
        let (_, ended) = split_watch(Encoding::Protobuf, &watch[..cut], 5, &options);
        assert!(matches!(ended, Err(SplitError::Truncated { .. })), "{cut}");
    }
}

#[test]
fn w23_unknown_kinds_and_unusual_headers_end_the_body_and_require_json() {
    let options = SplitOptions::default();
    let reversed = field(1, &[field(3, b"ns"), field(1, b"a")].concat());
    let future = wrap("v1", "GadgetList", &field(2, &field(1, &field(1, b"a"))));
    for body in [list_of(&[&reversed]), future] {
        let (_, end) = split_list(Encoding::Protobuf, &body, body.len(), &options);
        assert!(matches!(end, Err(SplitError::Unusual(_))), "{end:?}");
    }
    let mut packed = wrap("v1", "Pod", &field(1, &field(1, b"a")));
    // `contentEncoding` and `contentType` are the last fields of the envelope, and empty.
    packed.truncate(packed.len() - 4);
    packed.extend(field(3, b"gzip"));
    for object in [
        wrap("v1", "Pod", &reversed),
        wrap("v1", "Gadget", b""),
        packed,
    ] {
        let body = watch_frame("ADDED", &object);
        let (_, end) = split_watch(Encoding::Protobuf, &body, body.len(), &options);
        assert!(matches!(end, Err(SplitError::Unusual(_))), "{end:?}");
    }
}

#[test]
fn w23_an_object_in_unusual_order_does_not_decode_and_requires_json() {
    let raw = RawObject::protobuf(wrap("v1", "Pod", &unusual_pod())).unwrap();
    assert_eq!(raw.key().name(), "a");
    let error = raw
        .without(&DropFields::default())
        .decode::<Pod>()
        .unwrap_err();
    assert!(error.message.contains("unusual"), "{error}");
    assert!(error.needs_json);
}

#[test]
fn w20_decode_errors_name_the_path_and_quote_nothing() {
    #[derive(Debug, serde::Deserialize)]
    struct Wrong {
        #[expect(dead_code, reason = "decoding fails before this field is set")]
        data: std::collections::BTreeMap<String, u32>,
    }
    let secret = json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"},
                        "data": {"key": "hunter2"}});
    let [json, protobuf] = ENCODINGS.map(|encoding| {
        let raw = raw(encoding, &secret);
        raw.decode::<Wrong>().unwrap_err()
    });
    assert_eq!(json, protobuf);
    assert_eq!(protobuf.path, "data.key");
    assert_eq!(protobuf.message, "invalid type: string, expected u32");
}

/// I-15: among labels with the same key, the last one counts, as in decoders.
#[test]
fn i15_the_last_of_equal_labels_counts() {
    let label = |value| field(11, &[field(1, b"k"), field(2, value)].concat());
    let metadata = [field(1, b"a"), label(b"1"), label(b"2")].concat();
    let raw = RawObject::protobuf(wrap("v1", "Pod", &field(1, &metadata))).unwrap();
    let labels = raw.related().labels;
    let values: Vec<&str> = labels.iter().map(|(_, value)| &**value).collect();
    assert_eq!(values, ["2"]);
    let pod: Pod = raw.decode().unwrap();
    assert_eq!(pod.metadata.labels.unwrap()["k"], "2");
}

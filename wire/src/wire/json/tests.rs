mod paths;

use bytes::Bytes;
use kube::core::TypeMeta;
use serde_json::{Value, json};

use crate::object::ObjectKey;
use crate::wire::{
    Encoding, ListMeta, RawEvent, RawObject, Rejected, SplitError, SplitOptions, SplitStats,
};

type Items = Vec<Result<RawObject, Rejected>>;

/// Splits a list that arrives in these frames.
fn split_list<'a>(
    frames: impl IntoIterator<Item = &'a [u8]>,
    options: &SplitOptions,
) -> (Items, Result<(ListMeta, SplitStats), SplitError>) {
    let mut splitter = Encoding::Json.list_splitter(options);
    let mut items = Vec::new();
    for frame in frames {
        if let Err(error) = splitter.push(&Bytes::copy_from_slice(frame), &mut items) {
            return (items, Err(error));
        }
    }
    let stats = splitter.stats();
    (items, splitter.finish().map(|meta| (meta, stats)))
}

/// Splits a watch that arrives in these frames.
fn split_watch<'a>(
    frames: impl IntoIterator<Item = &'a [u8]>,
    options: &SplitOptions,
) -> (Vec<RawEvent>, Result<SplitStats, SplitError>) {
    let mut splitter = Encoding::Json.event_splitter(options);
    let mut events = Vec::new();
    for frame in frames {
        if let Err(error) = splitter.push(&Bytes::copy_from_slice(frame), &mut events) {
            return (events, Err(error));
        }
    }
    let stats = splitter.stats();
    (events, splitter.finish().map(|()| stats))
}

fn list(text: &str, options: &SplitOptions) -> (Items, Result<ListMeta, SplitError>) {
    let (items, end) = split_list([text.as_bytes()], options);
    (items, end.map(|(meta, _)| meta))
}

/// Returns events as text, one per line.
fn watch(text: &str, options: &SplitOptions) -> Vec<String> {
    let (events, end) = split_watch([text.as_bytes()], options);
    end.unwrap();
    events.iter().map(print).collect()
}

fn print(event: &RawEvent) -> String {
    let with = |sign, o: &RawObject| format!("{sign}{}@{}", o.key(), o.resource_version());
    match event {
        RawEvent::Added(o) => with("+", o),
        RawEvent::Modified(o) => with("~", o),
        RawEvent::Deleted(o) => with("-", o),
        RawEvent::Bookmark {
            resource_version,
            initial_events_end,
        } => format!("bookmark@{resource_version} end={initial_events_end}"),
        RawEvent::Error(status) => format!("error: {status}"),
        RawEvent::Unknown {
            event_type,
            resource_version,
        } => format!("{event_type}@{resource_version}"),
        RawEvent::Rejected(rejected) => rejected.to_string(),
    }
}

fn default() -> SplitOptions {
    SplitOptions::default()
}

fn type_meta(api_version: &str, kind: &str) -> TypeMeta {
    TypeMeta {
        api_version: api_version.into(),
        kind: kind.into(),
    }
}

/// Returns the text of the only item.
fn only_item(text: &str, options: &SplitOptions) -> String {
    let (items, end) = list(text, options);
    end.unwrap();
    let [item] = items.as_slice() else {
        panic!("{items:?}");
    };
    String::from_utf8(item.as_ref().unwrap().bytes().to_vec()).unwrap()
}

#[test]
fn w01_nothing_but_the_unfinished_item_is_held_between_frames() {
    let item = json!({"metadata": {"name": "a"}, "data": "x".repeat(1000)}).to_string();
    let body = format!(
        r#"{{"kind":"List","items":[{}]}}"#,
        vec![item.clone(); 1000].join(",")
    );
    let mut splitter = Encoding::Json.list_splitter(&default());
    let mut items = Vec::new();
    let mut found = 0;
    for frame in body.as_bytes().chunks(10_000) {
        let frame = Bytes::copy_from_slice(frame);
        splitter.push(&frame, &mut items).unwrap();
        // Items leave with the frame in which they end, and only items keep a frame alive.
        assert!(items.len() + 2 > frame.len() / item.len());
        found += items.len();
        items.clear();
        assert!(frame.is_unique());
    }
    assert_eq!(found, 1000);
    let stats = splitter.stats();
    assert_eq!((stats.objects, stats.bytes), (1000, body.len() as u64));
    assert!(stats.copies <= body.len() as u64 / 10_000, "{stats:?}");
}

#[test]
fn w01_an_object_inside_a_frame_is_not_copied_and_one_across_frames_once() {
    let text = r#"{"kind":"List","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}"#;
    let frame = Bytes::from(text);
    let mut splitter = Encoding::Json.list_splitter(&default());
    let mut items = Vec::new();
    splitter.push(&frame, &mut items).unwrap();
    for item in &items {
        let bytes = item.as_ref().unwrap().bytes();
        assert!(frame.as_ptr_range().contains(&bytes.as_ptr()));
    }
    assert_eq!(splitter.stats().copies, 0);

    let managed = text.replace(r#"{"name""#, r#"{"managedFields":[{}],"name""#);
    for frame_size in [managed.len(), 7, 1] {
        let (items, end) = split_list(managed.as_bytes().chunks(frame_size), &default());
        assert_eq!(items.len(), 2);
        assert_eq!(end.unwrap().1.copies, 2, "frames of {frame_size}");
    }
}

#[test]
fn w01_large_items_are_rejected_alone_and_large_metadata_fails_the_list() {
    let large = "x".repeat(2000);
    let text = format!(
        r#"{{"kind":"List","items":[{{"metadata":{{"name":"a"}},"d":"{large}"}},{{"metadata":{{"name":"b"}}}}]}}"#
    );
    for frame_size in [text.len(), 300, 1] {
        let options = default().max_object_bytes(1000);
        let (items, end) = split_list(text.as_bytes().chunks(frame_size), &options);
        assert!(end.is_ok());
        let refused = items[0].as_ref().unwrap();
        assert_eq!(refused.key().name(), "a");
        let error = refused.decode::<serde_json::Value>().unwrap_err();
        assert_eq!(error.message, "the object is larger than 1000 bytes");
        assert_eq!(items[1].as_ref().unwrap().key().name(), "b");
    }
    let text = format!(
        r#"{{"kind":"List","metadata":{{"continue":"{}"}}}}"#,
        "x".repeat(70_000)
    );
    let (_, end) = list(&text, &default());
    assert!(matches!(end, Err(SplitError::Malformed { .. })), "{end:?}");
}

/// W-01: an item of exactly the maximum size is accepted.
#[test]
fn w01_items_and_metadata_of_the_maximum_size_are_accepted() {
    let item = r#"{"metadata":{"name":"a"}}"#;
    let text = format!(r#"{{"kind":"List","items":[{item}]}}"#);
    for frame_size in [text.len(), 7, 1] {
        let is_accepted = |limit| {
            let options = default().max_object_bytes(limit);
            let (items, _) = split_list(text.as_bytes().chunks(frame_size), &options);
            let item = items[0].as_ref().unwrap();
            item.decode::<serde_json::Value>().is_ok()
        };
        assert!(
            is_accepted(item.len()) && !is_accepted(item.len() - 1),
            "{frame_size}"
        );
    }
    for (size, is_accepted) in [(64 << 10, true), ((64 << 10) + 1, false)] {
        let token = "x".repeat(size - r#"{"continue":""}"#.len());
        let text = format!(r#"{{"kind":"List","metadata":{{"continue":"{token}"}}}}"#);
        assert_eq!(list(&text, &default()).1.is_ok(), is_accepted, "{size}");
    }
}

/// W-01: a watch counts its objects, bytes and copies, like a list.
#[test]
fn w01_a_watch_counts_its_objects() {
    let text = r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#.repeat(2);
    for (frame_size, copies) in [(text.len(), 0), (7, 2)] {
        let (_, stats) = split_watch(text.as_bytes().chunks(frame_size), &default());
        let stats = stats.unwrap();
        assert_eq!((stats.objects, stats.bytes), (2, text.len() as u64));
        assert_eq!(stats.copies, copies);
    }
}

#[test]
fn w02_a_list_without_items_is_empty() {
    for text in [
        r#"{"items":null,"metadata":{"resourceVersion":"7"}}"#,
        r#"{"metadata":{"resourceVersion":"7"},"items":[]}"#,
        r#"{"metadata":{"resourceVersion":"7","continue":""}}"#,
        " { \"metadata\" : { \"resourceVersion\" : \"7\" } , \"items\" : [ ] } \r\n",
    ] {
        let (items, meta) = list(text, &default());
        assert_eq!((items.len(), meta), (0, Ok(ListMeta::at("7"))), "{text}");
    }
    for text in [
        r#"{"kind":"PodList"}"#,
        r#"{"metadata":null,"kind":"List"}"#,
    ] {
        assert_eq!(list(text, &default()).1, Ok(ListMeta::default()));
    }
}

/// W-02: a definition may name its list as it likes, so `items` make a list.
#[test]
fn w02_a_list_may_have_any_kind() {
    let item = r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}}"#;
    let metadata = r#""metadata":{"resourceVersion":"7"}"#;
    for (items, count) in [
        (format!("[{item}]"), 1),
        ("[]".to_owned(), 0),
        ("null".to_owned(), 0),
    ] {
        for text in [
            format!(
                r#"{{"kind":"Widgets","apiVersion":"example.com/v1",{metadata},"items":{items}}}"#
            ),
            format!(r#"{{"items":{items},{metadata},"kind":"Widgets"}}"#),
        ] {
            for frame_size in [text.len(), 1] {
                let (found, end) = split_list(text.as_bytes().chunks(frame_size), &default());
                assert_eq!(
                    (found.len(), end.unwrap().0),
                    (count, ListMeta::at("7")),
                    "{text}"
                );
            }
        }
    }
}

/// W-02: a body of another kind, of one object, or without kind and version is no empty list.
#[test]
fn w02_a_body_that_is_no_list_fails() {
    for text in include_str!("tests/no_lists.txt").lines() {
        for frame_size in [text.len(), 1] {
            let (items, end) = split_list(text.as_bytes().chunks(frame_size), &default());
            let is_no_list = matches!(end, Err(SplitError::NotAList(_)));
            assert!(is_no_list && items.is_empty(), "{text}: {end:?}");
        }
    }
}

#[test]
fn w04_managed_fields_are_cut_as_bytes_and_every_other_byte_stays() {
    let managed = r#""managedFields" : [ {"a": "]}\"", "managedFields":[]} ]"#;
    for (metadata, expected) in [
        (r#"{"name":"a" , MANAGED }"#, r#"{"name":"a"  }"#),
        (r#"{ MANAGED , "name":"a"}"#, r#"{  "name":"a"}"#),
        (
            r#"{"name":"a",MANAGED,"uid":"u"}"#,
            r#"{"name":"a","uid":"u"}"#,
        ),
        (r#"{"name":"a","managedFields":null}"#, r#"{"name":"a"}"#),
        (
            r#"{"name":"a","labels":{"managedFields":"x"}}"#,
            r#"{"name":"a","labels":{"managedFields":"x"}}"#,
        ),
    ] {
        let metadata = metadata.replace("MANAGED", managed);
        let item = |metadata: &str| {
            format!(r#"{{"managedFields":[1],  "metadata":{metadata},"é":{{"managedFields":[]}}}}"#)
        };
        let text = format!(r#"{{"kind":"List","items":[{}]}}"#, item(&metadata));
        assert_eq!(only_item(&text, &default()), item(expected));
        let keep = default().keep_managed_fields(true);
        assert_eq!(only_item(&text, &keep), item(&metadata));
    }
}

#[test]
fn w05_items_get_the_type_of_their_list() {
    let head = r#""kind":"FooList","apiVersion":"example.com/v1""#;
    let options = default().add_type_meta(true);
    let cases = [
        (
            r#"{"metadata":{"name":"a"}}"#,
            r#"{"kind":"Foo","apiVersion":"example.com/v1","metadata":{"name":"a"}}"#,
        ),
        (
            r#"{ "metadata":{"name":"a"},"kind":"Foo"}"#,
            r#"{"apiVersion":"example.com/v1", "metadata":{"name":"a"},"kind":"Foo"}"#,
        ),
        (
            r#"{"apiVersion":"v9","kind":"Bar","metadata":{"name":"a"}}"#,
            r#"{"apiVersion":"v9","kind":"Bar","metadata":{"name":"a"}}"#,
        ),
    ];
    for (item, expected) in cases {
        let text = format!(r#"{{{head},"items":[{item}]}}"#);
        assert_eq!(only_item(&text, &options), expected);
        // An object that spans frames is edited in place.
        let (items, end) = split_list(text.as_bytes().chunks(11), &options);
        assert_eq!(items[0].as_ref().unwrap().bytes(), expected);
        assert_eq!(end.unwrap().1.copies, 1);
        assert_eq!(only_item(&text, &default()), item);
    }
    let text = format!(r#"{{{head},"items":[{{"metadata":{{"managedFields":[],"name":"a"}}}}]}}"#);
    assert_eq!(
        only_item(&text, &options),
        r#"{"kind":"Foo","apiVersion":"example.com/v1","metadata":{"name":"a"}}"#
    );
}

#[test]
fn w05_the_expected_type_is_added_for_any_kind_of_list() {
    let options = default()
        .add_type_meta(true)
        .expected_type(type_meta("v1", "Foo"));
    let text = r#"{"items":[{"metadata":{"name":"a"}}],"kind":"OtherList","apiVersion":"v1"}"#;
    assert_eq!(
        only_item(text, &options),
        r#"{"kind":"Foo","apiVersion":"v1","metadata":{"name":"a"}}"#
    );
}

#[test]
fn w10_a_table_fails_as_a_list_and_is_rejected_alone_as_an_event() {
    for version in ["v1", "v1beta1"] {
        let table = format!(
            r#"{{"kind":"Table","apiVersion":"meta.k8s.io/{version}","metadata":{{"name":"a",
            "resourceVersion":"5"}},"rows":[]}}"#
        );
        assert_eq!(
            list(&table, &default()).1,
            Err(SplitError::NotAList("a Table"))
        );
        let ok = r#"{"type":"ADDED","object":{"metadata":{"name":"b"}}}"#;
        let events = watch(
            &format!(r#"{{"type":"ADDED","object":{table}}}{ok}"#),
            &default(),
        );
        assert_eq!(events, ["object a rejected: it is a Table", "+b@"]);
    }
    let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure"}"#;
    assert_eq!(
        list(status, &default()).1,
        Err(SplitError::NotAList("a Status"))
    );
}

/// W-11, M-05.
#[test]
fn w11_an_object_of_another_type_is_rejected_alone() {
    let options = default().expected_type(type_meta("apps/v1", "Deployment"));
    let event = |object: &str| format!(r#"{{"type":"MODIFIED","object":{{{object}}}}}"#);
    let text = [
        event(r#""kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"a"}"#),
        event(r#""kind":"Deployment","apiVersion":"apps/v2","metadata":{"name":"b"}"#),
        event(r#""metadata":{"name":"c"},"kind":"Pod","apiVersion":"v1""#),
        event(r#""metadata":{"name":"d"}"#),
    ];
    assert_eq!(
        watch(&text.concat(), &options),
        [
            "~a@",
            "object b rejected: it is a Deployment of apps/v2, not a Deployment of apps/v1",
            "object c rejected: it is a Pod of v1, not a Deployment of apps/v1",
            "~d@",
        ]
    );
    let items = r#"{"kind":"List","items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}},
        {"metadata":{"name":"b"}}]}"#;
    let (items, end) = list(items, &options);
    assert_eq!(
        items[0].as_ref().unwrap_err().key,
        Some(ObjectKey::cluster("a"))
    );
    assert!(items[1].is_ok() && end.is_ok());
}

#[test]
fn w15_an_item_without_a_header_does_not_stop_the_list() {
    let text = r#"{"items":[null,7,"a",[],{},{"metadata":{"name":7}},{"metadata":{"name":"ok"}}],
        "metadata":{"resourceVersion":"7"}}"#;
    let (items, meta) = list(text, &default());
    let (last, bad) = items.split_last().unwrap();
    assert!(
        bad.iter()
            .all(|item| item.as_ref().unwrap_err().key.is_none())
    );
    assert_eq!((bad.len(), meta), (6, Ok(ListMeta::at("7"))));
    assert_eq!(last.as_ref().unwrap().key(), &ObjectKey::cluster("ok"));
}

/// W-15: items of two bytes each must not produce an error each, so most of them are only counted.
#[test]
fn w15_many_items_without_a_header_are_counted() {
    let mut splitter = Encoding::Json.list_splitter(&default());
    let (mut refused, mut named) = (Vec::new(), 0);
    let begin = Bytes::from(r#"{"items":[{}"#);
    let part = Bytes::from(format!(
        r#"{},{{"metadata":{{"name":"a"}}}}"#,
        ",{}".repeat(1000)
    ));
    for frame in std::iter::once(begin).chain(vec![part; 10]) {
        let mut items = Vec::new();
        splitter.push(&frame, &mut items).unwrap();
        named += items.iter().filter(|item| item.is_ok()).count();
        refused.extend(items.into_iter().filter_map(Result::err));
    }
    assert_eq!((named, splitter.stats().objects), (10, 10_011));
    let texts: Vec<&str> = refused
        .iter()
        .map(|refused| refused.reason.as_str())
        .collect();
    assert_eq!(texts.len(), 100 + 10);
    let more = "1000 more items without a key";
    assert_eq!(
        texts[100..],
        [&["901 more items without a key"][..], &[more; 9]].concat()
    );
}

#[test]
fn w16_a_list_that_is_cut_anywhere_fails() {
    let text = r#"{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}"#;
    for length in 0..text.len() {
        let (_, end) = list(&text[..length], &default());
        let bytes = length as u64;
        assert_eq!(end, Err(SplitError::Truncated { bytes }), "{length}");
    }
}

#[test]
fn w16_a_watch_that_is_cut_inside_an_event_is_truncated() {
    let event = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n";
    for length in 0..event.len() {
        let text = format!("{event}{}", &event[..length]);
        let (events, end) = split_watch([text.as_bytes()], &default());
        let is_between = length == 0 || length >= event.len() - 1;
        assert_eq!(end.is_ok(), is_between, "{length}");
        assert_eq!(events.len(), 1 + usize::from(length == event.len() - 1));
    }
}

#[test]
fn w16_a_body_that_is_not_a_list_is_malformed_at_its_offset() {
    for line in include_str!("tests/malformed.txt").lines() {
        let [text, offset, expected] = line.split(" | ").collect::<Vec<_>>().try_into().unwrap();
        let (offset, (_, end)) = (offset.parse().unwrap(), list(text, &default()));
        let malformed = SplitError::Malformed { offset, expected };
        assert_eq!(end, Err(malformed), "{text}");
    }
    let bad_meta = r#"{"metadata":{"resourceVersion":7}}"#;
    assert!(matches!(
        list(bad_meta, &default()).1,
        Err(SplitError::Malformed { .. })
    ));
}

/// W-17, B-08.
#[test]
fn w17_odd_events_are_rejected_alone() {
    let text = concat!(
        r#"{"type":"ADDED"}"#,
        r#"{"object":{"metadata":{"name":"a"}}}"#,
        r#"{"type":7,"object":{}}"#,
        r#"{"type":"ADDED","object":null}"#,
        r#"{"type":"FADED","object":{"metadata":{"resourceVersion":"9"}}}"#,
        r#"{"type":"BOOKMARK","object":{"metadata":{}}}"#,
        "{}",
    );
    let without_key = |reason: &str| format!("object without a key rejected: {reason}");
    assert_eq!(
        watch(text, &default()),
        [
            without_key("an event without an object"),
            without_key("an event without a type"),
            without_key("an event without a type"),
            without_key("not an object"),
            "FADED@9".to_owned(),
            without_key("a bookmark without a resourceVersion"),
            without_key("an event without a type"),
        ]
    );
}

#[test]
fn l02_only_the_annotation_true_ends_the_initial_events() {
    let cases = [
        (json!({"k8s.io/initial-events-end": "true"}), true),
        (
            json!({"k8s.io/initial-events-end": "true", "other": "x"}),
            true,
        ),
        (json!({"k8s.io/initial-events-end": "false"}), false),
        (json!({"k8s.io/initial-events-end": "True"}), false),
        (json!({"other": "true"}), false),
        (Value::Null, false),
    ];
    for (annotations, ends) in cases {
        let metadata = json!({"resourceVersion": "7", "annotations": annotations});
        let event = json!({"type": "BOOKMARK", "object": {"kind": "Pod", "metadata": metadata}});
        assert_eq!(
            watch(&event.to_string(), &default()),
            [format!("bookmark@7 end={ends}")]
        );
    }
}

#[test]
fn b06_an_error_event_carries_its_status() {
    let options = default().expected_type(type_meta("v1", "Pod"));
    let status =
        r#"{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"old"}"#;
    let text = format!(r#"{{"type":"ERROR","object":{status}}}"#);
    assert_eq!(watch(&text, &options), ["error: old (HTTP 410, Expired)"]);
    let (events, _) = split_watch([text.as_bytes()], &options);
    assert!(matches!(&events[0], RawEvent::Error(status) if status.is_expired()));
}

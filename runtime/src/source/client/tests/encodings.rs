//! Behaviour of lists and watches that is the same in each encoding.

use informer_protobuf::{encode, watch_frame};
use serde_json::Value;

use super::*;

const ENCODINGS: [Encoding; 2] = [Encoding::Json, Encoding::Protobuf];

type Headers = &'static [(&'static str, &'static str)];

/// Returns the headers of a response, compressed or not.
fn headers(encoding: Encoding, packed: bool) -> Headers {
    match (encoding == Encoding::Protobuf, packed) {
        (false, false) => &[("content-type", "application/json")],
        (false, true) => &[
            ("content-type", "application/json"),
            ("content-encoding", "gzip"),
        ],
        (true, false) => &[("content-type", "application/vnd.kubernetes.protobuf")],
        (true, true) => &[
            ("content-type", "application/vnd.kubernetes.protobuf"),
            ("content-encoding", "gzip"),
        ],
    }
}

/// Creates a source that requests this encoding, and always gets responses in it.
fn answering_in(
    encoding: Encoding,
    status: u16,
    packed: bool,
    frames: Vec<Vec<u8>>,
) -> KubeListerWatcher {
    answering(status, headers(encoding, packed), frames).encoding(encoding)
}

fn spelt(encoding: Encoding, value: &Value) -> Vec<u8> {
    if encoding == Encoding::Protobuf {
        return encode(value).unwrap();
    }
    value.to_string().into_bytes()
}

/// Encodes an event of an object, as a line or a frame.
fn event_of(encoding: Encoding, event_type: &str, object: &Value) -> Vec<u8> {
    if encoding == Encoding::Protobuf {
        return watch_frame(event_type, &encode(object).unwrap());
    }
    let event = json!({"type": event_type, "object": object});
    (event.to_string() + "\n").into_bytes()
}

/// Encodes the event that the Pod `name` was added.
fn added(encoding: Encoding, name: &str) -> Vec<u8> {
    let metadata = json!({"name": name, "resourceVersion": "9"});
    let object = json!({"kind": "Pod", "apiVersion": "v1", "metadata": metadata});
    event_of(encoding, "ADDED", &object)
}

fn list_of(encoding: Encoding, metadata: &Value, names: &[&str]) -> Vec<u8> {
    let items = names.iter().map(|name| json!({"metadata": {"name": name}}));
    let items: Vec<Value> = items.collect();
    let list = json!({
        "kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": items,
    });
    spelt(encoding, &list)
}

/// Returns the offset of the name of a Pod, which lies inside the object.
fn inside(body: &[u8], name: &str) -> usize {
    let at = body
        .windows(name.len())
        .position(|window| window == name.as_bytes());
    at.expect("the name is in the body")
}

fn status(code: u16, reason: &str) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
           "reason": reason, "message": "no"})
}

async fn list(source: &KubeListerWatcher) -> (Vec<Vec<String>>, Result<ListMeta, SourceError>) {
    read_list(source.list(ListOptions::default()).await.unwrap()).await
}

async fn watch(source: &KubeListerWatcher) -> (Vec<String>, Option<SourceError>) {
    read_watch(source.watch(watching()).await.unwrap()).await
}

/// W-01, W-23: items are returned as their frames arrive.
#[tokio::test(start_paused = true)]
async fn w01_items_are_returned_as_their_frames_arrive_in_each_encoding() {
    for encoding in ENCODINGS {
        let (mut frames, source) = controlled_in(encoding);
        let mut parts = source.list(ListOptions::default()).await.unwrap();
        let whole = list_of(encoding, &json!({"resourceVersion": "7"}), &["one", "two"]);
        let (first, rest) = whole.split_at(inside(&whole, "two"));
        frames.send(Ok(first.to_vec().into())).await.unwrap();
        let Some(Ok(ListPart::Items(items))) = parts.next().await else {
            panic!("no items in {encoding}");
        };
        assert_eq!(items.len(), 1);
        let item = items[0].as_ref().unwrap();
        assert_eq!((item.key().as_str(), item.encoding()), ("one", encoding));
        frames.send(Ok(Bytes::new())).await.unwrap();
        frames.send(Ok(rest.to_vec().into())).await.unwrap();
        drop(frames);
        let (groups, end) = read_list(parts).await;
        assert_eq!(groups, [["two"]]);
        assert_eq!(end.unwrap(), ListMeta::at("7"));
        assert_eq!(source.last_encoding(), Some(encoding));
    }
}

/// W-07, W-23: the continue token and the remaining count of a page.
#[tokio::test(start_paused = true)]
async fn w07_a_page_has_the_token_of_the_next_one_in_each_encoding() {
    for encoding in ENCODINGS {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&requests);
        let source = pods(client(move |request| {
            let query = request.uri().query().unwrap_or_default().to_owned();
            let (metadata, name) = if query.contains("continue=") {
                (json!({"resourceVersion": "7"}), "b")
            } else {
                let more = json!({
                    "resourceVersion": "7", "continue": "next", "remainingItemCount": 1,
                });
                (more, "a")
            };
            notes.lock().push(query);
            let frame = Bytes::from(list_of(encoding, &metadata, &[name]));
            let response = Response::builder().header(header::CONTENT_TYPE, encoding.media_type());
            let frames = stream::iter([Ok::<_, Infallible>(frame)]);
            async { Ok(response.body(body(frames)).unwrap()) }
        }));
        let source = source.encoding(encoding);
        let mut options = ListOptions {
            limit: Some(1),
            ..ListOptions::default()
        };
        let (groups, end) = read_list(source.list(options.clone()).await.unwrap()).await;
        assert_eq!(groups, [["a"]]);
        let expected = ListMeta {
            continue_token: Some("next".into()),
            remaining_item_count: Some(1),
            ..ListMeta::at("7")
        };
        assert_eq!(end.unwrap(), expected);
        options.continue_token = expected.continue_token;
        let (groups, end) = read_list(source.list(options).await.unwrap()).await;
        assert_eq!(groups, [["b"]]);
        assert_eq!(end.unwrap(), ListMeta::at("7"));
        assert_eq!(*requests.lock(), ["limit=1", "limit=1&continue=next"]);
    }
}

/// W-16, W-23: a list that is truncated anywhere ends in an error, after its complete items.
#[tokio::test(start_paused = true)]
async fn w16_a_list_cut_anywhere_ends_in_an_error_in_each_encoding() {
    for encoding in ENCODINGS {
        let whole = list_of(encoding, &json!({"resourceVersion": "7"}), &["one", "two"]);
        // JSON needs the closing brace; in protobuf, the bytes after the message of the list do not
        // matter.
        let spare = if encoding == Encoding::Protobuf { 4 } else { 0 };
        let needed = whole.len() - spare;
        for length in 0..needed {
            let source = answering_in(encoding, 200, false, vec![whole[..length].to_vec()]);
            let (groups, end) = list(&source).await;
            let at = format!("{length} bytes of {encoding}: {groups:?}, {end:?}");
            let error = failed(end);
            assert!(
                matches!(error, SourceError::Truncated { bytes } if bytes == length as u64),
                "{at}"
            );
            assert!(
                !groups.concat().contains(&"two".into()) || length > inside(&whole, "two"),
                "{at}"
            );
        }
        let cut = whole[..inside(&whole, "two")].to_vec();
        let (groups, _) = list(&answering_in(encoding, 200, false, vec![cut])).await;
        assert_eq!(groups, [["one"]]);
        let (groups, end) = list(&answering_in(encoding, 200, false, vec![whole])).await;
        assert_eq!(
            (groups.concat().len(), end.unwrap()),
            (2, ListMeta::at("7"))
        );
    }
}

/// W-16, W-23: a watch that is truncated inside an event fails as a lost connection; after a
/// complete event, it ends.
#[tokio::test(start_paused = true)]
async fn w16_a_watch_cut_inside_an_event_is_a_connection_error_in_each_encoding() {
    for encoding in ENCODINGS {
        let (first, second) = (added(encoding, "a"), added(encoding, "b"));
        // The last line needs no line break.
        for length in 1..second.len() - 1 {
            let frame = [&first, &second[..length]].concat();
            let (seen, error) = watch(&answering_in(encoding, 200, false, vec![frame])).await;
            assert_eq!(seen, ["a"]);
            let error = error.unwrap_or_else(|| panic!("{length} bytes of {encoding}"));
            assert!(
                error.is_unexpected_eof(),
                "{length} bytes of {encoding}: {error:?}"
            );
        }
        let frames = vec![first, second];
        let (seen, error) = watch(&answering_in(encoding, 200, false, frames)).await;
        assert_eq!((seen.concat(), error.is_none()), ("ab".to_owned(), true));
    }
}

/// W-17, W-23: events before a fault are returned; so are events after it, if the frame has a
/// length.
#[tokio::test(start_paused = true)]
async fn w17_events_before_a_fault_in_the_same_frame_are_returned_in_each_encoding() {
    let frame = |encoding, fault: &[u8]| {
        let [a, b, c] = ["a", "b", "c"].map(|name| added(encoding, name));
        vec![[&a[..], &b, fault, &c].concat()]
    };
    let json = frame(Encoding::Json, b"<html>");
    let (seen, error) = watch(&answering_in(Encoding::Json, 200, false, json)).await;
    assert_eq!(seen, ["a", "b"]);
    assert!(
        matches!(error, Some(SourceError::Malformed(_))),
        "{error:?}"
    );

    let protobuf = frame(Encoding::Protobuf, b"\0\0\0\x03\xff\xff\xff");
    let (seen, error) = watch(&answering_in(Encoding::Protobuf, 200, false, protobuf)).await;
    assert_eq!((seen.len(), error.is_none()), (4, true), "{seen:?}");
    assert_eq!([&*seen[0], &*seen[1], &*seen[3]], ["a", "b", "c"]);
    assert!(seen[2].starts_with("Rejected("), "{seen:?}");
}

/// W-23, B-08: each type of event, and the content of bookmarks.
#[tokio::test(start_paused = true)]
async fn w23_events_and_bookmarks_are_distinguished_in_each_encoding() {
    for encoding in ENCODINGS {
        let pod = |version: &str, annotations: Value| {
            json!({"kind": "Pod", "apiVersion": "v1", "metadata": {
                "name": "a", "resourceVersion": version, "annotations": annotations,
            }})
        };
        let end = json!({"k8s.io/initial-events-end": "true"});
        let frames = vec![
            event_of(encoding, "ADDED", &pod("1", json!({}))),
            event_of(encoding, "MODIFIED", &pod("2", json!({}))),
            event_of(encoding, "DELETED", &pod("3", json!({}))),
            event_of(encoding, "BOOKMARK", &pod("4", json!({}))),
            event_of(encoding, "BOOKMARK", &pod("5", end)),
            event_of(encoding, "NOVEL", &pod("6", json!({}))),
        ];
        let source = answering_in(encoding, 200, false, frames);
        let events = source.watch(watching()).await.unwrap();
        let printed = events.map(|event| match event.unwrap() {
            RawEvent::Added(object) => format!("added {}", object.key()),
            RawEvent::Modified(object) => format!("modified {}", object.key()),
            RawEvent::Deleted(object) => format!("deleted {}", object.key()),
            RawEvent::Bookmark {
                resource_version,
                initial_events_end,
            } => format!("bookmark {resource_version} {initial_events_end}"),
            RawEvent::Unknown {
                event_type,
                resource_version,
            } => format!("{event_type} {resource_version}"),
            other @ (RawEvent::Error(_) | RawEvent::Rejected(_)) => format!("{other:?}"),
        });
        let printed: Vec<String> = printed.collect().await;
        let expected = [
            "added a",
            "modified a",
            "deleted a",
            "bookmark 4 false",
            "bookmark 5 true",
            "NOVEL 6",
        ];
        assert_eq!(printed, expected, "{encoding}");
    }
}

/// W-19, E-14, W-23: a status becomes an error with code, reason and message, whether it is a
/// response, a compressed response, or an event.
#[tokio::test(start_paused = true)]
async fn w19_a_status_is_understood_in_each_encoding() {
    for encoding in ENCODINGS {
        let refusal = spelt(encoding, &status(403, "Forbidden"));
        let source = answering_in(encoding, 403, false, vec![refusal]);
        for error in [
            failed(source.list(ListOptions::default()).await),
            failed(source.watch(watching()).await),
        ] {
            assert_eq!(error.to_string(), "no (HTTP 403, Forbidden)", "{encoding}");
            assert!(error.status().unwrap().is_forbidden());
        }
        let packed = pack(spelt(encoding, &status(410, "Expired")));
        let source = answering_in(encoding, 410, true, vec![packed]);
        let error = failed(source.watch(watching()).await);
        assert_eq!(error.to_string(), "no (HTTP 410, Expired)", "{encoding}");

        let frames = vec![
            added(encoding, "a"),
            event_of(encoding, "ERROR", &status(410, "Expired")),
        ];
        let source = answering_in(encoding, 200, false, frames);
        let mut events = source.watch(watching()).await.unwrap();
        assert!(matches!(events.next().await, Some(Ok(RawEvent::Added(_)))));
        let Some(Ok(RawEvent::Error(status))) = events.next().await else {
            panic!("no error in {encoding}");
        };
        let found = (status.code, &*status.reason, &*status.message);
        assert_eq!(found, (410, "Expired", "no"), "{encoding}");
    }
}

/// W-19, W-23: a body that does not match its Content-Type, and a body of an unknown Content-Type.
#[tokio::test(start_paused = true)]
async fn w19_a_body_of_another_content_type_is_malformed_in_each_encoding() {
    for (encoding, other) in [ENCODINGS, [ENCODINGS[1], ENCODINGS[0]]].map(|[a, b]| (a, b)) {
        let body = list_of(encoding, &json!({"resourceVersion": "7"}), &["a"]);
        let html: Headers = &[("content-type", "text/html")];
        let source = answering(200, html, vec![body.clone()]).encoding(encoding);
        let error = failed(source.list(ListOptions::default()).await);
        let expected = "malformed answer: unsupported Content-Type: text/html";
        assert_eq!(error.to_string(), expected);

        let source = answering_in(other, 200, false, vec![body]);
        let (groups, end) = list(&source).await;
        let error = failed(end);
        assert!(groups.is_empty());
        assert!(
            matches!(error, SourceError::Malformed(_)),
            "{encoding}: {error:?}"
        );

        // Read as protobuf, the first bytes of a line are the length of a large event.
        let source = answering_in(other, 200, false, vec![added(encoding, "a")]);
        let (seen, error) = watch(&source).await;
        assert!(
            seen.iter().all(|event| event.starts_with("Rejected(")),
            "{seen:?}"
        );
        assert!(error.is_some(), "{encoding} as {other}");
    }
}

/// W-18, W-23: gzip in one member or several, for watches and lists.
#[tokio::test(start_paused = true)]
async fn w18_a_gzip_answer_is_unpacked_in_each_encoding() {
    for encoding in ENCODINGS {
        let events = ["a", "b", "c"].map(|name| added(encoding, name));
        let many: Vec<Vec<u8>> = events.iter().map(pack).collect();
        let one = pack(events.concat());
        for frames in [many.clone(), vec![many.concat()], vec![one]] {
            let (seen, error) = watch(&answering_in(encoding, 200, true, frames)).await;
            assert_eq!((seen.concat(), error.is_none()), ("abc".to_owned(), true));
        }
        let whole = pack(list_of(encoding, &json!({"resourceVersion": "7"}), &["a"]));
        let (groups, end) = list(&answering_in(encoding, 200, true, vec![whole.clone()])).await;
        assert_eq!(groups, [["a"]]);
        assert_eq!(end.unwrap(), ListMeta::at("7"));
        let cut = whole[..whole.len() / 2].to_vec();
        let (_, end) = list(&answering_in(encoding, 200, true, vec![cut])).await;
        failed(end);
    }
}

/// E-11, W-21, W-23: a connection that fails or stalls in the middle of a body.
#[tokio::test(start_paused = true)]
async fn e11_a_body_that_breaks_or_stalls_is_an_error_in_each_encoding() {
    for encoding in ENCODINGS {
        let (mut frames, source) = controlled_in(encoding);
        let events = source.watch(watching()).await.unwrap();
        frames.send(Ok(added(encoding, "a").into())).await.unwrap();
        let eof = io::Error::from(ErrorKind::UnexpectedEof);
        frames.send(Err(Box::new(eof))).await.unwrap();
        let (seen, error) = read_watch(events).await;
        let error = error.unwrap();
        assert_eq!(seen, ["a"]);
        assert!(matches!(error, SourceError::Transport(_)) && error.is_unexpected_eof());

        let (mut frames, source) = controlled_in(encoding);
        let mut parts = source.list(ListOptions::default()).await.unwrap();
        let whole = list_of(encoding, &json!({"resourceVersion": "7"}), &["one", "two"]);
        let first = whole[..inside(&whole, "two")].to_vec();
        frames.send(Ok(first.into())).await.unwrap();
        assert!(parts.next().await.unwrap().is_ok());
        let error = failed(parts.next().await.unwrap());
        assert_eq!(error.to_string(), "no progress within 30 s", "{encoding}");

        // After a bookmark, the limit for silence is shorter.
        for (event_type, seconds) in [("ADDED", 305), ("BOOKMARK", 180)] {
            let (mut frames, source) = controlled_in(encoding);
            let started = Instant::now();
            let events = source.watch(watching()).await.unwrap();
            let pod = json!({"kind": "Pod", "apiVersion": "v1",
                             "metadata": {"name": "a", "resourceVersion": "9"}});
            let event = event_of(encoding, event_type, &pod);
            frames.send(Ok(event.into())).await.unwrap();
            let (seen, error) = read_watch(events).await;
            assert_eq!((seen.len(), error.is_some()), (1, true));
            assert_eq!(
                started.elapsed(),
                Duration::from_secs(seconds),
                "{encoding}"
            );
        }
    }
}

mod compression;
mod encodings;
mod loopback;
mod protobuf;

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::io::{self, ErrorKind, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::channel::mpsc;
use futures::{SinkExt as _, Stream, StreamExt as _, stream};
use http::{Request, Response, header};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::*;
use crate::object::ResourceInfo;
use crate::source::{ListOptions, ListPart, ListStream, ListerWatcher, WatchOptions, WatchStream};
use crate::status::SourceError;
use crate::wire::{Encoding, ListMeta, RawEvent, SplitOptions};

type BoxError = Box<dyn Error + Send + Sync>;
type Frames = mpsc::Sender<Result<Bytes, BoxError>>;

/// Creates a client whose requests `answer` serves.
fn client<F, B>(answer: impl Fn(Request<Body>) -> F + Send + 'static) -> Client
where
    F: Future<Output = Result<Response<B>, BoxError>> + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    Client::new(tower::service_fn(answer), "default")
}

fn pods(client: Client) -> KubeListerWatcher {
    KubeListerWatcher::new(client, ResourceInfo::of::<Pod>(&()).unwrap())
}

fn body<E: Into<BoxError>>(
    frames: impl Stream<Item = Result<Bytes, E>>,
) -> StreamBody<impl Stream<Item = Result<Frame<Bytes>, E>>> {
    StreamBody::new(frames.map(|frame| frame.map(Frame::data)))
}

/// Creates a source whose responses all have this status, these headers and these frames.
fn answering(
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    frames: Vec<Vec<u8>>,
) -> KubeListerWatcher {
    pods(client(move |_| {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        let frames = frames
            .clone()
            .into_iter()
            .map(|frame| Ok::<_, Infallible>(frame.into()));
        let response = response.body(body(stream::iter(frames)));
        async { Ok(response.unwrap()) }
    }))
}

/// Creates a source with one response, whose frames the test sends.
fn controlled_in(encoding: Encoding) -> (Frames, KubeListerWatcher) {
    let (frames, receiver) = mpsc::channel(8);
    let receiver = Mutex::new(Some(receiver));
    let source = pods(client(move |_| {
        let receiver = receiver.lock().take().expect("one request");
        let response = Response::builder().header(header::CONTENT_TYPE, encoding.media_type());
        async { Ok(response.body(body(receiver)).unwrap()) }
    }));
    (frames, source.encoding(encoding))
}

fn controlled() -> (Frames, KubeListerWatcher) {
    controlled_in(Encoding::Json)
}

fn watching() -> WatchOptions {
    WatchOptions {
        resource_version: "7".into(),
        send_initial_events: false,
        allow_bookmarks: true,
        timeout: Duration::from_secs(300),
        shard_selector: None,
    }
}

fn pod(name: &str) -> String {
    json!({"metadata": {"name": name}}).to_string()
}

fn event(event_type: &str, name: &str) -> String {
    let metadata = json!({"name": name, "resourceVersion": "9"});
    let object = json!({"kind": "Pod", "apiVersion": "v1", "metadata": metadata});
    json!({"type": event_type, "object": object}).to_string() + "\n"
}

pub(super) fn pack(text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Reads a list to its end: the names, grouped by part, and the result.
async fn read_list(mut parts: ListStream) -> (Vec<Vec<String>>, Result<ListMeta, SourceError>) {
    let mut groups = Vec::new();
    loop {
        match parts
            .next()
            .await
            .expect("a list ends with `ListPart::End`")
        {
            Ok(ListPart::Items(items)) => {
                let names = items.iter().map(|item| match item {
                    Ok(object) => object.key().to_string(),
                    Err(rejected) => rejected.to_string(),
                });
                groups.push(names.collect());
            }
            Ok(ListPart::End(meta)) => {
                assert!(parts.next().await.is_none());
                return (groups, Ok(meta));
            }
            Err(error) => {
                assert!(parts.next().await.is_none());
                return (groups, Err(error));
            }
        }
    }
}

/// Reads a watch to its end: the keys, and the final error.
async fn read_watch(mut events: WatchStream) -> (Vec<String>, Option<SourceError>) {
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(RawEvent::Added(object)) => seen.push(object.key().to_string()),
            Ok(other) => seen.push(format!("{other:?}")),
            Err(error) => {
                assert!(events.next().await.is_none());
                return (seen, Some(error));
            }
        }
    }
    (seen, None)
}

fn failed<T>(result: Result<T, SourceError>) -> SourceError {
    result.err().expect("an error")
}

#[tokio::test(start_paused = true)]
async fn w18_a_content_encoding_that_is_unknown_or_untrue_is_malformed() {
    let source = answering(200, &[("content-encoding", "br")], vec![pack("{}")]);
    let error = failed(source.watch(watching()).await);
    assert!(
        error.to_string().contains("Content-Encoding: br"),
        "{error}"
    );
    let source = answering(
        200,
        &[("content-encoding", "gzip")],
        vec![b"no gzip at all".to_vec()],
    );
    let (_, error) = read_watch(source.watch(watching()).await.unwrap()).await;
    assert!(matches!(error, Some(SourceError::Malformed(_))));
}

/// W-18, M-02, F-15.
#[tokio::test(start_paused = true)]
async fn w18_watches_request_identity_and_metadata_sources_partial_objects() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&seen);
    let client = client(move |request| {
        let header = |name| {
            request
                .headers()
                .get(name)
                .map(|value| value.to_str().unwrap().to_owned())
        };
        let line = format!("{} {}", request.method(), request.uri());
        record.lock().push((
            line,
            header(header::ACCEPT),
            header(header::ACCEPT_ENCODING),
        ));
        async { Ok(Response::new(Body::empty())) }
    });
    let source = pods(client).namespace("a").label_selector("app=web");
    drop(source.list(ListOptions::default()).await.unwrap());
    let metadata = source.form(Form::Metadata).encoding(Encoding::Json);
    drop(metadata.list(ListOptions::default()).await.unwrap());
    drop(metadata.watch(watching()).await.unwrap());

    let partial = |kind: &str| format!("application/json;as={kind};g=meta.k8s.io;v=v1");
    let path = "GET /api/v1/namespaces/a/pods?labelSelector=app%3Dweb";
    let watch = "&watch=true&resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=300";
    let expected = [
        (path.to_owned(), Some("application/json".to_owned()), None),
        (
            path.to_owned(),
            Some(partial("PartialObjectMetadataList")),
            None,
        ),
        (
            format!("{path}{watch}"),
            Some(partial("PartialObjectMetadata")),
            Some("identity".to_owned()),
        ),
    ];
    assert_eq!(*seen.lock(), expected);
}

/// M-02, M-05.
#[tokio::test(start_paused = true)]
async fn m02_a_metadata_source_takes_partial_objects_and_no_others() {
    let item =
        r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}"#;
    let whole = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}"#;
    let text = format!("{{\"kind\":\"List\",\"items\":[{item},{whole}]}}").into_bytes();
    let source = answering(200, &[], vec![text]).form(Form::Metadata);
    let (groups, _) = read_list(source.list(ListOptions::default()).await.unwrap()).await;
    assert_eq!(groups[0][0], "a");
    assert!(groups[0][1].starts_with("object b rejected"));
}

/// W-19, E-14.
#[tokio::test(start_paused = true)]
async fn w19_a_failure_without_a_status_is_an_error_of_its_code() {
    let headers = &[("retry-after", "3"), ("content-type", "text/html")];
    let source = answering(503, headers, vec![b"<html>".to_vec()]);
    let error = failed(source.list(ListOptions::default()).await);
    let expected = "Service Unavailable: the body is 6 bytes of text/html, not a Status (HTTP 503)";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
}

/// W-19, W-20.
#[tokio::test(start_paused = true)]
async fn w19_an_endless_or_silent_error_body_is_cut_off() {
    let endless = pods(client(|_| {
        let frames = stream::repeat_with(|| Ok::<_, Infallible>(Bytes::from(vec![b'x'; 1000])));
        let response = Response::builder().status(500).body(body(frames));
        async { Ok(response.unwrap()) }
    }));
    let error = failed(endless.list(ListOptions::default()).await);
    assert!(error.is_internal_error());
    let expected = "Internal Server Error: the body is 65536 bytes of an unknown type, not a Status (HTTP 500)";
    assert_eq!(error.to_string(), expected);

    let silent = pods(client(|_| {
        let frames = stream::pending::<Result<Bytes, Infallible>>();
        let response = Response::builder().status(429).body(body(frames));
        async { Ok(response.unwrap()) }
    }));
    assert!(failed(silent.watch(watching()).await).is_too_many_requests());
}

/// W-21: a peer that sends slowly does not delay a request for long; the bytes received by then may
/// form a Status.
#[tokio::test(start_paused = true)]
async fn w21_an_error_body_that_drips_is_cut_off() {
    let status = r#"{"kind":"Status","reason":"Forbidden","message":"no"}"#;
    let other = "Forbidden: the body is 1 bytes of an unknown type, not a Status (HTTP 403)";
    for (begins, expected) in [(status, "no (HTTP 403, Forbidden)"), ("{", other)] {
        let dripping = pods(client(move |_| {
            let drops = stream::unfold((), |()| async {
                tokio::time::sleep(Duration::from_secs(4)).await;
                Some((Bytes::from(" "), ()))
            });
            let frames = stream::iter([Bytes::from(begins)]).chain(drops);
            let frames = frames.map(Ok::<_, Infallible>);
            let response = Response::builder().status(403).body(body(frames));
            async { Ok(response.unwrap()) }
        }));
        let started = Instant::now();
        let error = failed(dripping.list(ListOptions::default()).await);
        assert_eq!(error.to_string(), expected);
        assert!(started.elapsed() < Duration::from_secs(60));
    }
}

/// R-09, E-14.
#[tokio::test(start_paused = true)]
async fn r09_a_refused_connection_differs_from_other_failures() {
    let failing = |kind: ErrorKind| {
        pods(client(move |_| async move {
            Err::<Response<Body>, BoxError>(Box::new(io::Error::from(kind)))
        }))
    };
    let refused = failing(ErrorKind::ConnectionRefused);
    let error = failed(refused.watch(watching()).await);
    assert!(
        matches!(error, SourceError::ConnectionRefused(_)) && error.source().is_some(),
        "{error:?}"
    );
    let reset = failing(ErrorKind::ConnectionReset);
    let error = failed(reset.list(ListOptions::default()).await);
    assert!(matches!(error, SourceError::Transport(_)));
}

#[tokio::test(start_paused = true)]
async fn w21_silence_before_the_head_of_an_answer_ends_in_an_error() {
    let source = pods(client(|_| {
        futures::future::pending::<Result<Response<Body>, BoxError>>()
    }));
    for is_list in [true, false] {
        let started = Instant::now();
        let error = if is_list {
            failed(source.list(ListOptions::default()).await)
        } else {
            failed(source.watch(watching()).await)
        };
        assert_eq!(started.elapsed(), Duration::from_secs(60));
        assert_eq!(error.to_string(), "no response headers within 60 s");
    }
}

/// W-21: the limit counts from the last frame.
#[tokio::test(start_paused = true)]
async fn w21_silence_begins_with_the_last_frame() {
    let (mut frames, source) = controlled();
    let started = Instant::now();
    let parts = source.list(ListOptions::default()).await.unwrap();
    let sending = async {
        for part in ["{", "\"items\"", ":", "["] {
            tokio::time::sleep(Duration::from_secs(20)).await;
            frames.send(Ok(Bytes::from(part))).await.unwrap();
        }
        frames
    };
    let (_frames, (_, end)) = futures::join!(sending, read_list(parts));
    assert!(matches!(end, Err(SourceError::Timeout { .. })), "{end:?}");
    assert_eq!(started.elapsed(), Duration::from_secs(4 * 20 + 30));
}

#[tokio::test(start_paused = true)]
async fn w21_the_deadlines_can_be_set() {
    let (_frames, source) = controlled();
    let source = source.timeouts(Timeouts {
        list_progress: Duration::from_secs(2),
        ..Timeouts::default()
    });
    let mut parts = source.list(ListOptions::default()).await.unwrap();
    let error = failed(parts.next().await.unwrap());
    assert_eq!(error.to_string(), "no progress within 2 s");
}

/// R-02: dropping a stream drops the request.
#[tokio::test(start_paused = true)]
async fn r02_a_dropped_watch_drops_its_answer() {
    let (mut frames, source) = controlled();
    let watch = source.watch(watching()).await.unwrap();
    assert!(!frames.is_closed());
    drop(watch);
    assert!(frames.send(Ok(Bytes::new())).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn w04_managed_fields_are_kept_by_option() {
    let item = r#"{"metadata":{"name":"a","managedFields":[]}}"#;
    let text = format!("{{\"kind\":\"List\",\"items\":[{item}]}}").into_bytes();
    for (keep, length) in [(true, item.len()), (false, pod("a").len())] {
        let options = SplitOptions::default().keep_managed_fields(keep);
        let source = answering(200, &[], vec![text.clone()]).split_options(options);
        let mut parts = source.list(ListOptions::default()).await.unwrap();
        let Some(Ok(ListPart::Items(items))) = parts.next().await else {
            panic!("no items");
        };
        assert_eq!(items[0].as_ref().unwrap().bytes().len(), length);
    }
}

#[tokio::test]
async fn l13_streaming_lists_can_be_disabled() {
    let source = answering(200, &[], Vec::new());
    assert!(source.supports_watch_list());
    assert!(!source.watch_list(false).supports_watch_list());
}

/// HTTP clients make a connection available to the next request in tasks, which the end of a body
/// wakes one after the other.
#[tokio::test]
async fn a_list_ends_after_the_tasks_that_the_end_of_its_body_wakes() {
    let (end, idle) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let is_idle = Arc::new(AtomicBool::new(false));
    let source = {
        let end = Arc::clone(&end);
        pods(client(move |_| {
            let end = Arc::clone(&end);
            let list = stream::iter([Ok::<_, Infallible>(Bytes::from(r#"{"kind":"List"}"#))]);
            let ending = stream::poll_fn(move |_| {
                end.notify_one();
                Poll::Ready(None)
            });
            let response = Response::new(body(list.chain(ending)));
            async { Ok(response) }
        }))
    };
    let mut tasks = JoinSet::new();
    let next = Arc::clone(&idle);
    tasks.spawn(async move {
        end.notified().await;
        next.notify_one();
        true
    });
    let found = Arc::clone(&is_idle);
    tasks.spawn(async move {
        idle.notified().await;
        found.store(true, Ordering::Relaxed);
        true
    });
    tasks.spawn(async move {
        let list = source.list(ListOptions::default()).await.unwrap();
        read_list(list).await.1.unwrap();
        is_idle.load(Ordering::Relaxed)
    });
    assert_eq!(tasks.join_all().await, [true; 3]);
}

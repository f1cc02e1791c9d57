//! Kubernetes protobuf: the same responses in the second encoding, and its negotiation.

use bytes::Bytes;
use futures::{AsyncReadExt, TryStreamExt};
use http::{Request, header};
use informer_apiserver::{ApiServer, Fault, Matcher};
use informer_protobuf::{Event, EventSplitter, Header, ListSplitter, Message, from_slice};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::Client;
use serde_json::{Value, json};

use crate::support::{crd, server, soon};

pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
pub(crate) const WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch";
pub(crate) const JSON: &str = "application/json";
pub(crate) const METADATA: &str = "as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
pub(crate) const METADATA_LIST: &str = "as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
pub(crate) const FOOS: &str = "/apis/example.com/v1/namespaces/default/foos";

/// A response with any code.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) content_type: String,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Decodes the document by its content type.
    pub(crate) fn value(&self) -> Value {
        match self.content_type.as_str() {
            PROTOBUF => from_slice(&self.body).unwrap(),
            JSON => serde_json::from_slice(&self.body).unwrap(),
            other => panic!("{other} in {:?}", self.body),
        }
    }
}

pub(crate) async fn send(client: &Client, request: Request<Vec<u8>>) -> Answer {
    let is_watch = request.uri().to_string().contains("watch=true");
    let response = soon(client.send(request.map(Into::into))).await.unwrap();
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let mut answer = Answer {
        code: response.status().as_u16(),
        content_type: content_type
            .map_or("", |kind| kind.to_str().unwrap())
            .to_owned(),
        body: Bytes::new(),
    };
    // The body of a watch does not end.
    if !is_watch || answer.code >= 400 {
        answer.body = soon(response.into_body().collect_bytes()).await.unwrap();
    }
    answer
}

pub(crate) async fn get(client: &Client, path: &str, accept: &str) -> Answer {
    let request = Request::get(path).header("accept", accept);
    send(client, request.body(Vec::new()).unwrap()).await
}

pub(crate) async fn post(client: &Client, path: &str, content_type: &str, body: Vec<u8>) -> Answer {
    let request = Request::post(path)
        .header("content-type", content_type)
        .header("accept", PROTOBUF);
    send(client, request.body(body).unwrap()).await
}

/// Returns the messages of a list's items.
fn items(list: &Answer) -> Vec<Bytes> {
    let (mut splitter, mut items) = (ListSplitter::new(), Vec::new());
    splitter.push(&list.body, &mut items).unwrap();
    splitter.finish().unwrap();
    items.into_iter().map(Result::unwrap).collect()
}

/// Returns the first `count` events of a watch, in protobuf.
async fn events(client: &Client, path: &str, accept: &str, count: usize) -> Vec<Event> {
    let request = Request::get(path).header("accept", accept);
    let request = request.body(Vec::new()).unwrap();
    let mut body = Box::pin(soon(client.request_stream(request)).await.unwrap());
    let (mut splitter, mut events) = (EventSplitter::new(), Vec::new());
    let mut buffer = vec![0; 4096];
    while events.len() < count {
        let read = soon(body.read(&mut buffer)).await.unwrap();
        assert_ne!(read, 0, "the watch has ended after {} events", events.len());
        splitter
            .push(&Bytes::copy_from_slice(&buffer[..read]), &mut events)
            .unwrap();
    }
    events.into_iter().map(Result::unwrap).collect()
}

/// Converts events to the form of JSON lines.
fn values(events: &[Event]) -> Vec<Value> {
    let value = |event: &Event| {
        let object: Value = from_slice(&event.object).unwrap();
        json!({ "type": event.event_type, "object": object })
    };
    events.iter().map(value).map(without_empty).collect()
}

/// Returns the first `count` events of a watch, in JSON.
async fn lines(client: &Client, path: &str, count: usize) -> Vec<Value> {
    let request = Request::get(path).header("accept", JSON);
    let request = request.body(Vec::new()).unwrap();
    let body = soon(client.request_stream(request)).await.unwrap();
    let mut lines = futures::io::AsyncBufReadExt::lines(Box::pin(body));
    let mut values = Vec::new();
    while values.len() < count {
        let line = soon(lines.try_next()).await.unwrap().unwrap();
        values.push(without_empty(serde_json::from_str(&line).unwrap()));
    }
    values
}

/// Removes empty values: Go's protobuf encodes zero values that JSON may omit.
fn without_empty(value: Value) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    };
    match value {
        Value::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, value)| (name, without_empty(value)));
            members.filter(|(_, value)| !is_empty(value)).collect()
        }
        Value::Array(items) => items.into_iter().map(without_empty).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// Checks that the responses in both encodings are the same document, and returns it.
async fn check_same(client: &Client, path: &str, protobuf: &str, json: &str) -> Value {
    let protobuf = get(client, path, protobuf).await;
    assert_eq!(protobuf.content_type, PROTOBUF, "{path}");
    let json = get(client, path, json).await;
    assert_eq!(json.content_type, JSON, "{path}");
    assert_eq!(protobuf.code, json.code, "{path}");
    let found = without_empty(protobuf.value());
    assert_eq!(found, without_empty(strip_item_types(json.value())));
    found
}

/// Removes the items' types. Protobuf lists lack them; in JSON, items of
/// `PartialObjectMetadataList` have them.
fn strip_item_types(mut list: Value) -> Value {
    for item in list["items"].as_array_mut().into_iter().flatten() {
        let item = item.as_object_mut().unwrap();
        item.remove("kind");
        item.remove("apiVersion");
    }
    list
}

pub(crate) fn definition() -> Value {
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let paths = [".spec.replicas", ".status.replicas"];
    let scale = json!({ "specReplicasPath": paths[0], "statusReplicasPath": paths[1] });
    let version = json!({
        "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": schema }, "subresources": { "scale": scale },
    });
    crd("Foo", "Namespaced", &json!([version]))
}

pub(crate) fn foo() -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Foo",
        "metadata": { "name": "f", "namespace": "default", "labels": { "a": "b" } },
        "spec": { "replicas": 2 },
    })
}

pub(crate) fn map(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "namespace": "default" }, "data": { "k": "v" },
    })
}

/// Starts a server with one custom resource and its definition.
async fn with_foos() -> ApiServer {
    let server = server().await;
    server.control().create_direct(definition()).unwrap();
    server.control().create_direct(foo()).unwrap();
    server
}

/// `tests/e2e/encodings.rs` of the facade reads objects of every kind in both encodings.
#[tokio::test]
async fn pages_are_the_same_in_both_encodings() {
    let server = server().await;
    let client = server.client().unwrap();
    for name in ["a", "b", "c"] {
        server.control().create_direct(map(name)).unwrap();
    }
    let page = check_same(&client, &format!("{MAPS}?limit=1"), PROTOBUF, JSON).await;
    assert_eq!(page["metadata"]["remainingItemCount"], 2);
    assert!(page["metadata"]["continue"].is_string());
    let one = check_same(&client, &format!("{MAPS}/a"), PROTOBUF, JSON).await;
    assert_eq!(one["kind"], "ConfigMap");
}

#[tokio::test]
async fn lists_of_many_chunks_arrive_complete() {
    let server = server().await;
    for number in 0..3000 {
        let object = map(&format!("c-{number:05}"));
        server.control().create_direct(object).unwrap();
    }
    let client = server.client().unwrap();
    let json = get(&client, MAPS, JSON).await.value();
    assert_eq!(json["items"].as_array().unwrap().len(), 3000);
    let answer = get(&client, MAPS, PROTOBUF).await;
    let items = items(&answer);
    assert_eq!(items.len(), 3000);
    let name = |item: &Bytes| Header::read(item).unwrap().name.to_owned();
    assert!(items.is_sorted_by_key(name));
    assert!(answer.body.len() > 2 * 64 * 1024);
}

#[tokio::test]
async fn metadata_is_the_same_in_both_encodings_for_custom_resources_too() {
    let server = with_foos().await;
    let client = server.client().unwrap();
    server.control().create_direct(map("a")).unwrap();
    for (path, name) in [(MAPS, "a"), (FOOS, "f")] {
        let (list, one) = (path.to_owned(), format!("{path}/{name}"));
        for (path, form) in [(list, METADATA_LIST), (one, METADATA)] {
            let (protobuf, json) = (format!("{PROTOBUF};{form}"), format!("{JSON};{form}"));
            check_same(&client, &path, &protobuf, &json).await;
        }
        let watch = format!("{path}?watch=true");
        let frames = events(&client, &watch, &format!("{WATCH};{METADATA}"), 1).await;
        let object: Value = from_slice(&frames[0].object).unwrap();
        assert_eq!(object["kind"], "PartialObjectMetadata");
        assert_eq!(object["metadata"]["name"], name);
    }
}

#[tokio::test]
async fn custom_resources_have_no_protobuf_encoding() {
    let server = with_foos().await;
    let client = server.client().unwrap();
    let one = format!("{FOOS}/f");
    for path in [
        FOOS,
        &one,
        &format!("{FOOS}?watch=true"),
        &format!("{one}/scale"),
    ] {
        let rejected = get(&client, path, PROTOBUF).await;
        assert_eq!(
            (rejected.code, rejected.content_type.as_str()),
            (406, PROTOBUF)
        );
        assert_eq!(rejected.value()["reason"], "NotAcceptable");
    }
    let answer = get(&client, &one, &format!("{PROTOBUF},{JSON}")).await;
    assert_eq!((answer.code, answer.content_type.as_str()), (200, JSON));
    assert_eq!(answer.value()["spec"]["replicas"], 2);
}

#[tokio::test]
async fn errors_are_statuses_in_protobuf() {
    let server = server().await;
    let client = server.client().unwrap();
    let absent = format!("{MAPS}/absent");
    let status = check_same(&client, &absent, PROTOBUF, JSON).await;
    assert_eq!(status["reason"], "NotFound");
    assert_eq!(status["details"]["name"], "absent");
    let future = format!("{MAPS}?resourceVersion=999999");
    check_same(&client, &future, PROTOBUF, JSON).await;
    let page = format!("{MAPS}?continue=nonsense");
    check_same(&client, &page, PROTOBUF, JSON).await;

    let fault = Fault::Status {
        code: 429,
        reason: "TooManyRequests".into(),
        message: "slow down".into(),
        retry_after: Some(7),
    };
    server.control().fail_next(1, Matcher::any(), fault);
    let rejected = get(&client, MAPS, PROTOBUF).await;
    assert_eq!(
        (rejected.code, rejected.content_type.as_str()),
        (429, PROTOBUF)
    );
    assert_eq!(rejected.value()["details"]["retryAfterSeconds"], 7);
}

#[tokio::test]
async fn watches_are_the_same_in_both_encodings() {
    let server = server().await;
    let control = server.control();
    let client = server.client().unwrap();
    let start = control.current_resource_version();
    let labelled = |name: &str, label: &str| {
        let mut map = map(name);
        map["metadata"]["labels"] = json!({ "k": label });
        map
    };
    control.create_direct(labelled("a", "v")).unwrap();
    control.update_direct(labelled("a", "w")).unwrap();
    control.delete_direct(&format!("{MAPS}/a")).unwrap();
    control.create_direct(labelled("b", "v")).unwrap();
    for (query, count) in [
        (format!("resourceVersion={start}"), 4),
        (format!("resourceVersion={start}&labelSelector=k%3Dv"), 3),
        (
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
                .to_owned(),
            2,
        ),
    ] {
        let path = format!("{MAPS}?watch=true&{query}");
        let frames = events(&client, &path, WATCH, count).await;
        assert_eq!(
            values(&frames),
            lines(&client, &path, count).await,
            "{query}"
        );
    }
    control.compact();
    let path = format!("{MAPS}?watch=true&resourceVersion={start}");
    let frames = events(&client, &path, WATCH, 1).await;
    assert_eq!(values(&frames), lines(&client, &path, 1).await);
    assert_eq!(values(&frames)[0]["object"]["reason"], "Expired");
}

#[tokio::test]
async fn bookmarks_are_lost_in_protobuf_too() {
    let server = server().await;
    let client = server.client().unwrap();
    server.control().create_direct(map("a")).unwrap();
    let path = format!(
        "{MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    );
    let control = server.control();
    control.fail_next(1, Matcher::any(), Fault::LoseBookmarks(1));
    let change = async {
        control.await_watches("configmaps", 1).await;
        control.create_direct(map("b")).unwrap();
    };
    let (events, ()) = tokio::join!(events(&client, &path, WATCH, 2), soon(change));
    let types: Vec<_> = events.iter().map(|e| &*e.event_type).collect();
    assert_eq!(types, ["ADDED", "ADDED"]);
}

#[tokio::test]
async fn bodies_of_writes_may_be_protobuf() {
    let server = with_foos().await;
    let client = server.client().unwrap();
    let body = informer_protobuf::encode(&map("a")).unwrap();
    let created = post(&client, MAPS, PROTOBUF, body).await;
    assert_eq!(
        (created.code, created.content_type.as_str()),
        (201, PROTOBUF)
    );
    let mut changed: ConfigMap = from_slice(&created.body).unwrap();
    changed
        .data
        .as_mut()
        .unwrap()
        .insert("k".into(), "w".into());
    let body = informer_protobuf::to_vec(&changed).unwrap();
    let put = Request::put(format!("{MAPS}/a")).header("content-type", PROTOBUF);
    let updated = send(&client, put.body(body).unwrap()).await;
    assert_eq!(updated.code, 200);
    assert_eq!(updated.value()["data"]["k"], "w");

    let options = json!({
        "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": { "uid": "another" },
    });
    let options = informer_protobuf::encode(&options).unwrap();
    let delete = |body| {
        let request = Request::delete(format!("{MAPS}/a"))
            .header("content-type", PROTOBUF)
            .header("accept", PROTOBUF);
        request.body(body).unwrap()
    };
    assert_eq!(send(&client, delete(options)).await.code, 409);
    let deleted = send(&client, delete(Vec::new())).await;
    assert_eq!(
        (deleted.code, deleted.content_type.as_str()),
        (200, PROTOBUF)
    );
    assert_eq!(deleted.value()["status"], "Success");
}

/// An object that fails to decode in JSON also fails in protobuf, at the same position of the list.
#[tokio::test]
async fn objects_that_protobuf_cannot_represent_fail_to_decode() {
    let server = server().await;
    let client = server.client().unwrap();
    let control = server.control();
    let pods = "/api/v1/namespaces/default/pods";
    let pod = |name: &str| {
        let spec = json!({ "containers": [{ "name": "c" }] });
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name }, "spec": spec })
    };
    control.create_direct(pod("a")).unwrap();
    let labelled = json!({ "name": "b", "labels": { "l": "m" } });
    let bad = json!({ "metadata": labelled, "spec": { "containers": "none" } });
    control.put_raw(&format!("{pods}/b"), bad).unwrap();
    let worse = json!({ "metadata": { "name": "c", "labels": "none" } });
    control.put_raw(&format!("{pods}/c"), worse).unwrap();
    control
        .put_raw(&format!("{pods}/d"), json!({ "metadata": 1 }))
        .unwrap();
    control.create_direct(pod("e")).unwrap();

    let items = items(&get(&client, pods, PROTOBUF).await);
    let message = Message::of("v1", "Pod").unwrap();
    let seen: Vec<_> = items
        .iter()
        .map(|item| {
            let header = Header::read(item).unwrap();
            let pod = informer_protobuf::from_message::<Pod>(message, item);
            (header.name, header.labels.get("l"), pod.is_ok())
        })
        .collect();
    let expected = [
        ("a", None, true),
        ("b", Some("m".into()), false),
        ("c", None, false),
        ("", None, false),
        ("e", None, true),
    ];
    assert_eq!(seen, expected);
    let one = get(&client, &format!("{pods}/b"), PROTOBUF).await;
    assert!(from_slice::<Pod>(&one.body).is_err());
    let frames = events(&client, &format!("{pods}?watch=true"), WATCH, 5).await;
    let decoded = frames.iter().map(|e| from_slice::<Pod>(&e.object).is_ok());
    assert_eq!(
        decoded.collect::<Vec<_>>(),
        [true, false, false, false, true]
    );
    assert_eq!(
        get(&client, pods, JSON).await.value()["items"][1]["spec"]["containers"],
        "none"
    );
}

/// Lists and events stay well formed; their objects fail to decode but keep their names.
#[tokio::test]
async fn undecodable_objects_are_undecodable_in_protobuf_too() {
    let server = server().await;
    let client = server.client().unwrap();
    let control = server.control();
    for name in ["a", "b", "c"] {
        control.create_direct(map(name)).unwrap();
    }
    let message = Message::of("v1", "ConfigMap").unwrap();
    let read = |object: &Bytes| {
        let header = Header::read(object).unwrap();
        let decoded = informer_protobuf::from_message::<ConfigMap>(message, object);
        (header.name.to_owned(), decoded.is_ok())
    };
    let expected = [("a", false), ("b", false), ("c", true)];
    let expected = expected.map(|(name, good)| (name.to_owned(), good));

    let all = || Matcher::any().resource("configmaps");
    control.fail_next(1, all(), Fault::Undecodable(2));
    let list = get(&client, MAPS, PROTOBUF).await;
    assert_eq!(list.code, 200);
    assert_eq!(items(&list).iter().map(read).collect::<Vec<_>>(), expected);
    let mut splitter = ListSplitter::new();
    splitter.push(&list.body, &mut Vec::new()).unwrap();
    let version = control.current_resource_version().to_string();
    assert_eq!(splitter.finish().unwrap().resource_version, version);

    control.fail_next(1, all(), Fault::Undecodable(2));
    let path = format!("{MAPS}?watch=true&resourceVersion=0");
    let events = events(&client, &path, WATCH, 3).await;
    let objects = events.iter().map(|event| {
        assert_eq!(event.event_type, "ADDED");
        let envelope = informer_protobuf::Envelope::parse(&event.object).unwrap();
        read(&envelope.raw_of(&event.object))
    });
    assert_eq!(objects.collect::<Vec<_>>(), expected);

    control.fail_next(1, all(), Fault::Undecodable(1));
    let one = get(&client, &format!("{MAPS}/a"), PROTOBUF).await;
    assert!(from_slice::<ConfigMap>(&one.body).is_err());
    // An error response is not changed, and neither is the stored object.
    control.fail_next(1, all(), Fault::Undecodable(1));
    let none = get(&client, &format!("{MAPS}/none"), PROTOBUF).await;
    assert_eq!(
        (none.code, &none.value()["reason"]),
        (404, &json!("NotFound"))
    );
    let one = get(&client, &format!("{MAPS}/a"), PROTOBUF).await;
    assert_eq!(one.value()["data"], json!({ "k": "v" }));
}

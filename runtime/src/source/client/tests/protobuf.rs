//! Negotiation of encodings, and the consequences of unsupported responses.

use informer_protobuf::{encode, watch_frame, wrap};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::ApiResource;

use super::*;
use crate::object::{Scope, Selector};
use crate::reflector::tests::world::Running;
use crate::shared_informer::SharedInformer;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Requests so far: path and `Accept`.
type Requests = Arc<Mutex<Vec<(String, String)>>>;

/// Creates a client that records its requests, and responds by `answer`.
fn recording(
    answer: impl Fn(&str, &str) -> Response<Vec<u8>> + Send + Sync + 'static,
) -> (Requests, Client) {
    let requests = Requests::default();
    let notes = Arc::clone(&requests);
    let client = client(move |request: Request<Body>| {
        let uri = request.uri().to_string();
        let accept = request.headers()[header::ACCEPT].to_str().unwrap();
        notes.lock().push((uri.clone(), accept.to_owned()));
        let (parts, bytes) = answer(&uri, accept).into_parts();
        // A watch stays open.
        let end = stream::pending::<Result<Bytes, Infallible>>();
        let is_watch = uri.contains("watch=true");
        let first = stream::iter([Ok::<_, Infallible>(Bytes::from(bytes))]);
        let frames = if is_watch {
            first.chain(end).boxed()
        } else {
            first.boxed()
        };
        async move { Ok(Response::from_parts(parts, body(frames))) }
    });
    (requests, client)
}

fn answer(status: u16, content_type: &str, body: Vec<u8>) -> Response<Vec<u8>> {
    let response = Response::builder().status(status);
    let response = response.header(header::CONTENT_TYPE, content_type);
    response.body(body).unwrap()
}

fn in_json(body: &serde_json::Value) -> Response<Vec<u8>> {
    answer(200, "application/json", body.to_string().into_bytes())
}

fn pod_list() -> serde_json::Value {
    json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"},
           "items": [{"metadata": {"name": "a", "resourceVersion": "6"},
                      "spec": {"nodeName": "n1"}}]})
}

#[tokio::test(start_paused = true)]
async fn w23_protobuf_is_requested_where_servers_support_it() {
    let (requests, client) = recording(|_, _| in_json(&pod_list()));
    let pods = || pods(client.clone());
    let custom = ApiResource {
        group: "example.com".into(),
        version: "v1".into(),
        api_version: "example.com/v1".into(),
        kind: "Foo".into(),
        plural: "foos".into(),
    };
    let custom = || {
        let resource = ResourceInfo {
            api_resource: custom.clone(),
            scope: Scope::Namespaced,
        };
        KubeListerWatcher::new(client.clone(), resource)
    };
    let both = "application/vnd.kubernetes.protobuf,application/json";
    let slim = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
                application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    for (source, accept) in [
        (pods(), "application/json"),
        (pods().encoding(Encoding::Json), "application/json"),
        (pods().encoding(Encoding::Protobuf), both),
        (custom().encoding(Encoding::Protobuf), "application/json"),
        (pods().form(Form::Metadata), slim),
        (custom().form(Form::Metadata), slim),
        (
            custom().form(Form::Metadata).encoding(Encoding::Json),
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        ),
    ] {
        assert_eq!(source.last_encoding(), None);
        drop(source.list(ListOptions::default()).await.unwrap());
        assert_eq!(requests.lock().pop().unwrap().1, accept);
        assert_eq!(source.last_encoding(), Some(Encoding::Json));
    }
    drop(pods().form(Form::Metadata).watch(watching()).await.unwrap());
    assert_eq!(requests.lock().pop().unwrap().1, slim.replace("List;", ";"));
}

#[tokio::test(start_paused = true)]
async fn w23_the_content_type_of_the_answer_decides() {
    let (_, client) = recording(|_, _| {
        let pod = json!({"kind": "Pod", "apiVersion": "v1",
                         "metadata": {"name": "b", "resourceVersion": "9"}});
        let event = watch_frame("ADDED", &encode(&pod).unwrap());
        answer(200, &format!("{PROTOBUF};stream=watch"), event)
    });
    let source = pods(client).encoding(Encoding::Protobuf);
    let mut events = source.watch(watching()).await.unwrap();
    let Some(Ok(RawEvent::Added(object))) = events.next().await else {
        panic!("no event");
    };
    assert_eq!(object.encoding(), Encoding::Protobuf);
    let pod = object.decode::<Pod>().unwrap();
    assert_eq!(pod.metadata.name.as_deref(), Some("b"));
}

#[tokio::test(start_paused = true)]
async fn w23_after_a_failed_negotiation_only_json_is_requested() {
    let (requests, client) = recording(|_, accept| {
        if accept == "application/json" {
            in_json(&pod_list())
        } else {
            answer(406, "text/plain", b"only JSON".to_vec())
        }
    });
    let source = pods(client).encoding(Encoding::Protobuf);
    for count in [2, 3] {
        let (groups, _) = read_list(source.list(ListOptions::default()).await.unwrap()).await;
        assert_eq!(groups, [["a"]]);
        assert_eq!(requests.lock().len(), count);
    }
    assert_eq!(source.last_encoding(), Some(Encoding::Json));
    // A list in JSON needs no relist.
    drop(source.watch(watching()).await.unwrap());
}

/// Returns a list of one pod with a regular header, and a spec whose fields are not in the order of
/// Kubernetes.
fn unusual_list() -> Vec<u8> {
    let metadata = b"\x0a\x06\x0a\x01a\x32\x016";
    let spec = b"\x12\x0c\x52\x02n1\x1a\x06Always";
    let item = [&metadata[..], spec].concat();
    let length = u8::try_from(item.len()).unwrap();
    wrap(
        "v1",
        "PodList",
        &[&b"\x0a\x03\x12\x017\x12"[..], &[length], &item].concat(),
    )
}

/// W-23: objects that cannot be read are requested in JSON, and the informer gets all of them.
#[tokio::test(start_paused = true)]
async fn w23_an_informer_relists_in_json_if_it_cannot_read_protobuf() {
    let (requests, client) = recording(|uri, accept| {
        let is_watch = uri.contains("watch=true");
        match accept {
            "application/json" if is_watch => answer(200, "application/json", Vec::new()),
            "application/json" => in_json(&pod_list()),
            _ if is_watch => answer(200, PROTOBUF, Vec::new()),
            _ => answer(200, PROTOBUF, unusual_list()),
        }
    });
    let source = pods(client).encoding(Encoding::Protobuf).watch_list(false);
    let informer = SharedInformer::<Pod>::builder(source).build().unwrap();
    let mut changes = informer.status_changes();
    let running = Running::synced(&informer).await;
    let is_read = |status: &crate::status::InformerStatus| {
        status.encoding == Some(Encoding::Json) && status.undecodable.is_empty()
    };
    let read = async {
        while informer.lister().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(600), read)
        .await
        .unwrap();
    assert!(is_read(&informer.status()), "{:?}", informer.status());
    // The failure was reported.
    assert!(changes.next().await.is_some());
    let pods = informer.lister().list(&Selector::everything());
    let spec = pods[0].spec.as_ref().unwrap();
    assert_eq!(spec.node_name.as_deref(), Some("n1"));
    running.stop().await;
    let accepts: Vec<String> = requests
        .lock()
        .iter()
        .map(|(_, accept)| accept.clone())
        .collect();
    assert!(accepts[0].starts_with(PROTOBUF));
    assert!(
        accepts[1..]
            .iter()
            .all(|accept| accept == "application/json"),
        "{accepts:?}"
    );
}

/// W-23: a watched object that cannot be read ends the watch, once the source is notified.
#[tokio::test(start_paused = true)]
async fn w23_a_watch_ends_when_json_is_wanted() {
    let (requests, client) = recording(|_, _| {
        let map = |name: &str| {
            let map = json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}});
            watch_frame("ADDED", &encode(&map).unwrap())
        };
        // `data` after `immutable`.
        let object = [
            &b"\x0a\x03\x0a\x01b"[..],
            b"\x20\x01",
            b"\x12\x06\x0a\x01k\x12\x01v",
        ];
        let unusual = watch_frame("ADDED", &wrap("v1", "ConfigMap", &object.concat()));
        answer(200, PROTOBUF, [map("a"), unusual, map("c")].concat())
    });
    let resource = ResourceInfo::of::<ConfigMap>(&()).unwrap();
    let source = KubeListerWatcher::new(client, resource).encoding(Encoding::Protobuf);
    let mut events = source.watch(watching()).await.unwrap();
    let mut decoded = Vec::new();
    while let Some(Ok(RawEvent::Added(object))) = events.next().await {
        let read = object.decode::<ConfigMap>();
        if read.as_ref().is_err_and(|error| error.needs_json) {
            source.want_json();
        }
        decoded.push(read.is_ok());
    }
    assert_eq!(decoded, [true, false]);
    assert!(events.next().await.is_none());
    // The next request is for JSON only, and the content type of its response decides again.
    drop(source.watch(watching()).await.unwrap());
    assert_eq!(requests.lock().pop().unwrap().1, "application/json");
}

//! Compression: the lists that request gzip, and their responses.

use super::*;

fn streaming() -> WatchOptions {
    WatchOptions {
        resource_version: "".into(),
        send_initial_events: true,
        ..watching()
    }
}

fn end() -> String {
    let annotations = json!({"k8s.io/initial-events-end": "true"});
    let metadata = json!({"resourceVersion": "9", "annotations": annotations});
    let object = json!({"kind": "Pod", "apiVersion": "v1", "metadata": metadata});
    json!({"type": "BOOKMARK", "object": object}).to_string() + "\n"
}

/// Creates a source that records the `Accept-Encoding` of each request, and responds with these
/// members and this coding.
fn recording(
    coding: Option<&'static str>,
    members: Vec<Vec<u8>>,
) -> (KubeListerWatcher, Arc<Mutex<Vec<String>>>) {
    let accepted = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&accepted);
    let source = pods(client(move |request| {
        let header = request.headers().get(header::ACCEPT_ENCODING);
        let accepts = header.map_or("nothing", |accepts| accepts.to_str().unwrap());
        note.lock().push(accepts.to_owned());
        let frames = members.clone().into_iter();
        let frames = frames.map(|frame| Ok::<_, Infallible>(frame.into()));
        let mut response = Response::builder();
        if let Some(coding) = coding {
            response = response.header(header::CONTENT_ENCODING, coding);
        }
        let response = response.body(body(stream::iter(frames)));
        async { Ok(response.unwrap()) }
    }));
    (source, accepted)
}

/// W-18: a streaming list requests gzip, and reads a member for each event.
#[tokio::test(start_paused = true)]
async fn w18_a_streaming_list_requests_gzip_and_reads_a_member_for_each_event() {
    let members = vec![
        pack(event("ADDED", "a")),
        pack(event("ADDED", "b")),
        pack(end()),
    ];
    let (source, accepted) = recording(Some("gzip"), members);
    for _ in 0..2 {
        let (seen, error) = read_watch(source.watch(streaming()).await.unwrap()).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(seen.len(), 3, "{seen:?}");
    }
    assert_eq!(*accepted.lock(), ["gzip", "gzip"]);
}

/// W-18: other requests do not request gzip, nor does any request if the option is off.
#[tokio::test(start_paused = true)]
async fn w18_watches_and_lists_do_not_request_gzip_and_it_can_be_disabled() {
    let (source, accepted) = recording(None, Vec::new());
    drop(source.watch(watching()).await.unwrap());
    drop(source.list(ListOptions::default()).await.unwrap());
    let without = source.gzip_streaming_lists(false);
    drop(without.watch(streaming()).await.unwrap());
    assert_eq!(*accepted.lock(), ["identity", "nothing", "identity"]);
}

/// W-18: kube's own layer decompresses gzip, hides that it did so, and stops after the first
/// member. After a streaming list that ends early for this reason, the next one does not request
/// gzip.
#[tokio::test(start_paused = true)]
async fn w18_a_layer_that_unpacks_one_member_only_costs_one_streaming_list() {
    let (source, accepted) = recording(None, vec![event("ADDED", "a").into()]);
    for _ in 0..3 {
        read_watch(source.watch(streaming()).await.unwrap()).await;
    }
    assert_eq!(*accepted.lock(), ["gzip", "identity", "identity"]);

    // A streaming list that reaches its closing bookmark does not disable gzip.
    let whole = vec![event("ADDED", "a").into(), end().into()];
    let (source, accepted) = recording(None, whole);
    for _ in 0..2 {
        read_watch(source.watch(streaming()).await.unwrap()).await;
    }
    assert_eq!(*accepted.lock(), ["gzip", "gzip"]);
}

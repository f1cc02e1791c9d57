//! The control: faults, switches, the request log, injected objects.

use informer_apiserver::{Fault, Matcher, Verb};
use kube::api::ListParams;
use serde_json::json;

use crate::support::{Lines, config_maps, error_of, fill, get, pods, put, send, server, soon};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn lists() -> Matcher {
    Matcher::any().verb(Verb::List).resource("configmaps")
}

#[tokio::test]
async fn a_stalled_request_gets_no_response() {
    let server = server().await;
    let control = server.control();
    control.fail_next(1, lists(), Fault::Stall);
    let api = config_maps(&server);
    let params = ListParams::default();
    let mut stalled = Box::pin(api.list(&params));
    tokio::select! {
        _ = &mut stalled => panic!("should not be answered"),
        _ = soon(control.await_request(lists())) => {}
    }
    drop(stalled);
    assert_eq!(get(&server, MAPS).await.0, 200);
}

#[tokio::test]
async fn a_body_can_be_cut_truncated_or_stalled() {
    let server = server().await;
    fill(&server, 100);
    let control = server.control();
    let request = || http::Request::get(MAPS).body(Vec::new()).unwrap();

    control.fail_next(1, lists(), Fault::TruncateAfter(100));
    let (code, text) = send(&server, request()).await;
    assert_eq!((code, text.as_str().unwrap().len()), (200, 100));

    control.fail_next(1, lists(), Fault::CutAfter(100));
    let client = server.client().unwrap();
    let response = soon(client.send(request().map(Into::into))).await;
    let body = async { response?.into_body().collect_bytes().await };
    assert!(soon(body).await.is_err());

    let watches = Matcher::any().verb(Verb::Watch);
    control.fail_next(1, watches.clone(), Fault::StallAfter(0));
    let mut hanging = Lines::open(&server, &format!("{MAPS}?watch=1")).await;
    let mut working = Lines::open(&server, &format!("{MAPS}?watch=1")).await;
    // The other watch receives the whole list and a later event meanwhile.
    let silent = async {
        working.shorts(100).await;
        put(&server, "z");
        working.short().await
    };
    tokio::select! {
        biased;
        _ = hanging.next() => panic!("should be silent"),
        last = silent => assert_eq!(last, "ADDED z"),
    }
    control.fail_next(1, watches, Fault::TruncateAfter(0));
    let mut ended = Lines::open(&server, &format!("{MAPS}?watch=1")).await;
    assert_eq!(ended.short().await, "end");
}

#[tokio::test]
async fn requests_are_recorded_counted_and_awaited() {
    let server = server().await;
    let control = server.control();
    put(&server, "direct");
    assert!(control.requests().is_empty());
    let maps = config_maps(&server);
    let arriving = {
        let control = control.clone();
        let get = Matcher::any()
            .verb(Verb::Get)
            .resource("configmaps")
            .name("x");
        async move { control.await_request(get).await }
    };
    let (request, _) = tokio::join!(soon(arriving), maps.get("x"));
    assert_eq!(
        (request.namespace.as_str(), request.name.as_str()),
        ("default", "x")
    );
    maps.list(&ListParams::default().labels("a=b"))
        .await
        .unwrap();
    maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(control.count(Verb::List, "configmaps"), 2);
    assert_eq!(control.count(Verb::List, "pods"), 0);
    let recorded = soon(control.await_request(lists().query("labelSelector"))).await;
    assert_eq!(recorded.parameter("labelSelector").as_deref(), Some("a=b"));
    assert_eq!(recorded.path, MAPS);
    soon(control.await_nth_request(lists(), 2)).await;
    control.reset_requests();
    assert_eq!(control.count(Verb::List, "configmaps"), 0);
    assert!(control.requests().is_empty());
}

#[tokio::test]
async fn the_direct_path_follows_the_rules_and_keeps_status() {
    let server = server().await;
    let control = server.control();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" },
        "spec": {}, "status": { "phase": "Running" },
    });
    control.create_direct(pod.clone()).unwrap();
    assert_eq!(
        control.create_direct(pod).unwrap_err().reason(),
        "AlreadyExists"
    );
    let objects = control.objects("pods");
    assert_eq!(objects.len(), 1);
    assert_eq!(objects[0]["status"]["phase"], "Running");
    assert_eq!(objects[0]["apiVersion"], "v1");
    let over_http = get(&server, "/api/v1/namespaces/default/pods/a").await.1;
    assert_eq!(over_http, objects[0]);
    let unknown = json!({ "apiVersion": "v1", "kind": "Nonsense", "metadata": { "name": "a" } });
    assert_eq!(control.create_direct(unknown).unwrap_err().code(), 400);
    assert!(control.objects("nonsense").is_empty());
    assert!(control.put_raw("/api/v1/pods", json!({})).is_err());
    let unknown = control.put_raw("/api/v1/namespaces/x/nonsense/y", json!({}));
    assert_eq!(unknown.unwrap_err().code(), 404);
    let rejected = pods(&server).get("b").await;
    assert_eq!(error_of(rejected).0, 404);
}

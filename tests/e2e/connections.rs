//! Requests and watches share HTTP/2 connections.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use informer::{InformerConfig, InformerOptions, SharedInformer, SharedInformerFactory};
use informer_apiserver::{ApiServer, Fault, Matcher, RecordedRequest, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, ObjectMeta, PostParams};
use kube::core::Request;
use kube::{Api, Client};
use serde_json::json;
use tokio::time::timeout;

use crate::proxy::{Link, Proxy};
use crate::support::{MODES, sync, within};

/// Starts a server, and a client whose connections are counted.
async fn started() -> (ApiServer, Proxy, Client) {
    let server = ApiServer::builder().tls().start().await.unwrap();
    let (proxy, config) = Proxy::start(&server.kube_config()).await;
    (server, proxy, informer::connect(config).unwrap())
}

/// Runs 200 informers until they have synced.
async fn two_hundred_informers(
    client: &Client,
) -> (SharedInformerFactory, Vec<SharedInformer<ConfigMap>>) {
    let factory = SharedInformerFactory::builder(client.clone())
        .build()
        .unwrap();
    let informers = (0..200)
        .map(|number| {
            let options = InformerOptions::new().namespace(format!("namespace-{number}"));
            factory.informer_with::<ConfigMap>(options)
        })
        .collect();
    sync(&factory).await;
    (factory, informers)
}

#[tokio::test]
async fn two_hundred_informers_need_at_most_four_connections() {
    let (server, proxy, client) = started().await;
    let (factory, informers) = two_hundred_informers(&client).await;
    let opened = proxy.accepted();
    assert!(opened <= 4, "{opened} connections");
    assert!(informers.iter().all(|maps| maps.has_synced()));
    factory.shutdown().await;

    // All idle connections but one are closed.
    let idle = async {
        while proxy.open() > 1 {
            client.apiserver_version().await.unwrap();
        }
    };
    within("the end of idle connections", idle).await;
    server.shutdown().await;
}

/// Each of the responses fills the window of its stream, and is not read.
#[tokio::test]
async fn responses_that_nobody_reads_delay_no_other() {
    let (server, proxy, client) = started().await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let params = PostParams::default();
    for name in ["a", "b", "c"] {
        let large = ConfigMap {
            metadata: ObjectMeta {
                name: Some(name.to_owned()),
                ..ObjectMeta::default()
            },
            data: Some(BTreeMap::from([("value".to_owned(), "x".repeat(900_000))])),
            ..ConfigMap::default()
        };
        let created = maps.create(&params, &large);
        within("create", created).await.unwrap();
    }
    let list = || {
        let request = Request::new(Api::<ConfigMap>::all(client.clone()).resource_url());
        let request = request.list(&ListParams::default()).unwrap();
        client.send(request.map(Into::into))
    };
    let mut unread = Vec::new();
    for _ in 0..90 {
        unread.push(within("response", list()).await.unwrap());
    }
    within("get", maps.get("a")).await.unwrap();
    assert_eq!(proxy.accepted(), 1);
    drop(unread);
    server.shutdown().await;
}

/// W-01: lists that find no room stop reading from the connection that they share. Each is larger
/// than the window of its stream, and none waits for ever.
#[tokio::test]
async fn w01_lists_with_little_room_share_a_connection() {
    let (server, proxy, client) = started().await;
    for number in 0..20 {
        let metadata = json!({"name": format!("namespace-{number}")});
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata});
        server.control().create_direct(namespace).unwrap();
    }
    for number in 0..600 {
        let namespace = format!("namespace-{}", number % 20);
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"namespace": namespace, "name": format!("map-{number}")},
            "data": {"value": "x".repeat(50_000)},
        });
        server.control().create_direct(map).unwrap();
    }
    for mode in MODES {
        let builder = SharedInformerFactory::builder(client.clone());
        let builder = builder.config(InformerConfig::new().watch_list(mode));
        let factory = builder.max_first_lists(0).max_list_bytes(64 << 10);
        let factory = factory.build().unwrap();
        let informers = (0..20).map(|number| {
            let options = InformerOptions::new().namespace(format!("namespace-{number}"));
            factory.informer_with::<ConfigMap>(options)
        });
        let informers: Vec<_> = informers.collect();
        sync(&factory).await;
        assert!(informers.iter().all(|maps| maps.snapshot().len() == 30));
        assert_eq!(proxy.accepted(), 1);
        factory.shutdown().await;
    }
    server.shutdown().await;
}

#[tokio::test]
async fn requests_share_an_attempt_to_connect() {
    let (server, proxy, client) = started().await;
    let before = proxy.accepted();
    proxy.set(Link::Reset).await;
    let requests = (0..50).map(|_| client.apiserver_version());
    let answers = within("failures", join_all(requests)).await;
    assert!(answers.iter().all(Result::is_err));
    // That of `set`, and one of the client.
    assert_eq!(proxy.accepted() - before, 2);

    // A later request makes an attempt of its own: an informer that retries by its own schedule
    // does not get an older error.
    let before = proxy.accepted();
    for _ in 0..5 {
        let answer = within("failure", client.apiserver_version()).await;
        assert!(answer.is_err());
    }
    assert_eq!(proxy.accepted() - before, 5);

    // Many that retry at once share their attempts.
    let before = proxy.accepted();
    let retries = (0..50).map(|_| async {
        for _ in 0..3 {
            assert!(client.apiserver_version().await.is_err());
        }
    });
    within("retries", join_all(retries)).await;
    let attempts = proxy.accepted() - before;
    assert!(attempts <= 6, "{attempts} attempts");

    proxy.set(Link::Up).await;
    let answer = within("connection", client.apiserver_version()).await;
    assert!(answer.is_ok(), "{answer:?}");
    server.shutdown().await;
}

/// E-04, E-09: a server that comes back overloaded, and asks for a pause of a second, is asked a few
/// times a second, and each informer then needs a probe and a watch.
#[tokio::test]
async fn e09_two_hundred_informers_do_not_storm_a_server_that_comes_back() {
    let (server, proxy, client) = started().await;
    let control = server.control();
    let (factory, _informers) = two_hundred_informers(&client).await;
    within("watches", control.await_watches("configmaps", 200)).await;
    proxy.set(Link::Refused).await;
    within("no watch", control.await_watches("configmaps", 0)).await;
    control.reset_requests();
    let overloaded = Fault::Status {
        code: 429,
        reason: "TooManyRequests".to_owned(),
        message: "on purpose".to_owned(),
        retry_after: Some(1),
    };
    control.fail_next(1000, Matcher::any(), overloaded);
    proxy.set(Link::Up).await;
    within("a request", control.await_request(Matcher::any())).await;
    let storm = control.await_nth_request(Matcher::any(), 40);
    let storm = timeout(Duration::from_secs(3), storm).await;
    assert!(storm.is_err(), "40 requests in 3 s");

    control.clear_faults();
    within("watches", control.await_watches("configmaps", 200)).await;
    let requests = control.requests();
    assert!(requests.iter().all(|request| is_watch_or_probe(request)));
    assert!(requests.len() <= 450, "{} requests", requests.len());
    factory.shutdown().await;
    server.shutdown().await;
}

fn is_watch_or_probe(request: &RecordedRequest) -> bool {
    request.verb == Verb::Watch || request.query.contains("limit=1&")
}

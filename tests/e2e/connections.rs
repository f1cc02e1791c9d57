//! Requests and watches share HTTP/2 connections.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use informer::{InformerOptions, SharedInformerFactory};
use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, ObjectMeta, PostParams};
use kube::core::Request;
use kube::{Api, Client};
use tokio::time::Instant;

use crate::proxy::{Link, Proxy};
use crate::support::within;

/// Starts a server, and a client whose connections are counted.
async fn started() -> (ApiServer, Proxy, Client) {
    let server = ApiServer::builder().tls().start().await.unwrap();
    let (proxy, config) = Proxy::start(&server.kube_config()).await;
    (server, proxy, informer::connect(config).unwrap())
}

#[tokio::test]
async fn two_hundred_informers_need_at_most_four_connections() {
    let (server, proxy, client) = started().await;
    let factory = SharedInformerFactory::builder(client.clone())
        .build()
        .unwrap();
    let informers: Vec<_> = (0..200)
        .map(|number| {
            let options = InformerOptions::new().namespace(format!("namespace-{number}"));
            factory.informer_with::<ConfigMap>(options)
        })
        .collect();
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
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

    // Neither does a request connect soon after a failed attempt.
    let soon = async {
        loop {
            let (began, before) = (Instant::now(), proxy.accepted());
            for _ in 0..5 {
                assert!(client.apiserver_version().await.is_err());
            }
            if began.elapsed() < Duration::from_millis(900) {
                break proxy.accepted() - before;
            }
        }
    };
    let attempts = within("attempts", soon).await;
    assert!(attempts <= 1, "{attempts} attempts");

    proxy.set(Link::Up).await;
    let again = async {
        while client.apiserver_version().await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    within("connection after the pause", again).await;
    server.shutdown().await;
}

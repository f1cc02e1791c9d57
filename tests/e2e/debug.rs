//! The debug page over HTTP: what it tells, what it never tells, and in a browser.

#[cfg(unix)]
mod abuse;
#[cfg(unix)]
mod browser;
mod dashboard;

use std::net::SocketAddr;
use std::sync::Arc;

use informer::debug::Service;
use informer::relations::{Reference, ReferencedCache};
use informer::shards::Shards;
use informer::{Controller, ObjectKey, Snapshot};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::leaks::{Evidence, MARKER, secret, value};
use crate::support::{Cluster, config_map, within};

/// Sends a request with a body. Returns the head and the body of the answer, which ends with its
/// length, with `until`, or with the connection.
async fn send(address: SocketAddr, request: &str, body: &str, until: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{request}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let read = within("an answer", stream.read(&mut part)).await.unwrap();
        answer.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&answer);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert!(read > 0, "{request}: {text}");
            continue;
        };
        let mut headers = head.lines().filter_map(|line| line.split_once(':'));
        let length = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let is_whole = length.is_some_and(|(_, length)| length.trim().parse() == Ok(body.len()));
        if read == 0 || is_whole || (!until.is_empty() && body.contains(until)) {
            return (head.to_owned(), body.to_owned());
        }
    }
}

pub(crate) async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}");
    let (head, body) = send(address, &request, "", "").await;
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
}

/// D-01, D-03: each route answers, and none with content that must stay in the process.
#[tokio::test]
async fn d03_no_route_shows_the_content_of_a_secret() {
    let mut evidence = Evidence::new();
    let cluster = Cluster::start().await;
    cluster.control.create_direct(secret("good")).unwrap();
    let spoilt = cluster.control.create_direct(secret("spoilt")).unwrap();
    let mut map = config_map("web", MARKER);
    let metadata = &mut map["metadata"];
    metadata["annotations"] = json!({ "last-applied": secret("copy").to_string() });
    cluster.control.create_direct(map).unwrap();
    let factory = cluster.factory();
    let (secrets, maps) = (
        factory.informer::<Secret>(),
        factory.informer::<ConfigMap>(),
    );
    let by_value = |secret: &Secret| vec![value(secret)];
    secrets.add_index("by password", by_value).unwrap();
    let values = |map: &ConfigMap| -> Vec<String> {
        let data = map.data.iter().flatten();
        data.map(|(name, value)| format!("{name}={value}"))
            .collect()
    };
    maps.add_index("by value", values).unwrap();
    let controller = Controller::new("secrets", &secrets);
    let stop = controller.handle().queue().clone();
    let debug = Service::new(&factory).controller(&controller.handle());
    let debug = debug
        .show(&secrets)
        .show(&maps)
        .redact("data.v".parse().unwrap());
    let address = debug.serve("127.0.0.1:0").await.unwrap();
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    let mut spoilt: Value = spoilt;
    spoilt["data"] = json!({ "password": { MARKER: MARKER } });
    let path = crate::leaks::path("spoilt");
    cluster.control.put_raw(&path, spoilt).unwrap();
    let is_broken = |shown: &Snapshot<Secret>| shown.undecodable_all().len() == 1;
    let broken = secrets.indexer().wait_until(is_broken);
    within("the spoilt version", broken).await;

    let reconcile = |_: Arc<Secret>, _: Arc<()>| async { Err::<(), _>("a fault") };
    let running = controller.run(Arc::new(()), reconcile);
    let looking = async {
        while !get(address, "/why/secrets/default/good")
            .await
            .1
            .contains("a fault")
        {}
        let tested = [
            ("/", 200, "secrets"),
            ("/informers/secrets", 200, "default/good"),
            ("/informers/secrets.v1/default/good", 200, "(redacted)"),
            (
                "/informers/secrets/default/spoilt",
                200,
                "version that did not decode",
            ),
            ("/informers/configmaps/default/web", 200, "bytes)"),
            ("/informers/configmaps/default/none", 404, "No informer"),
            ("/informers/none", 404, "No informer"),
            ("/why/secrets/default/good", 200, "listed"),
            ("/why/secrets/default/none", 200, "No call"),
            ("/why/none/default/good", 404, "No controller"),
            ("/metrics", 200, "# EOF"),
            ("/livez", 200, "ok"),
            ("/readyz", 200, "[+] secrets.v1: synced"),
            ("/style.css", 200, "prefers-color-scheme"),
            ("/live.js", 200, "EventSource"),
            ("/icon.svg", 200, "<svg"),
            ("/missing/", 404, "/readyz"),
        ];
        let mut routes = String::new();
        for (path, code, expected) in tested {
            let (status, body) = get(address, path).await;
            assert_eq!(status, code, "{path}: {body}");
            assert!(body.contains(expected), "{path}: {body}");
            evidence.text(path, body.clone());
            routes = body;
        }
        // The answer to an unknown path lists all others.
        for route in routes.lines().filter(|line| line.starts_with('/')) {
            let (prefix, depth) = (route.split('<').next().unwrap(), route.matches('/').count());
            let is_it = |path: &str| path.starts_with(prefix) && path.matches('/').count() == depth;
            let is_tested = tested.iter().any(|(path, ..)| is_it(path)) || route == "/events";
            assert!(is_tested, "{route} is not tested");
        }
        let request = format!("GET /events HTTP/1.1\r\nHost: {address}");
        let (head, events) = send(address, &request, "", "Memory</h2>").await;
        assert!(head.contains("content-type: text/event-stream"), "{head}");
        evidence.text("/events", events);
        stop.shut_down();
    };
    let (ended, ()) = futures::join!(running, looking);
    ended.unwrap();
    evidence.check(&[]);
    factory.shutdown().await;
    cluster.server.shutdown().await;
}

/// D-08: slices and referenced objects are on the page while they exist.
#[tokio::test]
async fn d08_the_page_shows_who_holds_which_slices_and_what_is_referenced() {
    const MENTIONED: Reference<ConfigMap, Secret> = Reference::new("secrets", |map: &ConfigMap| {
        let names = map.data.iter().flatten().map(|(_, name)| name);
        names
            .map(|name| ObjectKey::namespaced("default", name))
            .collect()
    });
    let cluster = Cluster::start().await;
    cluster.control.create_direct(secret("mine")).unwrap();
    cluster.create("site", "mine");
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    let cache = ReferencedCache::builder(&factory, &maps, MENTIONED).build();
    let cache = cache.unwrap();
    let shards = Shards::builder(cluster.client.clone(), "group").slices(8);
    let shards = shards.identity("replica-a").join().await.unwrap();
    let debug = Service::new(&factory).shards(&shards).referenced(&cache);
    let address = debug.serve("127.0.0.1:0").await.unwrap();
    factory.start().unwrap();
    let has = async |path: &str, part: &str, is_there: bool| {
        let shown = async {
            loop {
                let (_, page) = get(address, path).await;
                if page.contains(part) == is_there {
                    return page;
                }
            }
        };
        within(part, shown).await
    };
    within("sync", cache.wait_for_sync()).await.unwrap();
    let page = has("/", "0–7</td>", true).await;
    for part in [
        "<a href=\"#slices\">Slices</a>",
        ">replica-a-",
        ">this replica<",
        "secrets.v1 referenced by configmaps.v1",
        "data-label=\"Single watches\">1<",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // A slice is owned when the answer to its claim has come.
    let owned = "informer_shards_owned_slices{name=\"group\"} 8";
    has("/metrics", owned, true).await;
    shards.leave().await;
    drop(shards);
    has("/", "replica-a", false).await;
    drop(cache);
    has("/", "referenced by", false).await;
    factory.shutdown().await;
    cluster.server.shutdown().await;
}

/// D-02: an answer has the headers that protect it, and other methods, hosts and addresses are
/// refused.
#[tokio::test]
async fn d02_the_page_is_for_this_machine_and_for_readers() {
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    let debug = Service::new(&factory).host("debug.example");
    let local = debug.serve("127.0.0.1:0").await.unwrap();
    let open = debug.serve("0.0.0.0:0").await.unwrap();
    let open = SocketAddr::from(([127, 0, 0, 1], open.port()));
    let guarded = Service::new(&factory).token("a token");
    let guarded = guarded.serve("127.0.0.1:0").await.unwrap();
    let token = "Authorization: Bearer a token";
    let wrong = "Authorization: Bearer a tokem";
    for (address, request, headers, code) in [
        (local, "GET /", "Host: localhost:1", 200),
        (local, "HEAD /", "Host: [::1]:1", 200),
        (local, "GET /", "Host: DEBUG.example", 200),
        (local, "GET /", "Host: rebound.example", 421),
        (local, "GET /metrics", "Host: rebound.example", 421),
        (local, "GET /", "X: no host", 421),
        (local, "POST /", "Host: localhost\r\nContent-Length: 0", 405),
        (local, "DELETE /informers/a/b/c", "Host: localhost", 405),
        (local, "GET /informers/a/b/c/d", "Host: localhost", 404),
        (local, "GET /why/a/%ff", "Host: localhost", 404),
        (open, "GET /", "Host: localhost", 401),
        (open, "GET /events", "Host: 10.0.0.1", 401),
        (open, "GET /metrics", "Host: metrics.monitoring", 200),
        (open, "GET /livez", "Host: a.pod", 200),
        (open, "GET /readyz", "Host: a.pod", 503),
        (guarded, "GET /", "Host: localhost", 401),
        (guarded, "GET /metrics", wrong, 421),
        (guarded, "GET /metrics", "Host: localhost", 401),
        (guarded, "GET /", token, 200),
        (guarded, "GET /readyz", "Host: localhost", 503),
    ] {
        let request = format!("{request} HTTP/1.1\r\n{headers}");
        let (head, body) = send(address, &request, "", "").await;
        assert!(
            head.starts_with(&format!("HTTP/1.1 {code} ")),
            "{request}: {head}"
        );
        assert_eq!(body.is_empty(), request.starts_with("HEAD"), "{request}");
        for header in [
            "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self'",
            "cache-control: no-store",
            "x-content-type-options: nosniff",
        ] {
            assert!(head.contains(header), "{request}: {head}");
        }
    }
    factory.shutdown().await;
    TcpStream::connect(local).await.unwrap_err();
    cluster.server.shutdown().await;
}

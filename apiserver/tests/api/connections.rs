//! Connections: accepted hosts, timeouts, and their number.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use informer_apiserver::ApiServer;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{get, put, server, started};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Longer than all timeouts, on a paused clock.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Sends `request` unchanged, and returns the code and the body of the response.
async fn exchange(address: SocketAddr, request: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let code = head.split(' ').nth(1).unwrap().parse().unwrap();
    (code, serde_json::from_str(body).unwrap_or_default())
}

/// Returns the code of the response to a GET with these headers.
async fn get_with(server: &ApiServer, headers: &str) -> u16 {
    let request = format!("GET {MAPS} HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
    exchange(server.address(), &request).await.0
}

/// Creates the config map `name` with these headers beside `Host`.
async fn create_with(server: &ApiServer, name: &str, headers: &str) -> u16 {
    let body = json!({ "metadata": { "name": name } }).to_string();
    let length = body.len();
    let request = format!(
        "POST {MAPS} HTTP/1.1\r\nhost: localhost\r\n{headers}connection: close\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    exchange(server.address(), &request).await.0
}

#[tokio::test]
async fn a_server_on_loopback_accepts_names_of_loopback_only() {
    let server = server().await;
    let own = "localhost|LocalHost:8080|localhost.:80|127.0.0.1|127.0.0.1:80|127.8.9.10|[::1]|\
               [::1]:80|[::ffff:127.0.0.1]";
    for host in own.split('|') {
        let headers = format!("host: {host}\r\n");
        assert_eq!(get_with(&server, &headers).await, 200, "{host}");
    }
    // Browsers always send `Host`, so a request without it is no attack.
    assert_eq!(get_with(&server, "").await, 200);
    let others = "evil.example|evil.example:80|localhost.evil.example|127.0.0.1.evil.example|\
                  10.0.0.1|0.0.0.0|[::2]|not a host|";
    for host in others.split('|') {
        let headers = format!("host: {host}\r\n");
        assert_eq!(get_with(&server, &headers).await, 421, "{host}");
    }
    let both = "host: localhost\r\nhost: evil.example\r\n";
    assert_eq!(get_with(&server, both).await, 421);
}

#[tokio::test]
async fn the_error_for_a_host_names_the_setting() {
    let server = server().await;
    let request = "GET /version HTTP/1.1\r\nhost: k8s.test\r\nconnection: close\r\n\r\n";
    let message = "Host names the host \"k8s.test\", and this server knows those of loopback: \
                   Builder::host_name, or --host-name, adds one";
    let (code, status) = exchange(server.address(), request).await;
    assert_eq!((code, &status["message"]), (421, &json!(message)));

    let builder = ApiServer::builder().host_name("k8s.test");
    let server = builder.start().await.unwrap();
    assert_eq!(exchange(server.address(), request).await.0, 200);
    assert_eq!(get_with(&server, "host: K8S.test:443\r\n").await, 200);
    assert_eq!(get_with(&server, "host: localhost\r\n").await, 200);
    assert_eq!(get_with(&server, "host: k9s.test\r\n").await, 421);
}

/// Clients may use any name for a server that is not on loopback.
#[tokio::test]
async fn a_server_on_all_addresses_accepts_any_host() {
    let address = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let server = started(ApiServer::builder().bind(address)).await;
    assert_eq!(get_with(&server, "host: k8s.test\r\n").await, 200);
}

/// As in the real server, a body without a content type is JSON. A page of another site can make a
/// browser send such a body without a preflight request, but not without an `Origin`.
#[tokio::test]
async fn pages_of_other_sites_cannot_write() {
    let server = server().await;
    for origin in "https://evil.example|http://evil.example:8080|null|file://|".split('|') {
        let origin = format!("origin: {origin}\r\n");
        assert_eq!(create_with(&server, "a", &origin).await, 421, "{origin}");
    }
    assert!(server.control().objects("configmaps").is_empty());
    assert_eq!(create_with(&server, "a", "").await, 201);
    let local = "origin: http://localhost:3000\r\n";
    assert_eq!(create_with(&server, "b", local).await, 201);
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed() {
    let server = server().await;
    for sent in [
        "",
        "GET /readyz HTTP/1.1\r\nhost: ",
        "GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let ended = timeout(DAY, stream.read_to_end(&mut answer)).await;
        assert!(ended.is_ok(), "open after {sent:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_body_times_out() {
    let server = server().await;
    let request = format!(
        "POST {MAPS} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-length: 100\r\n\r\n{{"
    );
    let answer = timeout(DAY, exchange(server.address(), &request)).await;
    let (code, status) = answer.expect("an answer");
    assert_eq!((code, &status["reason"]), (504, &json!("Timeout")));
}

/// The timeouts for receiving do not apply to sending.
#[tokio::test(start_paused = true)]
async fn a_watch_outlives_the_idle_timeout() {
    let server = server().await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request = format!(
        "GET {MAPS}?watch=1&timeoutSeconds=86400&allowWatchBookmarks=1 HTTP/1.1\r\n\
         host: localhost\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut bookmarks = 0;
    // One bookmark a minute.
    while bookmarks < 60 {
        let line = lines.next_line().await.unwrap().expect("an open watch");
        bookmarks += usize::from(line.contains("BOOKMARK"));
    }
}

/// More is sent than the buffers of a connection hold.
#[tokio::test(start_paused = true)]
async fn a_watch_that_is_not_read_ends_at_its_timeout() {
    let server = server().await;
    for index in 0..200 {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": format!("m{index}") },
            "data": { "text": "x".repeat(100_000) },
        });
        server.control().create_direct(map).unwrap();
    }
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request =
        format!("GET {MAPS}?watch=1&timeoutSeconds=60 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let control = server.control();
    timeout(DAY, control.await_watches("configmaps", 1))
        .await
        .unwrap();
    timeout(DAY, control.await_watches("configmaps", 0))
        .await
        .unwrap();
}

/// The operating system probes a silent client: the keepalive timer (2) runs on the server's side
/// of the connection.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_watch_has_a_keepalive_timer() {
    let server = server().await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request = format!("GET {MAPS}?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = BufReader::new(stream);
    answer.read_line(&mut String::new()).await.unwrap();
    let (here, client) = (
        server.address().port(),
        answer.get_ref().local_addr().unwrap().port(),
    );
    let timer = || {
        let connections = std::fs::read_to_string("/proc/net/tcp").unwrap();
        connections.lines().find_map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            let (local, remote) = (fields.next()?, fields.next()?);
            let matches = local.ends_with(&format!(":{here:04X}"))
                && remote.ends_with(&format!(":{client:04X}"));
            // The field after the state and the queues.
            matches.then(|| fields.nth(2).unwrap_or_default().to_owned())
        })
    };
    // Until the client has acknowledged the data, the retransmission timer (01) runs instead.
    timeout(DAY, async {
        while timer().unwrap().starts_with("01:") {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    assert!(timer().unwrap().starts_with("02:"), "{:?}", timer());
}

#[tokio::test(start_paused = true)]
async fn connections_above_the_limit_wait_for_others_to_end() {
    let builder = ApiServer::builder().max_connections(2);
    let server = builder.start().await.unwrap();
    put(&server, "a");
    let watch =
        format!("GET {MAPS}?watch=1&timeoutSeconds=1000000 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(watch.as_bytes()).await.unwrap();
        open.push(stream);
    }
    let mut third = open.pop().unwrap();
    let mut code = [0; 12];
    let early = timeout(DAY, third.read_exact(&mut code)).await;
    assert!(early.is_err(), "{:?}", String::from_utf8_lossy(&code));
    assert_eq!(server.control().watch_count("configmaps"), 2);

    open.pop();
    timeout(DAY, third.read_exact(&mut code))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(&code, b"HTTP/1.1 200");
}

/// The shutdown does not wait for connections that wait for a permit.
#[tokio::test]
async fn a_server_shuts_down_while_connections_wait() {
    let builder = ApiServer::builder().max_connections(1);
    let server = builder.start().await.unwrap();
    assert_eq!(get(&server, "/readyz").await.0, 200);
    let held = TcpStream::connect(server.address()).await.unwrap();
    let waiting = TcpStream::connect(server.address()).await.unwrap();
    crate::support::soon(server.shutdown()).await;
    drop((held, waiting));
}

use std::net::Ipv4Addr;

use rcgen::CertifiedKey;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::*;

/// Answers each request with `{}`, over HTTP/1 and TLS, and counts connections.
async fn serve_http1(listener: TcpListener, accepted: Arc<Mutex<usize>>) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        *accepted.lock() += 1;
        answer(acceptor.accept(stream).await.unwrap()).await;
    }
}

/// Answers each request with `{}`, over HTTP/1 without TLS.
async fn serve_plain(listener: TcpListener) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        answer(stream).await;
    }
}

/// Answers each request of a connection, until the client closes it.
async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line).await.is_ok_and(|read| read > 0) {
        if line == "\r\n" {
            let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
            stream.write_all(response).await.unwrap();
        }
        line.clear();
    }
}

/// Returns a listener, and a client of its server.
async fn listening() -> (TcpListener, Client) {
    listening_by("https").await
}

async fn listening_by(scheme: &str) -> (TcpListener, Client) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("{scheme}://localhost:{port}");
    let mut config = Config::new(url.parse().unwrap());
    config.accept_invalid_certs = true;
    (listener, super::super::connect(config).unwrap())
}

fn request() -> Request<Vec<u8>> {
    Request::get("/version").body(Vec::new()).unwrap()
}

#[tokio::test]
async fn a_server_without_http2_is_asked_over_http1() {
    let (listener, client) = listening().await;
    let accepted = Arc::<Mutex<usize>>::default();
    let mut server = JoinSet::new();
    server.spawn(serve_http1(listener, Arc::clone(&accepted)));
    for _ in 0..3 {
        assert_eq!(client.request_text(request()).await.unwrap(), "{}");
    }
    // One that found out, and one that is kept.
    assert_eq!(*accepted.lock(), 2);
    server.shutdown().await;
}

/// W-24. HTTP/1 has no pings: TCP looks after an idle connection, with TLS and without.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn w24_tcp_keeps_watch_over_a_connection_of_http1() {
    for scheme in ["https", "http"] {
        let (listener, client) = listening_by(scheme).await;
        let port = listener.local_addr().unwrap().port();
        let mut server = JoinSet::new();
        if scheme == "https" {
            server.spawn(serve_http1(listener, Arc::default()));
        } else {
            server.spawn(serve_plain(listener));
        }
        assert_eq!(client.request_text(request()).await.unwrap(), "{}");
        // proc(5): the second column is the local address, the third the remote one; the sixth is the
        // timer, of which 02 is the one of keep-alive.
        let sockets = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
        let is_watched = sockets.lines().any(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            columns
                .get(2)
                .is_some_and(|remote| remote.ends_with(&format!(":{port:04X}")))
                && columns.get(5).is_some_and(|timer| timer.starts_with("02:"))
        });
        assert!(is_watched, "{scheme}: {sockets}");
        server.shutdown().await;
    }
}

#[tokio::test]
async fn an_attempt_ends_when_no_request_waits_for_it() {
    let (listener, client) = listening().await;
    let given_up = client.request_text(request());
    let silent = tokio::select! {
        _ = given_up => panic!("the server has not answered"),
        silent = listener.accept() => silent.unwrap(),
    };
    let mut server = JoinSet::new();
    server.spawn(serve_http1(listener, Arc::default()));
    let answer = tokio::time::timeout(Duration::from_secs(20), client.request_text(request()));
    assert_eq!(answer.await.expect("a new attempt").unwrap(), "{}");
    drop(silent);
    server.shutdown().await;
}

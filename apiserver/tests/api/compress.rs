//! Compressed responses.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use futures::{AsyncReadExt as _, TryStreamExt as _};
use http::Request;
use http_body_util::BodyExt as _;
use informer_apiserver::ApiServer;
use kube::client::Body;
use serde_json::{Value, json};

use crate::support::{put, server, soon};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Returns the header `Content-Encoding` and the raw body.
async fn encoded(server: &ApiServer, path: &str, accept: &str) -> (String, Vec<u8>) {
    let request = Request::get(path).header("accept-encoding", accept);
    let request = request.body(Body::empty()).unwrap();
    let response = soon(server.client().unwrap().send(request)).await.unwrap();
    let header = |name: &str| {
        let value = response.headers().get(name);
        value.map(|value| value.to_str().unwrap().to_owned())
    };
    let encoding = header("content-encoding").unwrap_or_default();
    if encoding == "gzip" {
        assert_eq!(header("vary").unwrap(), "Accept-Encoding");
    }
    let body = soon(response.into_body().collect_bytes()).await.unwrap();
    (encoding, body.to_vec())
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
    plain
}

fn big(server: &ApiServer, bytes: usize) {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "big" },
        "data": { "x": "x".repeat(bytes) },
    });
    server.control().create_direct(object).unwrap();
}

#[tokio::test]
async fn responses_of_more_than_128_kib_are_compressed_on_request() {
    let server = server().await;
    put(&server, "small");
    for accept in ["gzip", "identity"] {
        assert_eq!(encoded(&server, MAPS, accept).await.0, "");
    }
    big(&server, 200 * 1024);
    for path in [MAPS.to_owned(), format!("{MAPS}/big")] {
        let (encoding, plain) = encoded(&server, &path, "deflate").await;
        assert_eq!(encoding, "");
        let (encoding, packed) = encoded(&server, &path, "deflate, gzip").await;
        assert_eq!(encoding, "gzip");
        assert!(packed.len() < plain.len() / 10);
        assert_eq!(gunzip(&packed), plain);
        // Weights are ignored, as in the real server.
        assert_eq!(encoded(&server, &path, "gzip;q=1").await.0, "");
    }
}

#[tokio::test]
async fn a_streaming_list_is_compressed_event_by_event_and_no_other_watch() {
    let server = server().await;
    big(&server, 200 * 1024);
    let open = async |query: &str| {
        let path = format!("{MAPS}?watch=1&{query}");
        let request = Request::get(path).header("accept-encoding", "gzip");
        let request = request.body(Body::empty()).unwrap();
        soon(server.client().unwrap().send(request)).await.unwrap()
    };
    assert!(!open("").await.headers().contains_key("content-encoding"));
    let streaming = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    let response = open(streaming).await;
    assert_eq!(response.headers()["content-encoding"], "gzip");
    // The event is complete although the body continues.
    let body = response.into_body().into_data_stream();
    let mut reader = body.map_err(std::io::Error::other).into_async_read();
    let mut packed = Vec::new();
    let event = loop {
        let mut chunk = vec![0; 4096];
        let read = soon(reader.read(&mut chunk)).await.unwrap();
        packed.extend_from_slice(&chunk[..read]);
        let mut plain = Vec::new();
        // The stream has not ended, so the decoder reports an error at the end.
        let _ = MultiGzDecoder::new(&*packed).read_to_end(&mut plain);
        if plain.ends_with(b"\n") {
            break serde_json::from_slice::<Value>(&plain).unwrap();
        }
    };
    assert_eq!(event["object"]["metadata"]["name"], "big");
}

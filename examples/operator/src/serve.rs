//! HTTP server of the metrics and of the readiness probe.

use std::convert::Infallible;
use std::future::ready;
use std::io;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use informer::SharedInformerFactory;
use informer::metrics::Collector;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::metrics::Metrics;

const TEXT: &str = "text/plain; charset=utf-8";

/// Serves the metrics at `/metrics`. Serves 200 at `/readyz` once all caches have synced, and until
/// then 503 with a line for each cache that has not.
///
/// # Errors
///
/// Returns an error if the listener cannot accept connections any more.
pub async fn serve(
    listener: TcpListener,
    metrics: Metrics,
    factory: SharedInformerFactory,
) -> io::Result<Infallible> {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        let (metrics, factory) = (metrics.clone(), factory.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            ready(answer(request.uri().path(), &metrics, &factory))
        });
        while connections.try_join_next().is_some() {}
        connections.spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

fn answer(
    path: &str,
    metrics: &Metrics,
    factory: &SharedInformerFactory,
) -> http::Result<Response<Full<Bytes>>> {
    let (status, content_type, body) = match path {
        "/metrics" => (StatusCode::OK, Collector::CONTENT_TYPE, metrics.page()),
        "/readyz" => match factory.check_ready() {
            Ok(()) => (StatusCode::OK, TEXT, "ready\n".to_owned()),
            Err(waiting) => (
                StatusCode::SERVICE_UNAVAILABLE,
                TEXT,
                format!("{waiting}\n"),
            ),
        },
        _ => (StatusCode::NOT_FOUND, TEXT, "not found\n".to_owned()),
    };
    let response = Response::builder().status(status);
    let response = response.header(CONTENT_TYPE, content_type);
    response.body(Full::from(body))
}

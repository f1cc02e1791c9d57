//! A client that shares few HTTP/2 connections among many requests and watches.
//!
//! ```text
//!   request ──► a connection with a free stream ──► response, which holds its stream
//!                  │ none                 ▲
//!                  └──► the next attempt, which all requests without a stream wait for
//! ```
//!
//! # Invariants
//!
//! 1. At most [`STREAMS`] requests use a connection. Its window has room for the windows of all of
//!    them, so a body that nobody reads takes nothing from the others.
//! 2. At most one attempt to connect runs, and it starts no sooner than [`PAUSE`] after one that
//!    failed. A request never gets the error of an attempt that ended before the request began, so
//!    each informer keeps to its own schedule of retries.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{BoxFuture, WeakShared};
use http::header::UPGRADE;
use http::uri::Scheme;
use http::{Request, Response, Uri};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::client::conn::http2;
use hyper::rt::Executor as _;
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::{Connection as _, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::client::{Body, ClientBuilder, ConfigExt as _};
use kube::{Client, Config};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt as _};

/// Maximum number of requests on a connection. kube-apiserver allows 250, many proxies 100.
const STREAMS: u32 = 100;

/// Bytes of a response that may wait to be read.
const STREAM_WINDOW: u32 = 1 << 20;

/// Time without a frame after which a connection is asked for a sign of life, and time for the
/// answer. client-go has the same.
const IDLE: Duration = Duration::from_secs(30);
const PONG: Duration = Duration::from_secs(15);

/// Number of questions of TCP for a sign of life within [`PONG`].
const PROBES: u32 = 3;

/// Minimum time from the failure of an attempt to connect to the next attempt, so that many
/// informers do not besiege a server that just starts.
const PAUSE: Duration = Duration::from_millis(200);

type Connector = TimeoutConnector<HttpsConnector<HttpConnector>>;

/// Body of a response, which holds its stream until it is dropped.
type ResponseBody = UnsyncBoxBody<Bytes, hyper::Error>;

/// Connections to one server. Clones share them.
#[derive(Clone)]
struct Connections {
    server: Uri,
    connector: Connector,
    /// For servers without HTTP/2, and for requests that upgrade their connection.
    http1: legacy::Client<Connector, Body>,
    pool: Arc<Mutex<Pool>>,
}

#[derive(Default)]
struct Pool {
    open: Vec<Connection>,
    /// Running attempt, which ends when no request waits for it.
    attempt: Option<WeakShared<BoxFuture<'static, Result<(), ConnectError>>>>,
    /// Time at which the last attempt failed.
    failed: Option<Instant>,
    /// The server chose HTTP/1, or there is no choice.
    is_http1: bool,
}

struct Connection {
    requests: http2::SendRequest<Body>,
    streams: Arc<Semaphore>,
}

/// Failure of an attempt to connect, which several requests report.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot connect to the API server")]
struct ConnectError(#[source] Arc<dyn std::error::Error + Send + Sync>);

/// Way of a request to the server.
enum Route {
    Http1,
    Http2(http2::SendRequest<Body>, OwnedSemaphorePermit),
}

/// Creates a client. It contacts the server with its first request.
pub(super) fn client(config: &Config) -> Result<Client, kube::Error> {
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(Connections::new(config)?);
    Ok(Client::new(service, config.default_namespace.clone()))
}

/// Returns a connector whose connections are asked for a sign of life by TCP, too: HTTP/1 has no pings,
/// and a watch in which nothing happens sends nothing. A dead connection ends within [`IDLE`] and
/// [`PONG`].
fn tcp() -> HttpConnector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(IDLE));
    tcp.set_keepalive_interval(Some(PONG / PROBES));
    tcp.set_keepalive_retries(Some(PROBES));
    // For what was sent and has no acknowledgement.
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    tcp.set_tcp_user_timeout(Some(IDLE + PONG));
    tcp
}

/// Returns the connector with the timeouts of the configuration.
fn with_timeouts(config: &Config, connector: HttpsConnector<HttpConnector>) -> Connector {
    let mut connector = TimeoutConnector::new(connector);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    connector.set_reset_reader_on_write(config.reset_reader_on_write);
    connector
}

// === impl Connections ===

impl Connections {
    fn new(config: &Config) -> Result<Self, kube::Error> {
        // Where kube chooses the process's provider of cryptography, if there are two.
        ClientBuilder::try_from(Config::new(config.cluster_url.clone()))?;
        let tcp = tcp();
        let without_negotiation = config.rustls_https_connector_with_connector(tcp.clone())?;
        let mut builder = HttpsConnectorBuilder::new()
            .with_tls_config(config.rustls_client_config()?)
            .https_or_http();
        if let Some(name) = &config.tls_server_name {
            let fixed = name
                .clone()
                .try_into()
                .map_err(|error| kube::Error::Service(Box::new(error)))?;
            builder = builder.with_server_name_resolver(FixedServerNameResolver::new(fixed));
        }
        let https = builder.enable_all_versions().wrap_connector(tcp);
        let pool = Pool {
            // Without TLS, nothing is negotiated.
            is_http1: config.cluster_url.scheme() == Some(&Scheme::HTTP),
            ..Pool::default()
        };
        Ok(Self {
            server: config.cluster_url.clone(),
            connector: with_timeouts(config, https),
            http1: legacy::Client::builder(TokioExecutor::new())
                .build(with_timeouts(config, without_negotiation)),
            pool: Arc::new(Mutex::new(pool)),
        })
    }

    /// Sends a request. A connection that the server is closing hands it back unsent; it is then
    /// sent again, once.
    async fn send(self, mut request: Request<Body>) -> Result<Response<ResponseBody>, BoxError> {
        let mut is_retry = false;
        loop {
            let route = if request.headers().contains_key(UPGRADE) {
                Route::Http1
            } else {
                self.route().await?
            };
            let (mut requests, stream) = match route {
                Route::Http1 => {
                    let response = self.http1.request(request).await?;
                    return Ok(response.map(BodyExt::boxed_unsync));
                }
                Route::Http2(requests, stream) => (requests, stream),
            };
            match requests.try_send_request(request).await {
                Ok(response) => {
                    let hold = move |frame| {
                        let _held = &stream;
                        frame
                    };
                    return Ok(response.map(|body| body.map_frame(hold).boxed_unsync()));
                }
                Err(mut error) => match error.take_message() {
                    Some(unsent) if !is_retry => request = unsent,
                    _ => return Err(error.into_error().into()),
                },
            }
            is_retry = true;
        }
    }

    /// Returns a free stream, for which it connects if there is none.
    async fn route(&self) -> Result<Route, ConnectError> {
        loop {
            let attempt = {
                let mut pool = self.pool.lock();
                if let Some(route) = pool.free() {
                    return Ok(route);
                }
                let running = pool.attempt.as_ref().and_then(WeakShared::upgrade);
                running.unwrap_or_else(|| {
                    let attempt = self.clone().connect().boxed().shared();
                    pool.attempt = attempt.downgrade();
                    attempt
                })
            };
            attempt.await?;
        }
    }

    /// Adds a connection to the pool, or that the server chose HTTP/1, or why it cannot connect.
    async fn connect(self) -> Result<(), ConnectError> {
        let failed = self.pool.lock().failed;
        if let Some(failed) = failed {
            sleep_until(failed + PAUSE).await;
        }
        let opened = self.open().await;
        let mut pool = self.pool.lock();
        pool.attempt = None;
        match opened {
            Ok(Some(connection)) => pool.open.push(connection),
            Ok(None) => pool.is_http1 = true,
            Err(error) => {
                pool.failed = Some(Instant::now());
                return Err(ConnectError(error.into()));
            }
        }
        Ok(())
    }

    /// Opens a connection; `None` if the server chooses HTTP/1.
    async fn open(&self) -> Result<Option<Connection>, BoxError> {
        let stream = self.connector.clone().oneshot(self.server.clone()).await?;
        if !stream.connected().is_negotiated_h2() {
            return Ok(None);
        }
        let (requests, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(STREAMS * STREAM_WINDOW)
            .keep_alive_interval(IDLE)
            .keep_alive_timeout(PONG)
            .keep_alive_while_idle(true)
            .handshake(stream)
            .await?;
        // Ends after the last request, once the client is dropped. Requests report its errors.
        TokioExecutor::new().execute(connection.map(drop));
        let streams = Arc::new(Semaphore::new(STREAMS as usize));
        Ok(Some(Connection { requests, streams }))
    }
}

impl Service<Request<Body>> for Connections {
    type Response = Response<ResponseBody>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.clone().send(request).boxed()
    }
}

// === impl Pool ===

impl Pool {
    /// Returns a free stream of the oldest connection that has one. Closes all idle connections but
    /// one.
    fn free(&mut self) -> Option<Route> {
        if self.is_http1 {
            return Some(Route::Http1);
        }
        let mut is_kept = true;
        self.open.retain(|connection| {
            let is_idle = connection.streams.available_permits() == STREAMS as usize;
            !connection.requests.is_closed() && (!is_idle || std::mem::take(&mut is_kept))
        });
        self.open.iter().find_map(|connection| {
            let stream = Arc::clone(&connection.streams).try_acquire_owned().ok()?;
            Some(Route::Http2(connection.requests.clone(), stream))
        })
    }
}

#[cfg(test)]
mod tests;

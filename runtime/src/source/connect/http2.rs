//! A client that shares few HTTP/2 connections among many requests and watches.
//!
//! ```text
//!   request ──► a connection with a free stream ──► response, which holds its stream until its end
//!                  │ none                 ▲
//!                  └──► one attempt, which all requests without a stream wait for
//! ```
//!
//! # Invariants
//!
//! 1. At most [`STREAMS`] requests use a connection. Its window has room for the windows of all of
//!    them, so a body that nobody reads takes nothing from the others.
//! 2. At most one attempt to connect runs. Requests share its error until [`PAUSE`] after its
//!    start.

use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use http::header::UPGRADE;
use http::{Request, Response, Uri};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
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
use tokio::time::Instant;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt as _};

/// Maximum number of requests on a connection. kube-apiserver allows 250, many proxies 100.
const STREAMS: u32 = 100;

/// Bytes of a response that may wait to be read.
const STREAM_WINDOW: u32 = 1 << 20;

/// Time without a frame after which a connection is asked for a sign of life, and time for the
/// answer. client-go has the same.
const IDLE: Duration = Duration::from_secs(30);
const PONG: Duration = Duration::from_secs(15);

/// Time from an attempt to connect that failed to the next.
const PAUSE: Duration = Duration::from_secs(1);

type Connector = TimeoutConnector<HttpsConnector<HttpConnector>>;

/// Connections to one server. Clones share them.
#[derive(Clone)]
struct Connections {
    server: Uri,
    connector: Connector,
    /// For servers without HTTP/2, and for requests that upgrade their connection.
    http1: legacy::Client<Connector, Body>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    open: Vec<Connection>,
    attempt: Option<(Instant, Attempt)>,
    /// The server chose HTTP/1.
    is_http1: bool,
}

struct Connection {
    requests: http2::SendRequest<Body>,
    streams: Arc<Semaphore>,
}

/// Attempt to connect. Its connection is in the [`State`] when it succeeds.
type Attempt = Shared<BoxFuture<'static, Result<(), ConnectError>>>;

/// Failure of an attempt, which several requests report.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot connect to the API server")]
struct ConnectError(#[source] Arc<dyn std::error::Error + Send + Sync>);

/// Way of a request to the server.
enum Route {
    Http1,
    Http2(http2::SendRequest<Body>, OwnedSemaphorePermit),
}

/// Body of a response, which occupies a stream until its end.
struct ResponseBody {
    body: Incoming,
    stream: Option<OwnedSemaphorePermit>,
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
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let mut https = HttpsConnectorBuilder::new()
            .with_tls_config(config.rustls_client_config()?)
            .https_only();
        if let Some(name) = &config.tls_server_name {
            let name = name.clone().try_into();
            let name = name.map_err(|error| kube::Error::Service(Box::new(error)))?;
            https = https.with_server_name_resolver(FixedServerNameResolver::new(name));
        }
        let https = https.enable_all_versions().wrap_connector(tcp);
        let without_negotiation = with_timeouts(config, config.rustls_https_connector()?);
        Ok(Self {
            server: config.cluster_url.clone(),
            connector: with_timeouts(config, https),
            http1: legacy::Client::builder(TokioExecutor::new()).build(without_negotiation),
            state: Arc::default(),
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
                    return Ok(response.map(|body| ResponseBody { body, stream: None }));
                }
                Route::Http2(requests, stream) => (requests, Some(stream)),
            };
            match requests.try_send_request(request).await {
                Ok(response) => {
                    return Ok(response.map(|body| ResponseBody { body, stream }));
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
                let mut state = self.state.lock();
                if let Some(route) = state.free() {
                    return Ok(route);
                }
                let recent = state
                    .attempt
                    .as_ref()
                    .filter(|(began, attempt)| attempt.peek().is_none() || began.elapsed() < PAUSE);
                if let Some((_, attempt)) = recent {
                    attempt.clone()
                } else {
                    let connector = self.connector.clone();
                    let attempt =
                        connect(connector, self.server.clone(), Arc::downgrade(&self.state));
                    let attempt = attempt.boxed().shared();
                    state.attempt = Some((Instant::now(), attempt.clone()));
                    attempt
                }
            };
            attempt.await?;
        }
    }
}

/// Adds a connection to the state, or that the server chose HTTP/1.
async fn connect(
    connector: Connector,
    server: Uri,
    state: Weak<Mutex<State>>,
) -> Result<(), ConnectError> {
    let opened = open(connector, server).await;
    let opened = opened.map_err(|error| ConnectError(error.into()))?;
    if let Some(state) = state.upgrade() {
        let mut state = state.lock();
        match opened {
            Some(connection) => state.open.push(connection),
            None => state.is_http1 = true,
        }
        state.attempt = None;
    }
    Ok(())
}

/// Opens a connection; `None` if the server chooses HTTP/1.
async fn open(connector: Connector, server: Uri) -> Result<Option<Connection>, BoxError> {
    let stream = connector.oneshot(server).await?;
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

// === impl State ===

impl State {
    /// Returns a free stream of the fullest connection that has one, so that others may become
    /// idle.
    fn free(&mut self) -> Option<Route> {
        if self.is_http1 {
            return Some(Route::Http1);
        }
        self.open
            .retain(|connection| !connection.requests.is_closed());
        self.open.iter().find_map(|connection| {
            let stream = Arc::clone(&connection.streams).try_acquire_owned().ok()?;
            Some(Route::Http2(connection.requests.clone(), stream))
        })
    }
}

// === impl ResponseBody ===

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.stream = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests;

//! Connections: accept, TLS handshake, serve, close.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::http::handle;
#[cfg(feature = "tls")]
use crate::http::tls::{HTTP2, Tls};
use crate::http::watch::Deadline;
use crate::shared::Shared;

/// Time that a connection has to finish its response after the shutdown has begun.
const GRACE: Duration = Duration::from_secs(2);

/// Time that a client has for the headers of a request, or until its next request. Clients close
/// connections after 90 idle seconds; a longer time here avoids closing a connection while a
/// request is on its way.
const HEADERS: Duration = Duration::from_secs(120);

/// Idle time before the first TCP keepalive probe, and the interval of further probes. They end a
/// watch whose client has vanished even if there are no events to send.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Maximum number of requests that an HTTP/2 connection carries at once, as in kube-apiserver.
const STREAMS: u32 = 250;

/// Time that a client has for the TLS handshake.
#[cfg(feature = "tls")]
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Maximum size of encrypted data, in bytes, that a connection holds for a client that does not
/// read.
#[cfg(feature = "tls")]
const RECORDS: usize = 16 * 1024;

/// Accepts and serves connections, until the server shuts down or stops listening.
#[derive(Debug, Clone)]
pub(super) struct Acceptor {
    /// One permit for each allowed connection. While no permit is free, the operating system queues
    /// new connections.
    pub(super) limit: Arc<Semaphore>,
    pub(super) shared: Arc<Shared>,
    pub(super) tasks: TaskTracker,
    /// A child of the server's shutdown.
    pub(super) stop: CancellationToken,
    #[cfg(feature = "tls")]
    pub(super) tls: Option<Arc<Tls>>,
}

// === impl Acceptor ===

impl Acceptor {
    pub(super) async fn accept(self, listener: TcpListener) {
        loop {
            let next = async {
                let permit = Arc::clone(&self.limit).acquire_owned().await;
                (permit, listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                () = self.stop.cancelled() => return,
                next = next => next,
            };
            match accepted {
                Ok((stream, _)) => {
                    let connections = self.clone();
                    self.tasks.spawn(async move {
                        prepare(&stream);
                        connections.serve(stream).await;
                        drop(permit);
                    });
                }
                // For example, the process has no file descriptors left. Other connections may
                // close during the pause.
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    /// Performs the TLS handshake, if there is one, and serves the connection.
    async fn serve(self, stream: TcpStream) {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            let handshake = tls.acceptor().accept_with(stream, |session| {
                session.set_buffer_limit(Some(RECORDS));
            });
            let accepted = tokio::select! {
                () = self.stop.cancelled() => return,
                accepted = timeout(HANDSHAKE, handshake) => accepted,
            };
            match accepted {
                Ok(Ok(stream)) => {
                    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP2);
                    self.serve_requests(stream, is_http2).await;
                }
                Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
                Err(_) => tracing::debug!("TLS handshake timed out"),
            }
            return;
        }
        self.serve_requests(stream, false).await;
    }

    /// Serves until the client closes the connection, the server shuts down, or it stops listening.
    async fn serve_requests<S>(self, stream: S, is_http2: bool)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (deadline, ends) = watch::channel(None);
        let shared = Arc::clone(&self.shared);
        let service = service_fn(move |mut request: Request<Incoming>| {
            let deadline = Arc::new(Deadline(deadline.clone()));
            request.extensions_mut().insert(deadline);
            handle(Arc::clone(&shared), request)
        });
        let stream = TokioIo::new(stream);
        if is_http2 {
            let connection = http2::Builder::new(TokioExecutor::new())
                .timer(TokioTimer::new())
                .max_concurrent_streams(STREAMS)
                .serve_connection(stream, service);
            // A client that does not read one watch may read the others.
            self.run(connection, std::future::pending()).await;
        } else {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS)
                .serve_connection(stream, service);
            self.run(connection, overdue(ends)).await;
        }
    }

    /// Runs a connection to its end, or until it is `overdue`.
    async fn run<C>(self, connection: C, overdue: impl Future<Output = ()>)
    where
        C: GracefulConnection<Error = hyper::Error>,
    {
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            // The client does not read, so that hyper does not see the end of the watch.
            () = overdue => return,
            () = self.stop.cancelled() => {
                if !self.shared.shutdown.is_cancelled() {
                    return;
                }
                connection.as_mut().graceful_shutdown();
                match timeout(GRACE, connection).await {
                    Ok(ended) => ended,
                    Err(_) => return,
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "connection ended");
        }
    }
}

/// Waits until a watch should have ended some time ago.
async fn overdue(mut ends: watch::Receiver<Option<Instant>>) {
    loop {
        let end = *ends.borrow_and_update();
        tokio::select! {
            () = sleep_until(end.unwrap_or_else(Instant::now) + GRACE), if end.is_some() => return,
            changed = ends.changed() => if changed.is_err() {
                return std::future::pending().await;
            },
        }
    }
}

/// Sets the TCP options of a connection.
fn prepare(stream: &TcpStream) {
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_IDLE)
        .with_interval(KEEPALIVE_INTERVAL);
    // Events are small; Nagle's algorithm would delay them.
    let set = stream
        .set_nodelay(true)
        .and_then(|()| SockRef::from(stream).set_tcp_keepalive(&keepalive));
    if let Err(error) = set {
        tracing::debug!(%error, "cannot set the TCP options of a connection");
    }
}

#[cfg(test)]
mod tests;

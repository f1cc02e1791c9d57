//! Connections: accept, TLS handshake, serve, close.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::auth::User;
use crate::http::handle;
#[cfg(feature = "tls")]
use crate::http::tls::Tls;
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

/// Time that a client has for the TLS handshake.
#[cfg(feature = "tls")]
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Accept loop of the server.
#[derive(Debug)]
pub(super) struct Connections {
    pub(super) listener: TcpListener,
    /// One permit for each allowed connection. While no permit is free, the operating system queues
    /// new connections.
    pub(super) limit: Arc<Semaphore>,
    pub(super) shared: Arc<Shared>,
    pub(super) tasks: TaskTracker,
    #[cfg(feature = "tls")]
    pub(super) tls: Option<Arc<Tls>>,
}

// === impl Connections ===

impl Connections {
    /// Accepts connections until the shutdown begins.
    pub(super) async fn accept(self) {
        loop {
            let next = async {
                let permit = Arc::clone(&self.limit).acquire_owned().await;
                (permit, self.listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                () = self.shared.shutdown.cancelled() => return,
                next = next => next,
            };
            match accepted {
                Ok((stream, _)) => {
                    let shared = Arc::clone(&self.shared);
                    #[cfg(feature = "tls")]
                    let tls = self.tls.clone();
                    self.tasks.spawn(async move {
                        prepare(&stream);
                        #[cfg(feature = "tls")]
                        if let Some(tls) = tls {
                            handshake(stream, &tls, shared).await;
                            drop(permit);
                            return;
                        }
                        serve(stream, None, shared).await;
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

/// Performs the TLS handshake, then serves the connection.
#[cfg(feature = "tls")]
async fn handshake(stream: TcpStream, tls: &Tls, shared: Arc<Shared>) {
    let accept = tokio::time::timeout(HANDSHAKE, tls.acceptor().accept(stream));
    let accepted = tokio::select! {
        () = shared.shutdown.cancelled() => return,
        accepted = accept => accepted,
    };
    match accepted {
        Ok(Ok(stream)) => {
            let user = tls.user(stream.get_ref().1);
            serve(stream, user, shared).await;
        }
        Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
        Err(_) => tracing::debug!("TLS handshake timed out"),
    }
}

/// Serves one connection until the client closes it or the server shuts down.
async fn serve<S>(stream: S, peer: Option<User>, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(|request| handle(Arc::clone(&shared), peer.clone(), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shared.shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            match tokio::time::timeout(GRACE, connection).await {
                Ok(ended) => ended,
                Err(_) => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}

//! Connections: taken, agreed on, served, ended.

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

/// How long a connection may take to finish its answer once the server is to end.
const GRACE: Duration = Duration::from_secs(2);

/// How long a client may take for the headers of a request, or for its next request. Clients close
/// connections that they have not used for 90 seconds: none should be closed here while a request is
/// on its way.
const HEADERS: Duration = Duration::from_secs(120);

/// How long a connection may be silent before the system asks whether the client is still there, and
/// how long it waits before it asks again. A watch whose client has vanished without a word ends so,
/// though there is nothing to send.
const SILENCE: Duration = Duration::from_secs(60);
const ASKED_AGAIN: Duration = Duration::from_secs(15);

/// How long a client may take to agree on TLS.
#[cfg(feature = "tls")]
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Where connections come in.
#[derive(Debug)]
pub(super) struct Connections {
    pub(super) listener: TcpListener,
    /// As many permits as there may be connections. While there is none, the system keeps those that
    /// clients open.
    pub(super) limit: Arc<Semaphore>,
    pub(super) shared: Arc<Shared>,
    pub(super) tasks: TaskTracker,
    #[cfg(feature = "tls")]
    pub(super) tls: Option<Arc<Tls>>,
}

// === impl Connections ===

impl Connections {
    /// Takes connections until the server is to end.
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
                            greet(stream, &tls, shared).await;
                            drop(permit);
                            return;
                        }
                        serve(stream, None, shared).await;
                        drop(permit);
                    });
                }
                // Out of file descriptors, for example: others may be freed meanwhile.
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
}

/// Sets what the system is to do with a connection.
fn prepare(stream: &TcpStream) {
    let keepalive = TcpKeepalive::new()
        .with_time(SILENCE)
        .with_interval(ASKED_AGAIN);
    // Events are small and must not wait for each other.
    let set = stream
        .set_nodelay(true)
        .and_then(|()| SockRef::from(stream).set_tcp_keepalive(&keepalive));
    if let Err(error) = set {
        tracing::debug!(%error, "cannot set up a connection");
    }
}

/// Agrees with the client on TLS, then serves it.
#[cfg(feature = "tls")]
async fn greet(stream: TcpStream, tls: &Tls, shared: Arc<Shared>) {
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
        Ok(Err(error)) => tracing::debug!(%error, "no agreement on TLS"),
        Err(_) => tracing::debug!("no agreement on TLS in time"),
    }
}

/// Serves one connection until it, or the server, ends.
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

//! Connections: taken, agreed on, served, ended.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use crate::access::User;
use crate::http::handle;
use crate::shared::Shared;

/// How long a connection may take to finish its answer once the server is to end.
const GRACE: Duration = Duration::from_secs(2);

/// How long a client may take to agree on TLS.
#[cfg(feature = "tls")]
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Takes connections until the server is to end.
pub(super) async fn accept(listener: TcpListener, shared: Arc<Shared>, tasks: TaskTracker) {
    loop {
        let accepted = tokio::select! {
            () = shared.shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                tasks.spawn(greet(stream, Arc::clone(&shared)));
            }
            // Out of file descriptors, for example: others may be freed meanwhile.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Agrees with the client on how to speak, then serves it.
async fn greet(stream: TcpStream, shared: Arc<Shared>) {
    // Events are small and must not wait for each other.
    let _ = stream.set_nodelay(true);
    #[cfg(feature = "tls")]
    if let Some(tls) = shared.config.tls.clone() {
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
        return;
    }
    serve(stream, None, shared).await;
}

/// Serves one connection until it, or the server, ends.
async fn serve<S>(stream: S, peer: Option<User>, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(|request| handle(Arc::clone(&shared), peer.clone(), request));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
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

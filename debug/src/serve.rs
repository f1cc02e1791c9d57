//! [`Service::serve`]: an HTTP server of its own.

use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use http_body::Body as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use informer_controller::{ControllerHandle, Serve};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, ToSocketAddrs, lookup_host};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::access::Access;
use crate::connections::{OpenConnection, Peer, Progress, Recorded, victim};
use crate::service::Service;

/// Maximum number of connections at a time. A further one takes the place of another.
const CONNECTIONS: usize = 128;
/// Maximum number of connections that wait to be accepted. With the default of tokio, a burst of
/// them would let the system refuse a probe, which then tries again after a second.
const BACKLOG: u32 = 4096;
/// Size of the system's buffer for an answer that a client does not read, in bytes. Linux doubles it,
/// and would otherwise take megabytes.
const SEND_BUFFER: u32 = 32 << 10;
/// Time that a client has for the headers of a request.
const HEADERS: Duration = Duration::from_secs(10);
/// Maximum size of a request's headers, in bytes.
const REQUEST: usize = 16 << 10;
/// Time that connections have to end after the stop.
const GRACE: Duration = Duration::from_secs(5);
/// Pause after a failure to accept a connection, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

// === impl Service ===

impl Service {
    /// Listens on an address, and serves in a task of the factory until the factory is
    /// [shut down](informer_runtime::SharedInformerFactory::shutdown), which waits for the task.
    /// Returns the address, whose port was chosen if it was 0.
    ///
    /// On an address that other machines can reach, only the probes and the metrics are answered
    /// without a [token](Self::token).
    ///
    /// # Limits
    ///
    /// A connection carries one request. The client has 10 seconds to send the request, and 30 to
    /// take the answer; of `/events`, 30 to take each part. At most 128 connections are open. A
    /// further one is accepted at once, so that probes are answered whatever other clients do: it
    /// takes the place of the connection without progress for longest, of the address with the most
    /// connections.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be bound, or if the factory does not exist any more.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the port; once the future has completed, the task owns it.
    pub async fn serve(&self, address: impl ToSocketAddrs) -> io::Result<SocketAddr> {
        let listener = listen(address).await?;
        let address = listener.local_addr()?;
        let mut service = self.clone();
        service.access = if address.ip().is_loopback() {
            Access::Loopback
        } else {
            Access::Network
        };
        let Some(factory) = (self.shared.factory)() else {
            return Err(io::Error::other("the factory was dropped"));
        };
        let stop = factory.spawn(|stop| accept(listener, service, stop));
        if stop.is_cancelled() {
            return Err(io::Error::other("the factory was shut down"));
        }
        info!(%address, "serving the debug page");
        Ok(address)
    }
}

/// For [`Manager::serve`](informer_controller::Manager::serve).
impl Serve for Service {
    fn add_controller(&self, controller: &ControllerHandle) {
        drop(self.clone().controller(controller));
    }

    fn serve<'s>(&'s self, address: &'s str) -> BoxFuture<'s, io::Result<SocketAddr>> {
        Box::pin(Self::serve(self, address))
    }
}

/// Listens on the first of these addresses that can be bound.
async fn listen(addresses: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut failure = io::Error::new(io::ErrorKind::InvalidInput, "the name has no address");
    for address in lookup_host(addresses).await? {
        match listen_on(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // As `TcpListener::bind` does.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Accepted sockets inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections until `stop`, and waits for their end. The answers in progress are the last
/// ones.
async fn accept(listener: TcpListener, service: Service, stop: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let mut connections = DebugConnections::default();
    loop {
        let incoming = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some(_) = connections.tasks.join_next() => continue,
            // At once, even if there are as many as there may be: it can be a probe.
            accepted = listener.accept() => accepted,
        };
        match incoming {
            Ok((stream, address)) => {
                let peer = Peer::of(address.ip());
                connections.make_room(peer).await;
                let progress = Arc::new(Progress::new());
                let served = connection(stream, service.clone(), Arc::clone(&progress));
                connections.open(peer, progress, graceful.watch(served));
            }
            Err(error) => {
                warn!(%error, "cannot accept a connection to the debug page");
                stop.run_until_cancelled(sleep(PAUSE)).await;
            }
        }
    }
    drop(listener);
    _ = timeout(GRACE, graceful.shutdown()).await;
    // Aborts what is left.
    connections.tasks.shutdown().await;
}

/// Returns the future that answers the requests of a connection.
pub(crate) fn connection<S>(
    stream: S,
    service: Service,
    progress: Arc<Progress>,
) -> impl GracefulConnection<Error = hyper::Error> + Send
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let recorded = Recorded {
        stream: TokioIo::new(stream),
        progress: Arc::clone(&progress),
    };
    let answer = service_fn(move |request| {
        let response = service.answer(&request);
        let is_endless = response.body().size_hint().exact().is_none();
        progress.answer(is_endless);
        ready(Ok::<_, Infallible>(response))
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        // Prometheus and the kubelet come too seldom to keep one, and no client can make the server
        // work on requests whose answers the client does not take.
        .keep_alive(false)
        .max_buf_size(REQUEST)
        .serve_connection(recorded, answer)
}

/// Runs a connection to its end, or until its client has made no progress for too long.
pub(crate) async fn run(connection: impl Future, progress: Arc<Progress>) {
    tokio::select! {
        // A client that goes away is no fault.
        _ = connection => {}
        () = progress.overdue() => {}
    }
}

/// Connections that are open.
#[derive(Debug, Default)]
struct DebugConnections {
    open: Vec<Connection>,
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Connection {
    peer: Peer,
    progress: Arc<Progress>,
    task: AbortHandle,
}

// === impl DebugConnections ===

impl DebugConnections {
    /// Closes a connection if there are as many as there may be, and waits for its end.
    async fn make_room(&mut self, newcomer: Peer) {
        self.open
            .retain(|connection| !connection.task.is_finished());
        if self.open.len() >= CONNECTIONS {
            let candidates: Vec<_> = self
                .open
                .iter()
                .map(|connection| OpenConnection {
                    peer: connection.peer,
                    since: connection.progress.since(),
                })
                .collect();
            if let Some(at) = victim(&candidates, newcomer) {
                self.open.swap_remove(at).task.abort();
            }
        }
        while self.tasks.len() >= CONNECTIONS {
            self.tasks.join_next().await;
        }
    }

    /// Runs a connection to its end.
    fn open<C>(&mut self, peer: Peer, progress: Arc<Progress>, connection: C)
    where
        C: Future + Send + 'static,
    {
        let task = self.tasks.spawn(run(connection, Arc::clone(&progress)));
        self.open.push(Connection {
            peer,
            progress,
            task,
        });
    }
}

//! [`Service::serve`]: an HTTP server of its own.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::access::Access;
use crate::service::Service;

/// Maximum number of connections at a time. Further ones wait to be accepted.
const CONNECTIONS: usize = 128;
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
    /// [shut down](informer_controller::SharedInformerFactory::shutdown), which waits for the task.
    /// Returns the address, whose port was chosen if it was 0.
    ///
    /// On an address that other machines can reach, only the probes and the metrics are answered
    /// without a [token](Self::token).
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be bound, or if the factory does not exist any more.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the port; once the future has completed, the task owns it.
    pub async fn serve(&self, address: impl ToSocketAddrs) -> io::Result<SocketAddr> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let mut service = self.clone();
        service.access = if address.ip().is_loopback() {
            Access::Loopback
        } else {
            Access::Network
        };
        let factory = (self.shared.factory)();
        let factory = factory.ok_or_else(|| io::Error::other("the factory was dropped"))?;
        let stop = factory.spawn(|stop| accept(listener, service, stop));
        if stop.is_cancelled() {
            return Err(io::Error::other("the factory was shut down"));
        }
        info!(%address, "serving the debug page");
        Ok(address)
    }
}

/// Accepts connections until `stop`, and waits for their end. The answers in progress are the last
/// ones.
async fn accept(listener: TcpListener, service: Service, stop: CancellationToken) {
    let (mut connections, graceful) = (JoinSet::new(), GracefulShutdown::new());
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            // A client that goes away is no fault.
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept(), if connections.len() < CONNECTIONS => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let service = TowerToHyperService::new(service.clone());
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEADERS)
                    .max_buf_size(REQUEST)
                    .serve_connection(TokioIo::new(stream), service);
                connections.spawn(graceful.watch(connection));
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
    connections.shutdown().await;
}

//! Connections of a server: their progress, and which one is closed to make room.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

/// Time that a client has to take its answer; if the answer has no end, to take a part of it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Progress of a connection, which its task records and the server reads.
#[derive(Debug)]
pub(crate) struct Progress(Mutex<ConnectionState>);

#[derive(Debug)]
struct ConnectionState {
    /// Time at which the client connected; once it has sent its request, the time at which the
    /// answer began.
    since: Instant,
    /// The answer has no end, so each part that the client takes is progress.
    is_endless: bool,
}

/// Connection in the choice of the one that is closed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenConnection {
    pub(crate) peer: Peer,
    /// Time of its last progress.
    pub(crate) since: Instant,
}

/// Clients that count as one: an address, of IPv6 a network of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Peer(IpAddr);

/// Stream that records its progress.
#[derive(Debug)]
pub(crate) struct Recorded<S> {
    pub(crate) stream: S,
    pub(crate) progress: Arc<Progress>,
}

/// Returns the position of the connection that makes room for one of `newcomer`: of the peer with
/// the most connections, the one whose last progress is oldest. So no peer takes the place of one
/// that has fewer connections.
pub(crate) fn victim(open: &[OpenConnection], newcomer: Peer) -> Option<usize> {
    let mut shares = HashMap::from([(newcomer, 1)]);
    for connection in open {
        *shares.entry(connection.peer).or_insert(0) += 1;
    }
    let (position, _) = open.iter().enumerate().max_by_key(|(_, connection)| {
        let share = shares.get(&connection.peer);
        (share, Reverse(connection.since))
    })?;
    Some(position)
}

// === impl Peer ===

impl Peer {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) & !u128::from(u64::MAX);
                IpAddr::V6(Ipv6Addr::from(network))
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

// === impl Progress ===

impl Progress {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(ConnectionState {
            since: Instant::now(),
            is_endless: false,
        }))
    }

    pub(crate) fn since(&self) -> Instant {
        self.0.lock().since
    }

    /// Records that the answer begins.
    pub(crate) fn answer(&self, is_endless: bool) {
        *self.0.lock() = ConnectionState {
            since: Instant::now(),
            is_endless,
        };
    }

    /// Waits until the client has not made progress in time.
    pub(crate) async fn overdue(&self) {
        loop {
            let end = self.since() + PATIENCE;
            if end <= Instant::now() {
                return;
            }
            sleep_until(end).await;
        }
    }

    /// Records that the client has taken a part of the answer.
    fn wrote(&self) {
        let mut state = self.0.lock();
        if state.is_endless {
            state.since = Instant::now();
        }
    }
}

// === impl Recorded ===

impl<S: Read + Unpin> Read for Recorded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: Write + Unpin> Write for Recorded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes));
        self.progress.wrote();
        Poll::Ready(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, parts));
        self.progress.wrote();
        Poll::Ready(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

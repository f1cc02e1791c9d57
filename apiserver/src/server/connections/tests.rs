use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::poll;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Acceptor;
use crate::api::state::ServerState;
use crate::api::watch::BATCH;
use crate::control::Control;
use crate::http::route::Route;
use crate::server::builder::Builder;
use crate::shared::Shared;

/// A client that sends a request and reads nothing.
struct Silent(&'static [u8]);

impl AsyncRead for Silent {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match std::mem::take(&mut self.0) {
            [] => Poll::Pending,
            request => {
                buffer.put_slice(request);
                Poll::Ready(Ok(()))
            }
        }
    }
}

impl AsyncWrite for Silent {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    /// As TCP and TLS streams do.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }
}

/// hyper takes 16 frames, whatever their size.
#[tokio::test]
async fn a_watch_that_is_not_read_encodes_few_kilobytes() {
    let shared = Arc::new(Shared::new(
        Builder::default().config,
        None,
        ServerState::new(1_000),
    ));
    let control = Control::new(Arc::clone(&shared));
    for number in 0..BATCH {
        let node = json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {
                "name": format!("node-{number}"),
                "annotations": { "text": "x".repeat(2_000) },
            },
        });
        control.create_direct(node).unwrap();
    }
    let holders = || {
        let state = shared.state();
        let route = Route::parse("/api/v1/nodes");
        let target = route.resource().unwrap().resolve(&state.registry).unwrap();
        let table = state.store.table(target.resource.id).unwrap();
        table.values().map(Arc::strong_count).collect::<Vec<_>>()
    };
    let before = holders();
    let connections = Acceptor {
        limit: Arc::new(Semaphore::new(1)),
        shared: Arc::clone(&shared),
        tasks: TaskTracker::new(),
        stop: CancellationToken::new(),
        #[cfg(feature = "tls")]
        tls: None,
    };
    let request = b"GET /api/v1/nodes?watch=1 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut served = pin!(connections.serve_requests(Silent(request), false));
    for _ in 0..100 {
        assert!(poll!(served.as_mut()).is_pending());
    }

    let after = holders();
    let page = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| after > before);
    assert_eq!(
        BATCH - page.count(),
        2,
        "objects that the watch has encoded"
    );
}

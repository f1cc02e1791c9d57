//! Bodies that produce the next frame when the connection has written the previous ones.
//!
//! hyper queues a number of frames, whatever their size, and drops each when the socket has taken
//! its bytes.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::task::AtomicWaker;
use http_body_util::BodyExt;
use hyper::body::Frame;

use super::response::{Body, Cut};

/// Unwritten bytes of a body from which on it produces no further frame.
pub(super) const IN_FLIGHT: usize = 4 * 1024;

/// A body whose unwritten frames are counted.
struct InFlight {
    body: Body,
    unwritten: Arc<Unwritten>,
}

#[derive(Default)]
struct Unwritten {
    bytes: AtomicUsize,
    less: AtomicWaker,
}

/// The bytes of a frame, counted until they are dropped.
struct Counted {
    bytes: Bytes,
    unwritten: Arc<Unwritten>,
}

/// Returns `body`, of which at most [`IN_FLIGHT`] bytes and one frame wait for the connection.
pub(super) fn bounded(body: Body) -> Body {
    let unwritten = Arc::default();
    InFlight { body, unwritten }.boxed_unsync()
}

impl hyper::body::Body for InFlight {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        self.unwritten.less.register(cx.waker());
        if self.unwritten.bytes.load(Ordering::Acquire) >= IN_FLIGHT {
            return Poll::Pending;
        }
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        polled.map_ok(|frame| frame.map_data(|bytes| counted(bytes, &self.unwritten)))
    }
}

fn counted(bytes: Bytes, unwritten: &Arc<Unwritten>) -> Bytes {
    unwritten.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
    let unwritten = Arc::clone(unwritten);
    Bytes::from_owner(Counted { bytes, unwritten })
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let len = self.bytes.len();
        self.unwritten.bytes.fetch_sub(len, Ordering::Release);
        self.unwritten.less.wake();
    }
}

#[cfg(test)]
mod tests;

//! Bodies that produce the next frame when the connection has written the previous ones.
//!
//! hyper queues a number of frames, whatever their size, and drops each when the socket has taken
//! its bytes.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use bytes::Bytes;
use futures::stream::poll_fn;
use futures::task::AtomicWaker;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Body as _;

use super::response::AnswerBody;

/// Unwritten bytes of a body from which on it produces no further frame.
const IN_FLIGHT: usize = 4 * 1024;

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
pub(super) fn bounded(mut body: AnswerBody) -> AnswerBody {
    let unwritten = Arc::<Unwritten>::default();
    let frames = poll_fn(move |context| {
        unwritten.less.register(context.waker());
        if unwritten.bytes.load(Ordering::Acquire) >= IN_FLIGHT {
            return Poll::Pending;
        }
        let frame = Pin::new(&mut body).poll_frame(context);
        frame.map_ok(|frame| frame.map_data(|bytes| counted(bytes, &unwritten)))
    });
    StreamBody::new(frames).boxed_unsync()
}

fn counted(bytes: Bytes, unwritten: &Arc<Unwritten>) -> Bytes {
    unwritten.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
    Bytes::from_owner(Counted {
        bytes,
        unwritten: Arc::clone(unwritten),
    })
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

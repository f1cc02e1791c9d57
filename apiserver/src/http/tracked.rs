//! Bodies that hold a guard until they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};

use super::response::{AnswerBody, ConnectionCut};

/// A response body, and what ends with it.
struct Tracked<G> {
    body: AnswerBody,
    guard: Option<G>,
}

/// Returns `body`, which keeps `guard` alive until its end.
pub(super) fn until_sent<G: Send + Unpin + 'static>(guard: G, body: AnswerBody) -> AnswerBody {
    let tracked = Tracked {
        body,
        guard: Some(guard),
    };
    tracked.boxed_unsync()
}

impl<G: Unpin> hyper::body::Body for Tracked<G> {
    type Data = Bytes;
    type Error = ConnectionCut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ConnectionCut>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.guard = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

//! Bodies that keep their request registered as running until they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};

use super::response::{Body, Cut};
use crate::fault::activity::Running;

/// A response body; its request is running until the body has been sent.
struct Tracked {
    body: Body,
    running: Option<Running>,
}

/// Returns `body`, which keeps `running` alive until its end.
pub(super) fn until_sent(running: Running, body: Body) -> Body {
    let running = Some(running);
    Tracked { body, running }.boxed_unsync()
}

impl hyper::body::Body for Tracked {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.running = None;
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

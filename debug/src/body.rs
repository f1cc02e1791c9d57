//! [`Body`]: a text, or the events of the live page.

use std::convert::Infallible;

use bytes::Bytes;
use futures::stream::{StreamExt as _, unfold};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::shared;

/// Body of an answer.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

pub(crate) fn text(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).boxed_unsync()
}

/// Returns a stream of the sections that change, until `stop`. A slow viewer misses renderings in
/// between, and never the last one.
pub(crate) fn events(frames: watch::Receiver<shared::Frame>, stop: CancellationToken) -> Body {
    let events = unfold((frames, 0, stop), |(mut frames, seen, stop)| async move {
        loop {
            let frame = frames.borrow_and_update().clone();
            let events = frame.since(seen);
            if !events.is_empty() {
                return Some((events, (frames, frame.number, stop)));
            }
            stop.run_until_cancelled(frames.changed()).await?.ok()?;
        }
    });
    StreamBody::new(events.map(|events| Ok(Frame::data(events)))).boxed_unsync()
}

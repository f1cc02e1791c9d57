//! [`Body`]: a text, or the events of the live page.

use std::convert::Infallible;

use bytes::Bytes;
use futures::stream::unfold;
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Body of an answer.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

pub(crate) fn text(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).boxed_unsync()
}

/// Returns a stream of the next renderings, until `stop`. A slow viewer misses renderings in between,
/// and never the last one.
pub(crate) fn events(frames: watch::Receiver<Bytes>, stop: CancellationToken) -> Body {
    let events = unfold((frames, stop), |(mut frames, stop)| async move {
        let changed = stop.run_until_cancelled(frames.changed()).await?;
        changed.ok()?;
        let rendering = frames.borrow_and_update().clone();
        Some((Ok(Frame::data(rendering)), (frames, stop)))
    });
    StreamBody::new(events).boxed_unsync()
}

//! Effects of faults on bodies. Each frame of a watch's body contains one event.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use http_body_util::{BodyExt, BodyStream, StreamBody};
use hyper::body::Frame;
use serde_json::Value;

use crate::fault::watches::Watches;
use crate::http::negotiate::Encoding;
use crate::http::protobuf;
use crate::http::response::{AnswerBody, ConnectionCut};
use crate::http::watch::error_frame;
use crate::status::ApiError;

#[derive(Debug)]
enum Ending {
    Clean,
    Cut,
    /// The stalled body of a watch also holds the server's watches, to learn when its connection is
    /// to break.
    Stall(Option<Arc<Watches>>),
}

fn body_of(
    frames: impl Stream<Item = Result<Frame<Bytes>, ConnectionCut>> + Send + 'static,
) -> AnswerBody {
    StreamBody::new(frames).boxed_unsync()
}

// === bytes ===

/// Stops the body after `bytes`. A watch that a test has ended is no longer registered, so
/// `watches` announces when the connection of a stalled watch has to break.
pub(super) fn stall_after(
    body: AnswerBody,
    bytes: u64,
    watches: Option<Arc<Watches>>,
) -> AnswerBody {
    limited(body, bytes, Ending::Stall(watches))
}

pub(super) fn cut_after(body: AnswerBody, bytes: u64) -> AnswerBody {
    limited(body, bytes, Ending::Cut)
}

pub(super) fn truncate_after(body: AnswerBody, bytes: u64) -> AnswerBody {
    limited(body, bytes, Ending::Clean)
}

/// Returns `body` up to `limit` bytes, followed by the ending.
fn limited(body: AnswerBody, limit: u64, ending: Ending) -> AnswerBody {
    let start = LimitedBody {
        frames: BodyStream::new(body),
        left: limit,
        ending: Some(ending),
    };
    body_of(futures::stream::unfold(start, |mut limited| async move {
        let frame = limited.next().await?;
        Some((frame, limited))
    }))
}

/// A body of which a number of bytes is sent.
struct LimitedBody {
    frames: BodyStream<AnswerBody>,
    left: u64,
    /// `None` after the end.
    ending: Option<Ending>,
}

impl LimitedBody {
    async fn next(&mut self) -> Option<Result<Frame<Bytes>, ConnectionCut>> {
        if self.left == 0 {
            return match self.ending.take()? {
                Ending::Clean => None,
                Ending::Cut => Some(Err(ConnectionCut)),
                Ending::Stall(watches) => Some(Err(silence(&mut self.frames, watches).await)),
            };
        }
        self.ending.as_ref()?;
        let mut data = match self.frames.next().await? {
            Ok(frame) => frame.into_data().unwrap_or_default(),
            Err(cut) => {
                self.ending = None;
                return Some(Err(cut));
            }
        };
        data.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        let sent = u64::try_from(data.len()).unwrap_or(u64::MAX);
        self.left = self.left.saturating_sub(sent);
        Some(Ok(Frame::data(data)))
    }
}

/// Discards the rest of the body until the connection has to break.
async fn silence(
    body: &mut BodyStream<AnswerBody>,
    watches: Option<Arc<Watches>>,
) -> ConnectionCut {
    while let Some(frame) = body.next().await {
        if let Err(cut) = frame {
            return cut;
        }
    }
    match watches {
        Some(watches) => watches.disconnected().await,
        None => std::future::pending().await,
    }
    ConnectionCut
}

/// Returns `body` in pieces of `bytes`, each after a pause.
pub(super) fn slow(body: AnswerBody, bytes: usize, pause: Duration) -> AnswerBody {
    let start = (BodyStream::new(body), Bytes::new());
    body_of(futures::stream::unfold(
        start,
        move |(mut body, mut rest)| async move {
            while rest.is_empty() {
                match body.next().await? {
                    Ok(frame) => rest = frame.into_data().unwrap_or_default(),
                    Err(cut) => return Some((Err(cut), (body, rest))),
                }
            }
            tokio::time::sleep(pause).await;
            let piece = rest.split_to(bytes.min(rest.len()));
            Some((Ok(Frame::data(piece)), (body, rest)))
        },
    ))
}

// === events ===

/// Start of a bookmark's line in JSON.
const BOOKMARK: &[u8] = b"{\"type\":\"BOOKMARK\"";

fn is_bookmark(frame: &Result<Frame<Bytes>, ConnectionCut>) -> bool {
    match line_of(frame) {
        Some(line) => line.starts_with(BOOKMARK) || protobuf::is_bookmark(line),
        None => false,
    }
}

fn line_of(frame: &Result<Frame<Bytes>, ConnectionCut>) -> Option<&Bytes> {
    frame.as_ref().ok()?.data_ref()
}

/// Reports whether the fault applies to `frame`: one of the first events, of which `left` remain.
fn counts(frame: &Result<Frame<Bytes>, ConnectionCut>, left: &mut usize) -> bool {
    let counts = *left > 0 && frame.is_ok() && !is_bookmark(frame);
    if counts {
        *left -= 1;
    }
    counts
}

/// Removes the first bookmarks.
pub(super) fn without_bookmarks(body: AnswerBody, count: usize) -> AnswerBody {
    let mut left = count;
    let kept = BodyStream::new(body).filter(move |frame| {
        let lost = left > 0 && is_bookmark(frame);
        if lost {
            left -= 1;
        }
        std::future::ready(!lost)
    });
    body_of(kept)
}

/// Duplicates the first events.
pub(super) fn with_duplicates(body: AnswerBody, count: usize) -> AnswerBody {
    let mut left = count;
    let doubled = BodyStream::new(body).flat_map(move |frame| {
        let mut again = None;
        if counts(&frame, &mut left)
            && let Some(line) = line_of(&frame)
        {
            again = Some(Ok(Frame::data(line.clone())));
        }
        let both = std::iter::once(frame).chain(again);
        futures::stream::iter(both)
    });
    body_of(doubled)
}

/// Returns the first events, then the last line, then the end.
pub(super) fn ended_after(body: AnswerBody, count: usize, last: Option<Bytes>) -> AnswerBody {
    let start = (BodyStream::new(body), count, last);
    body_of(futures::stream::unfold(
        start,
        |(mut body, mut left, mut last)| async move {
            if left == 0 {
                let line = last.take()?;
                return Some((Ok(Frame::data(line)), (body, 0, None)));
            }
            let frame = body.next().await?;
            counts(&frame, &mut left);
            Some((frame, (body, left, last)))
        },
    ))
}

/// Returns the `ERROR` event of an expired watch.
pub(super) fn expired(encoding: Encoding) -> Bytes {
    let error = ApiError::expired("The resourceVersion for the provided watch is too old.");
    error_frame(&error, encoding)
}

/// Makes the objects of the first events undecodable.
pub(super) fn undecodable_events(body: AnswerBody, count: usize, encoding: Encoding) -> AnswerBody {
    let mut left = count;
    let broken = BodyStream::new(body).map(move |frame| {
        if !counts(&frame, &mut left) {
            return frame;
        }
        let line = frame?.into_data().unwrap_or_default();
        let event = match encoding {
            Encoding::Protobuf => protobuf::undecodable_event(&line).unwrap_or(line),
            Encoding::Json => rewritten(line, break_event),
        };
        Ok(Frame::data(event))
    });
    body_of(broken)
}

fn break_event(event: &mut Value) {
    if let Some(object) = event.get_mut("object") {
        break_labels(object);
    }
}

// === objects ===

/// Makes the first objects of the document undecodable. Buffers the document.
pub(super) fn undecodable_objects(
    body: AnswerBody,
    count: usize,
    encoding: Encoding,
) -> AnswerBody {
    body_of(futures::stream::once(async move {
        let document = body.collect().await?.to_bytes();
        if encoding == Encoding::Protobuf {
            let broken = protobuf::undecodable_objects(&document, count);
            return Ok(Frame::data(broken.unwrap_or(document)));
        }
        let broken = rewritten(document, |document| break_objects(document, count));
        Ok(Frame::data(broken))
    }))
}

/// Breaks the first `count` items of a list, or an object.
fn break_objects(document: &mut Value, count: usize) {
    if let Some(Value::Array(items)) = document.get_mut("items") {
        for item in items.iter_mut().take(count) {
            break_labels(item);
        }
    } else if count > 0 {
        break_labels(document);
    }
}

fn break_labels(object: &mut Value) {
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.insert("labels".to_owned(), 7.into());
    }
}

/// Applies `change` to the document; returns it unchanged if it is not JSON.
fn rewritten(document: Bytes, change: impl FnOnce(&mut Value)) -> Bytes {
    let Ok(mut value) = serde_json::from_slice::<Value>(&document) else {
        return document;
    };
    change(&mut value);
    format!("{value}\n").into()
}

//! Faults: what goes wrong on purpose, for the next requests that match.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http::{Response, StatusCode, header};
use http_body_util::{BodyExt, BodyStream, StreamBody};
use hyper::body::Frame;

use crate::control::requests::{Matcher, RecordedRequest};
use crate::http::{Body, full, status_response};
use crate::negotiate::Encoding;
use crate::protobuf::is_bookmark;
use crate::status::ApiError;
use crate::watch::Cut;

/// What goes wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The answer is a `Status` of kind `Failure`; nothing is done.
    Status {
        /// HTTP status code, for example 500.
        code: u16,
        /// Machine-readable reason, for example `InternalError`.
        reason: String,
        /// The sentence for people.
        message: String,
        /// Seconds, sent as `details.retryAfterSeconds` and as the header `Retry-After`.
        retry_after: Option<u32>,
    },
    /// The answer is this, as it stands; nothing is done. A proxy's error page, for example.
    Raw {
        /// HTTP status code.
        code: u16,
        /// The header `Content-Type`.
        content_type: String,
        /// The whole body.
        body: Bytes,
    },
    /// No answer, until the client gives up or the server shuts down; nothing is done.
    Stall,
    /// The request is carried out, but the body stops after this many bytes and the connection
    /// stays open in silence.
    StallAfter(u64),
    /// The request is carried out, but the connection breaks after this many bytes of the body.
    CutAfter(u64),
    /// The request is carried out, but the body ends cleanly after this many bytes.
    TruncateAfter(u64),
    /// The request is carried out, but only after this time.
    Delay(Duration),
    /// The request is carried out, but the body comes in drops: a slow page, a slow network.
    Slow {
        /// At most this many bytes at once, at least one.
        bytes: usize,
        /// The time before each drop.
        pause: Duration,
    },
    /// The watch is carried out, but its first bookmarks, as many as this, are left out; the one
    /// that ends the initial events counts as well.
    LoseBookmarks(usize),
}

/// The faults that wait for their requests.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Armed>);

#[derive(Debug)]
struct Armed {
    matcher: Matcher,
    fault: Fault,
    left: usize,
}

// === impl Fault ===

impl Fault {
    /// A [`Fault::Status`] without `Retry-After`.
    #[must_use]
    pub fn status(code: u16, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Status {
            code,
            reason: reason.into(),
            message: message.into(),
            retry_after: None,
        }
    }

    /// The answer that replaces the request's own, if this fault does that.
    pub(crate) fn answer(&self, encoding: Encoding) -> Option<Response<Body>> {
        match self {
            Self::Status {
                code,
                reason,
                message,
                retry_after,
            } => {
                let mut error = ApiError::new(status(*code), reason.clone(), message.clone());
                if let Some(seconds) = retry_after {
                    error = error.with_retry_after(*seconds);
                }
                Some(status_response(&error, encoding))
            }
            Self::Raw {
                code,
                content_type,
                body,
            } => {
                let mut response = full(status(*code), body.clone());
                if let Ok(value) = content_type.parse() {
                    response.headers_mut().insert(header::CONTENT_TYPE, value);
                }
                Some(response)
            }
            Self::Stall
            | Self::StallAfter(_)
            | Self::CutAfter(_)
            | Self::TruncateAfter(_)
            | Self::Delay(_)
            | Self::Slow { .. }
            | Self::LoseBookmarks(_) => None,
        }
    }

    /// What becomes of the body of an answer.
    pub(crate) fn spoil(&self, response: Response<Body>) -> Response<Body> {
        let (mut parts, body) = response.into_parts();
        let body = match self {
            Self::StallAfter(bytes) => limited(body, *bytes, Ending::Stall),
            Self::CutAfter(bytes) => limited(body, *bytes, Ending::Cut),
            Self::TruncateAfter(bytes) => limited(body, *bytes, Ending::Clean),
            Self::Slow { bytes, pause } => slow(body, (*bytes).max(1), *pause),
            Self::LoseBookmarks(count) => without_bookmarks(body, *count),
            Self::Status { .. } | Self::Raw { .. } | Self::Stall | Self::Delay(_) => {
                return Response::from_parts(parts, body);
            }
        };
        parts.headers.remove(header::CONTENT_LENGTH);
        Response::from_parts(parts, body)
    }
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[derive(Debug, Clone, Copy)]
enum Ending {
    Clean,
    Cut,
    Stall,
}

/// `body` up to `limit` bytes, then the ending.
fn limited(body: Body, limit: u64, ending: Ending) -> Body {
    let start = (BodyStream::new(body), limit, false);
    let frames = futures::stream::unfold(start, move |(mut body, left, done)| async move {
        if done {
            return None;
        }
        if left == 0 {
            match ending {
                Ending::Clean => return None,
                Ending::Cut => return Some((Err(Cut), (body, 0, true))),
                Ending::Stall => std::future::pending::<()>().await,
            }
        }
        let mut data = match body.next().await? {
            Ok(frame) => frame.into_data().unwrap_or_default(),
            Err(cut) => return Some((Err(cut), (body, left, true))),
        };
        data.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        let left = left.saturating_sub(u64::try_from(data.len()).unwrap_or(u64::MAX));
        Some((Ok(Frame::data(data)), (body, left, false)))
    });
    StreamBody::new(frames).boxed_unsync()
}

/// `body` in pieces of `bytes`, each after a pause.
fn slow(body: Body, bytes: usize, pause: Duration) -> Body {
    let start = (BodyStream::new(body), Bytes::new());
    let frames = futures::stream::unfold(start, move |(mut body, mut rest)| async move {
        while rest.is_empty() {
            match body.next().await? {
                Ok(frame) => rest = frame.into_data().unwrap_or_default(),
                Err(cut) => return Some((Err(cut), (body, rest))),
            }
        }
        tokio::time::sleep(pause).await;
        let piece = rest.split_to(bytes.min(rest.len()));
        Some((Ok(Frame::data(piece)), (body, rest)))
    });
    StreamBody::new(frames).boxed_unsync()
}

/// How the line of a bookmark begins in JSON.
const BOOKMARK: &[u8] = b"{\"type\":\"BOOKMARK\"";

/// The body of a watch, whose frames are lines or protobuf's frames, without its first bookmarks.
fn without_bookmarks(body: Body, count: usize) -> Body {
    let mut left = count;
    let frames = BodyStream::new(body).filter(move |frame| {
        let data = frame.as_ref().ok().and_then(Frame::data_ref);
        let lost =
            left > 0 && data.is_some_and(|line| line.starts_with(BOOKMARK) || is_bookmark(line));
        if lost {
            left -= 1;
        }
        std::future::ready(!lost)
    });
    StreamBody::new(frames).boxed_unsync()
}

// === impl Faults ===

impl Faults {
    pub(crate) fn arm(&mut self, n: usize, matcher: Matcher, fault: Fault) {
        self.0.push(Armed {
            matcher,
            fault,
            left: n,
        });
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The fault for `request`, if one waits for it: the one that was armed first.
    pub(crate) fn take(&mut self, request: &RecordedRequest) -> Option<Fault> {
        let armed = self
            .0
            .iter_mut()
            .find(|armed| armed.matcher.matches(request))?;
        armed.left = armed.left.saturating_sub(1);
        let fault = armed.fault.clone();
        self.0.retain(|armed| armed.left > 0);
        Some(fault)
    }

    pub(crate) fn waiting(&self) -> usize {
        self.0.iter().map(|armed| armed.left).sum()
    }
}

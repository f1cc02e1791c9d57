//! Reads the frames of a response body, decompressed and under a deadline each.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body::{Body as _, Frame};
use kube::client::Body;
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep_until};

use super::gzip::Gunzip;
use crate::status::{SourceError, TimeoutPhase};
use crate::wire::printable;

/// Maximum length of a quoted header value, in bytes.
const MAX_HEADER: usize = 64;

#[derive(Debug)]
pub(super) struct Frames {
    body: Body,
    gunzip: Option<Gunzip>,
    timeout: ReadTimeout,
}

/// Timeout of reads.
///
/// Setting and clearing a timer for each frame would cost about as much as the frame itself. This
/// timer keeps running, and is reset if it fires before the deadline of the current read.
#[derive(Debug, Default)]
struct ReadTimeout {
    timer: Option<Pin<Box<Sleep>>>,
    /// Deadline of the current read; `None` between two reads.
    deadline: Option<Instant>,
}

// === impl Frames ===

impl Frames {
    /// Creates the reader of the body of a response with these headers.
    ///
    /// # Errors
    ///
    /// Fails if the Content-Encoding is not supported.
    pub(super) fn new(headers: &HeaderMap, body: Body) -> Result<Self, SourceError> {
        let coding = headers
            .get(header::CONTENT_ENCODING)
            .map_or("identity", |coding| {
                coding.to_str().unwrap_or("unprintable")
            });
        let gunzip = match coding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => None,
            "gzip" | "x-gzip" => Some(Gunzip::new()),
            other => {
                let other = printable(other, MAX_HEADER);
                return Err(SourceError::Malformed(format!(
                    "unsupported Content-Encoding: {other}"
                )));
            }
        };
        Ok(Self {
            body,
            gunzip,
            timeout: ReadTimeout::default(),
        })
    }

    /// Returns `true` if the body is gzip, and is decompressed here.
    pub(super) fn is_packed(&self) -> bool {
        self.gunzip.is_some()
    }

    /// Returns the next frame; `None` at the end of the body.
    ///
    /// # Errors
    ///
    /// Fails if no frame arrives within `limit`, or if the connection fails.
    pub(super) async fn next(&mut self, limit: Duration) -> Result<Option<Bytes>, SourceError> {
        loop {
            if let Some(unpacked) = self.unpack()? {
                return Ok(Some(unpacked));
            }
            let Some(frame) = self.frame(limit).await? else {
                release_connection().await;
                return Ok(None);
            };
            // Trailers carry no data.
            let Ok(data) = frame.into_data() else {
                continue;
            };
            match &mut self.gunzip {
                Some(gunzip) => gunzip.push(data),
                None if data.is_empty() => {}
                None => return Ok(Some(data)),
            }
        }
    }

    /// Returns the next frame without decompression.
    async fn frame(&mut self, limit: Duration) -> Result<Option<Frame<Bytes>>, SourceError> {
        let Self { body, timeout, .. } = self;
        // A cancelled read must not leave its deadline armed.
        timeout.deadline = None;
        let frame = poll_fn(|cx| {
            if let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(cx) {
                return Poll::Ready(Ok(frame));
            }
            timeout.poll(limit, cx).map(Err)
        });
        let ended = frame.await.map_err(|Elapsed| SourceError::Timeout {
            phase: TimeoutPhase::Progress,
            after: limit,
        })?;
        ended.transpose().map_err(SourceError::from_transport)
    }

    fn unpack(&mut self) -> Result<Option<Bytes>, SourceError> {
        let Some(gunzip) = &mut self.gunzip else {
            return Ok(None);
        };
        gunzip
            .pull()
            .map_err(|_| SourceError::Malformed("the gzip data is corrupt".to_owned()))
    }
}

/// Error of a read that exceeded its deadline.
#[derive(Debug)]
struct Elapsed;

// === impl ReadTimeout ===

impl ReadTimeout {
    /// Polls the timer; `limit` counts from the first call of the current read.
    fn poll(&mut self, limit: Duration, cx: &mut Context<'_>) -> Poll<Elapsed> {
        let deadline = *self
            .deadline
            .get_or_insert_with(|| deadline_after(Instant::now(), limit));
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() > deadline {
            timer.as_mut().reset(deadline);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(Elapsed);
            }
            // The timer fired for an earlier read.
            timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

/// Lets the tasks of the HTTP client run that make the connection of a complete body available to
/// the next request. Otherwise that request, such as the watch after a list, opens another one.
async fn release_connection() {
    // One task notices the end of the body and wakes the other one.
    for _task in 0..2 {
        yield_now().await;
    }
}

/// Returns the deadline, limited to 30 years if the clock cannot represent it.
fn deadline_after(now: Instant, limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    now.checked_add(limit).unwrap_or(now + FAR)
}

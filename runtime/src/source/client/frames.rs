//! The frames of an answer's body: unpacked, and each within its deadline.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body::{Body as _, Frame};
use kube::client::Body;
use tokio::time::{Instant, Sleep, sleep_until};

use super::gzip::Gunzip;
use crate::status::{SourceError, TimeoutPhase};
use crate::wire::printable;

/// How much of a header's value is quoted, in bytes.
const MAX_HEADER: usize = 64;

#[derive(Debug)]
pub(super) struct Frames {
    body: Body,
    gunzip: Option<Gunzip>,
    patience: Patience,
}

/// Ends what has waited for too long.
///
/// A timer that is set and cleared for each frame would cost as much as the frame. This one runs
/// on, and is set anew when it ends too early.
#[derive(Debug, Default)]
struct Patience {
    timer: Option<Pin<Box<Sleep>>>,
    /// When the wait ends that goes on; `None` between two of them.
    until: Option<Instant>,
}

// === impl Frames ===

impl Frames {
    /// The body of an answer with these headers.
    ///
    /// # Errors
    ///
    /// It is packed in a way that is not understood.
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
                    "its Content-Encoding is {other}"
                )));
            }
        };
        Ok(Self {
            body,
            gunzip,
            patience: Patience::default(),
        })
    }

    /// Whether the body is gzip, and is unpacked here.
    pub(super) fn is_packed(&self) -> bool {
        self.gunzip.is_some()
    }

    /// The next frame; `None` at the end of the body.
    ///
    /// # Errors
    ///
    /// Nothing came for as long as `limit`, or the connection failed.
    pub(super) async fn next(&mut self, limit: Duration) -> Result<Option<Bytes>, SourceError> {
        loop {
            if let Some(unpacked) = self.unpack()? {
                return Ok(Some(unpacked));
            }
            let Some(frame) = self.frame(limit).await? else {
                return Ok(None);
            };
            // Trailers carry nothing for us.
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

    /// The next frame as it comes.
    async fn frame(&mut self, limit: Duration) -> Result<Option<Frame<Bytes>>, SourceError> {
        let Self { body, patience, .. } = self;
        // A wait that was given up is none that goes on.
        patience.until = None;
        let frame = poll_fn(|cx| {
            if let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(cx) {
                return Poll::Ready(Ok(frame));
            }
            patience.poll(limit, cx).map(Err)
        });
        let ended = frame.await.map_err(|TooLong| SourceError::Timeout {
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
            .map_err(|_| SourceError::Malformed("its gzip encoding is corrupt".to_owned()))
    }
}

/// Nothing came for as long as may be waited.
#[derive(Debug)]
struct TooLong;

// === impl Patience ===

impl Patience {
    /// Waits; `limit` counts from the wait's first call on.
    fn poll(&mut self, limit: Duration, cx: &mut Context<'_>) -> Poll<TooLong> {
        let until = *self
            .until
            .get_or_insert_with(|| deadline(Instant::now(), limit));
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        if timer.deadline() > until {
            timer.as_mut().reset(until);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= until {
                return Poll::Ready(TooLong);
            }
            // Of an earlier wait.
            timer.as_mut().reset(until);
        }
        Poll::Pending
    }
}

/// As far away as a clock goes, where that is not far enough.
fn deadline(now: Instant, limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    now.checked_add(limit).unwrap_or(now + FAR)
}

//! The frames of an answer's body: unpacked, and each within its deadline.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use tokio::time::timeout;

use super::gzip::Gunzip;
use crate::source::{SourceError, TimeoutPhase};
use crate::wire::printable;

/// How much of a header's value is quoted, in bytes.
const MAX_HEADER: usize = 64;

#[derive(Debug)]
pub(super) struct Frames {
    body: Body,
    gunzip: Option<Gunzip>,
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
        Ok(Self { body, gunzip })
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
            let frame =
                timeout(limit, self.body.frame())
                    .await
                    .map_err(|_| SourceError::Timeout {
                        phase: TimeoutPhase::Progress,
                        after: limit,
                    })?;
            let Some(frame) = frame else {
                return Ok(None);
            };
            // Trailers carry nothing for us.
            let Ok(data) = frame.map_err(SourceError::from_transport)?.into_data() else {
                continue;
            };
            match &mut self.gunzip {
                Some(gunzip) => gunzip.push(data),
                None if data.is_empty() => {}
                None => return Ok(Some(data)),
            }
        }
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

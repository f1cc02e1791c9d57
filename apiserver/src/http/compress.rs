//! Gzip for clients that accept it: as in the real server, for responses of more than 128 KiB and
//! for streaming lists.

use std::future::ready;
use std::io::Write as _;

use bytes::{Bytes, BytesMut};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{StreamExt, TryStreamExt};
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::{BodyExt, BodyStream, StreamBody};
use hyper::body::Frame;

use crate::http::response::{AnswerBody, ConnectionCut};

/// Length in bytes up to which a response is not compressed.
const THRESHOLD: usize = 128 * 1024;

/// Reports whether a client with these headers accepts gzip. As in the real server, weights are
/// ignored.
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::ACCEPT_ENCODING) else {
        return false;
    };
    let Ok(codings) = value.to_str() else {
        return false;
    };
    codings.split(',').any(|coding| coding.trim() == "gzip")
}

/// Compresses the body if it is long enough. Buffers at most as much as the threshold requires.
pub(crate) async fn long_answer(response: Response<AnswerBody>) -> Response<AnswerBody> {
    let (parts, body) = response.into_parts();
    let mut frames = BodyStream::new(body);
    let mut start = BytesMut::new();
    let mut cut = None;
    while start.len() <= THRESHOLD && cut.is_none() {
        match frames.next().await {
            Some(Ok(frame)) => {
                let data = frame.into_data().unwrap_or_default();
                start.extend_from_slice(&data);
            }
            Some(Err(error)) => cut = Some(error),
            None => break,
        }
    }
    let is_long = start.len() > THRESHOLD;
    let buffered = futures::stream::iter([Ok(Frame::data(start.freeze()))]);
    let failure = futures::stream::iter(cut.map(Err));
    let whole = buffered.chain(failure).chain(frames);
    let body = StreamBody::new(whole).boxed_unsync();
    let restored = Response::from_parts(parts, body);
    if is_long {
        gzipped(restored, false)
    } else {
        restored
    }
}

/// Compresses a streaming list. Each event is flushed, so that the client can decode it at once.
pub(crate) fn stream(response: Response<AnswerBody>) -> Response<AnswerBody> {
    gzipped(response, true)
}

fn gzipped(response: Response<AnswerBody>, flush: bool) -> Response<AnswerBody> {
    let (mut parts, body) = response.into_parts();
    let headers = &mut parts.headers;
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let compressor = Compressor {
        body: BodyStream::new(body),
        // Compression level of the real server.
        encoder: Some(GzEncoder::new(Vec::new(), Compression::new(1))),
        flush,
    };
    let frames = futures::stream::try_unfold(compressor, next_chunk)
        .try_filter(|bytes| ready(!bytes.is_empty()))
        .map_ok(Frame::data);
    let compressed = StreamBody::new(frames).boxed_unsync();
    Response::from_parts(parts, compressed)
}

async fn next_chunk(
    mut compressor: Compressor,
) -> Result<Option<(Bytes, Compressor)>, ConnectionCut> {
    match compressor.next().await? {
        Some(bytes) => Ok(Some((bytes, compressor))),
        None => Ok(None),
    }
}

/// A body that is compressed while it is sent. Writing to memory cannot fail.
struct Compressor {
    body: BodyStream<AnswerBody>,
    /// `None` after the end of the body.
    encoder: Option<GzEncoder<Vec<u8>>>,
    flush: bool,
}

impl Compressor {
    /// Compresses the next frame; returns `None` after the end. The encoder may buffer its input and
    /// produce no output yet.
    async fn next(&mut self) -> Result<Option<Bytes>, ConnectionCut> {
        let Some(encoder) = &mut self.encoder else {
            return Ok(None);
        };
        if let Some(frame) = self.body.try_next().await? {
            let data = frame.into_data().unwrap_or_default();
            encoder.write_all(&data).map_err(|_| ConnectionCut)?;
            if self.flush {
                encoder.flush().map_err(|_| ConnectionCut)?;
            }
            let compressed = std::mem::take(encoder.get_mut());
            return Ok(Some(compressed.into()));
        }
        let Some(encoder) = self.encoder.take() else {
            return Ok(None);
        };
        let rest = encoder.finish().map_err(|_| ConnectionCut)?;
        Ok(Some(rest.into()))
    }
}

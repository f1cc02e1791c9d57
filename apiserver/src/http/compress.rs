//! Gzip for clients that accept it: as in the real server, for responses of more than 128 KiB and
//! for streaming lists.

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
    let value = headers.get(header::ACCEPT_ENCODING);
    let mut codings = value
        .and_then(|value| value.to_str().ok())
        .into_iter()
        .flat_map(|value| value.split(','));
    codings.any(|coding| coding.trim() == "gzip")
}

/// Compresses the body if it is long enough. Buffers at most as much as the threshold requires.
pub(crate) async fn long_answer(response: Response<AnswerBody>) -> Response<AnswerBody> {
    let (parts, body) = response.into_parts();
    let mut body = BodyStream::new(body);
    let mut start = BytesMut::new();
    let mut cut = None;
    let mut long = false;
    while !long && cut.is_none() {
        match body.next().await {
            Some(Ok(frame)) => start.extend_from_slice(&frame.into_data().unwrap_or_default()),
            Some(Err(error)) => cut = Some(error),
            None => break,
        }
        long = start.len() > THRESHOLD;
    }
    let start = futures::stream::iter([Ok(Frame::data(start.freeze()))]);
    let cut = futures::stream::iter(cut.map(Err));
    let whole = StreamBody::new(start.chain(cut).chain(body)).boxed_unsync();
    let response = Response::from_parts(parts, whole);
    if long {
        gzipped(response, false)
    } else {
        response
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
    // Compression level of the real server.
    let encoder = GzEncoder::new(Vec::new(), Compression::new(1));
    let start = (BodyStream::new(body), Some(encoder));
    let frames = futures::stream::try_unfold(start, move |(mut body, encoder)| async move {
        let Some(mut encoder) = encoder else {
            return Ok(None);
        };
        let (bytes, next) = match body.try_next().await? {
            Some(frame) => {
                let data = frame.into_data().unwrap_or_default();
                (compressed(&mut encoder, &data, flush)?, Some(encoder))
            }
            None => (encoder.finish().map_err(|_| ConnectionCut)?.into(), None),
        };
        Ok::<_, ConnectionCut>(Some((Frame::data(bytes), (body, next))))
    });
    // The encoder may buffer its input and produce no output yet.
    let frames = frames.try_filter(|frame| {
        let empty = frame.data_ref().is_some_and(Bytes::is_empty);
        std::future::ready(!empty)
    });
    Response::from_parts(parts, StreamBody::new(frames).boxed_unsync())
}

/// Returns the compressed bytes that are available after `data`. Writing to memory cannot fail.
fn compressed(
    encoder: &mut GzEncoder<Vec<u8>>,
    data: &[u8],
    flush: bool,
) -> Result<Bytes, ConnectionCut> {
    encoder.write_all(data).map_err(|_| ConnectionCut)?;
    if flush {
        encoder.flush().map_err(|_| ConnectionCut)?;
    }
    Ok(std::mem::take(encoder.get_mut()).into())
}

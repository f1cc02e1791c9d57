//! Lists and watches: from the query to the body.

use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use futures::future::ready;
use http::{Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;

use super::call::HttpCall;
use super::forms::Wanted;
use super::page::{chunks, protobuf_chunks};
use crate::api::list::{self as api, ListRequest, Page};
use crate::api::watch::WatchRequest;
use crate::http::negotiate::Encoding;
use crate::http::response::{AnswerBody, typed_body};
use crate::http::view::View;
use crate::http::watch::Watcher;
use crate::registry::target::RequestTarget;
use crate::shared::Shared;
use crate::status::ApiError;

pub(super) fn list(
    shared: &Arc<Shared>,
    target: &RequestTarget,
    wanted: Wanted,
    call: &HttpCall,
) -> Result<Response<AnswerBody>, ApiError> {
    let request = ListRequest::parse(&call.query, &shared.config)?;
    let page = api::list(&shared.state(), target, &request)?;
    Ok(list_of(target, page, wanted.of_list()?))
}

/// Returns the response with a list.
pub(super) fn list_of(target: &RequestTarget, page: Page, view: View) -> Response<AnswerBody> {
    if let Some(kind) = view.protobuf() {
        let chunks = protobuf_chunks(&page, kind);
        return chunked(view.encoding(), chunks);
    }
    let resource = &target.resource;
    let mut bare = false;
    let list = if view.as_table().is_some() {
        view.clone()
    } else if view.is_partial() {
        View::full("PartialObjectMetadataList", "meta.k8s.io/v1")
    } else {
        bare = !resource.custom;
        View::full(&resource.list_kind, &target.api_version())
    };
    let parts = chunks(page, &list, view, bare);
    chunked(Encoding::Json, parts)
}

/// Returns a response whose body is sent in chunks.
fn chunked(
    encoding: Encoding,
    chunks: impl Iterator<Item = Bytes> + Send + 'static,
) -> Response<AnswerBody> {
    let frames = futures::stream::iter(chunks.map(|chunk| Ok(Frame::data(chunk))));
    let body = StreamBody::new(frames).boxed_unsync();
    typed_body(encoding.media_type(), StatusCode::OK, body)
}

pub(super) fn watch(
    shared: &Arc<Shared>,
    target: &RequestTarget,
    wanted: Wanted,
    call: &HttpCall,
) -> Result<Response<AnswerBody>, ApiError> {
    let is_refused = shared.switches().refuse_watch_list;
    let request = WatchRequest::parse(&call.query, is_refused, &shared.config)?;
    let media_type = wanted.view.encoding().watch_media_type();
    let can_show = wanted.is_of_objects();
    let watcher = Watcher::start(shared, target, &request, wanted.view)?;
    // As in the real server, an impossible form ends the watch without an event.
    let ends = watcher.ends();
    let frames = watcher
        .into_stream()
        .take_while(move |_| ready(can_show))
        .map(|line| line.map(Frame::data));
    let body = StreamBody::new(frames).boxed_unsync();
    let mut response = typed_body(media_type, StatusCode::OK, body);
    response.extensions_mut().insert(ends);
    Ok(response)
}

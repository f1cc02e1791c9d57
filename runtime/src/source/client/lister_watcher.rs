//! [`KubeListerWatcher`]: a source for one resource of an API server.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use derive_where::derive_where;
use futures::future::{BoxFuture, FutureExt as _};
use http::{HeaderMap, Request, Response, StatusCode, header};
use kube::Client;
use kube::client::Body;
use tokio::time::timeout;

use super::config::{Form, Timeouts};
use super::frames::Frames;
use super::negotiation::Negotiation;
use super::request::Target;
use super::stream;
use crate::object::{ObjectKey, ResourceInfo, ResourceVersion};
use crate::source::{ListOptions, ListStream, ListerWatcher, WatchOptions, WatchStream};
use crate::status::{SourceError, TimeoutPhase};
use crate::wire::{ApiStatus, Encoding, Kind, RawEvent, RawObject, SplitOptions, printable};

/// Lists and watches one resource of an API server.
///
/// Response bodies are split as they arrive; at most one unfinished object is held. Objects of a
/// type other than that of the resource are rejected one by one.
///
/// # Examples
///
/// ```no_run
/// # extern crate informer_runtime as informer;
/// use informer::ResourceInfo;
/// # use informer_runtime::source::{KubeListerWatcher, ListOptions, ListerWatcher};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let pods = ResourceInfo::of::<Pod>(&()).ok_or("pods have a scope")?;
/// let source = KubeListerWatcher::new(client, pods)
///     .namespace("default")
///     .label_selector("app=web");
/// let page = source.list(ListOptions::default()).await?;
/// # drop(page);
/// # Ok(())
/// # }
/// ```
///
/// # Limitations
///
/// This source does not see retries that the kube client makes by itself: their delays count
/// against the deadline of the headers, and their errors are not reported. See
/// [`connect`](crate::source::connect).
#[derive(Clone)]
#[derive_where(Debug)]
pub struct KubeListerWatcher {
    #[derive_where(skip)]
    client: Client,
    target: Target,
    form: Form,
    encoding: Option<Encoding>,
    #[derive_where(skip)]
    negotiation: Negotiation,
    split: SplitOptions,
    timeouts: Timeouts,
    supports_watch_list: bool,
    gzip_streaming_lists: bool,
}

/// Text around an object that makes it an event.
const EVENT_START: Bytes = Bytes::from_static(br#"{"type":"MODIFIED","object":"#);
const EVENT_END: Bytes = Bytes::from_static(b"}");
/// Maximum part of a failed request's body that is read, in bytes.
const MAX_ERROR_BODY: usize = 64 << 10;
/// Maximum time for reading that body, which only provides the message.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);
/// Maximum length of a quoted header value, in bytes.
const MAX_HEADER: usize = 64;

// === impl KubeListerWatcher ===

impl KubeListerWatcher {
    /// Creates a source of all objects of `resource` in all namespaces, as whole objects in JSON.
    #[must_use]
    pub fn new(client: Client, resource: ResourceInfo) -> Self {
        let target = Target {
            resource,
            namespace: None,
            label_selector: None,
            field_selector: None,
        };
        Self {
            client,
            target,
            form: Form::default(),
            encoding: None,
            negotiation: Negotiation::default(),
            split: SplitOptions::default(),
            timeouts: Timeouts::default(),
            supports_watch_list: true,
            gzip_streaming_lists: true,
        }
    }

    /// Restricts the source to one namespace. No effect on cluster-scoped resources.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.target.namespace = Some(namespace.into());
        self
    }

    /// Restricts the source to objects whose labels match, as evaluated by the server.
    #[must_use]
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.target.label_selector = Some(selector.into());
        self
    }

    /// Restricts the source to objects whose fields match, as evaluated by the server.
    #[must_use]
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.target.field_selector = Some(selector.into());
        self
    }

    /// Sets the part of each object that is requested. Default: [`Form::Full`].
    #[must_use]
    pub fn form(mut self, form: Form) -> Self {
        self.form = form;
        self.negotiation = Negotiation::default();
        self
    }

    /// Sets the encoding to request. Default: JSON for whole objects, protobuf for
    /// [`Form::Metadata`]. A factory requests the encoding that its storage
    /// [prefers](crate::Storage::preferred_encoding).
    ///
    /// Protobuf is requested only where servers support it: for built-in kinds, and for the
    /// metadata of all kinds. The `Content-Type` of the response decides, so JSON is accepted as
    /// well. If a server rejects the negotiation, or sends protobuf in an unsupported form, the
    /// source requests only JSON from then on. In the second case, the list or watch fails with
    /// [`SourceError::Protobuf`](crate::status::SourceError::Protobuf), and a list in JSON follows.
    #[must_use]
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self.negotiation = Negotiation::default();
        self
    }

    /// Sets the options for splitting bodies. If `expected_type` is `None`, the type of the
    /// resource is used.
    #[must_use]
    pub fn split_options(mut self, options: SplitOptions) -> Self {
        self.split = options;
        self
    }

    /// Sets the maximum durations of silence of the server.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Sets whether streaming lists are allowed. Default: `true`.
    #[must_use]
    pub fn watch_list(mut self, supported: bool) -> Self {
        self.supports_watch_list = supported;
        self
    }

    /// Sets whether streaming lists request gzip, as in client-go. Default: `true`.
    ///
    /// API servers compress streaming lists, and the watch that continues after the list, from
    /// Kubernetes 1.37 on. Compression saves most of the bytes and costs more processor time on
    /// both sides, so disable it if the server is on the same host. Other lists and watches are
    /// never compressed.
    #[must_use]
    pub fn gzip_streaming_lists(mut self, gzip: bool) -> Self {
        self.gzip_streaming_lists = gzip;
        self
    }

    /// Returns the resource that is listed and watched.
    #[must_use]
    pub fn resource(&self) -> &ResourceInfo {
        &self.target.resource
    }

    async fn start_list(&self, options: &ListOptions) -> Result<ListStream, SourceError> {
        let uri = self.target.list_uri(options);
        let request = |encodings: &[Encoding]| {
            Request::get(&uri).header(header::ACCEPT, self.form.list_media_types(encodings))
        };
        let (encoding, frames) = self.negotiate(request).await?;
        self.negotiation.on_response(encoding, true);
        let json = self.negotiation.json_fallback(encoding);
        let splitter = encoding.list_splitter(&self.effective_split());
        Ok(stream::list(frames, splitter, json, &self.timeouts))
    }

    async fn start_watch(&self, options: &WatchOptions) -> Result<WatchStream, SourceError> {
        let is_list = options.send_initial_events;
        if !is_list && self.negotiation.must_relist_in_json() {
            return Err(SourceError::Protobuf(
                "objects of the last list have an unsupported form".to_owned(),
            ));
        }
        let uri = self.target.watch_uri(options);
        let requests_gzip =
            is_list && self.gzip_streaming_lists && !self.negotiation.is_gzip_disabled();
        let coding = if requests_gzip { "gzip" } else { "identity" };
        let request = |encodings: &[Encoding]| {
            Request::get(&uri)
                .header(header::ACCEPT, self.form.watch_media_types(encodings))
                .header(header::ACCEPT_ENCODING, coding)
        };
        let (encoding, frames) = self.negotiate(request).await?;
        self.negotiation.on_response(encoding, is_list);
        let json = self.negotiation.json_fallback(encoding);
        let splitter = encoding.event_splitter(&self.effective_split());
        let timeouts = &self.timeouts;
        let timeout = options.timeout;
        // The body is not compressed, or a layer of the client decompressed it.
        let in_doubt = requests_gzip && !frames.is_packed();
        let negotiation = in_doubt.then(|| self.negotiation.clone());
        let watch = stream::watch(frames, splitter, json, timeouts, timeout);
        Ok(stream::detect_broken_gzip(watch, negotiation))
    }

    /// Requests an object in JSON. The body passes the splitter of events as an event, so that the
    /// same fields are cut.
    async fn start_get(
        &self,
        key: &ObjectKey,
        version: &ResourceVersion,
    ) -> Result<RawObject, SourceError> {
        let types = self.form.watch_media_types(&[Encoding::Json]);
        let request = Request::get(self.target.get_uri(key, version)).header(header::ACCEPT, types);
        let (_, mut frames) = self.send(request).await?;
        let mut splitter = Encoding::Json.event_splitter(&self.effective_split());
        let mut events = Vec::new();
        splitter.push(&EVENT_START, &mut events)?;
        while let Some(frame) = frames.next(self.timeouts.list_progress).await? {
            splitter.push(&frame, &mut events)?;
        }
        splitter.push(&EVENT_END, &mut events)?;
        splitter.finish()?;
        match events.pop() {
            Some(RawEvent::Modified(object)) => Ok(object),
            Some(RawEvent::Rejected(rejected)) => Err(SourceError::Malformed(rejected.to_string())),
            _ => Err(SourceError::Malformed(
                "the response is not an object".to_owned(),
            )),
        }
    }

    /// Sends the request with the preferred encodings, and again with JSON only if the server
    /// rejects those.
    async fn negotiate(
        &self,
        request: impl Fn(&[Encoding]) -> http::request::Builder,
    ) -> Result<(Encoding, Frames), SourceError> {
        let encodings = self.negotiation.encodings(self.prefers_protobuf());
        let answer = self.send(request(encodings)).await;
        match answer {
            Err(SourceError::Status(status))
                if encodings.len() > 1 && matches!(status.code, 406 | 415) =>
            {
                self.negotiation.require_json();
                self.send(request(&[Encoding::Json])).await
            }
            answer => answer,
        }
    }

    /// Returns `true` if protobuf is requested, and servers support it for the requested objects.
    fn prefers_protobuf(&self) -> bool {
        let resource = &self.target.resource.api_resource;
        match (self.form, self.encoding) {
            (Form::Full, Some(Encoding::Protobuf)) => {
                Kind::of(&resource.api_version, &resource.kind).is_some()
            }
            (Form::Metadata, None | Some(Encoding::Protobuf)) => true,
            _ => false,
        }
    }

    async fn send(
        &self,
        request: http::request::Builder,
    ) -> Result<(Encoding, Frames), SourceError> {
        send(&self.client, request, self.timeouts.headers).await
    }

    fn effective_split(&self) -> SplitOptions {
        let mut options = self.split.clone();
        options
            .expected_type
            .get_or_insert_with(|| self.form.object_type(&self.target.resource));
        options
    }
}

/// Sends a request and waits up to `limit` for the response headers.
pub(super) async fn send(
    client: &Client,
    request: http::request::Builder,
    limit: Duration,
) -> Result<(Encoding, Frames), SourceError> {
    let complete = request
        .body(Body::empty())
        .map_err(SourceError::from_transport)?;
    let response = timeout(limit, client.send(complete))
        .await
        .map_err(|_| SourceError::Timeout {
            phase: TimeoutPhase::Headers,
            after: limit,
        })?
        .map_err(SourceError::from_transport)?;
    if !response.status().is_success() {
        return Err(read_error(response).await);
    }
    let (parts, body) = response.into_parts();
    let encoding = encoding_of(&parts.headers)?;
    Ok((encoding, Frames::new(&parts.headers, body)?))
}

/// Returns the encoding of a response with these headers; JSON if they have no Content-Type.
fn encoding_of(headers: &HeaderMap) -> Result<Encoding, SourceError> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(Encoding::Json);
    };
    let content_type = value.to_str().unwrap_or("unprintable");
    Encoding::from_content_type(content_type).ok_or_else(|| {
        let shown = printable(content_type, MAX_HEADER);
        SourceError::Malformed(format!("unsupported Content-Type: {shown}"))
    })
}

/// Reads the body of a failed request, as far as it arrives in time.
async fn read_error(response: Response<Body>) -> SourceError {
    let (parts, body) = response.into_parts();
    let (status, headers): (StatusCode, _) = (parts.status, parts.headers);
    let mut read = BytesMut::new();
    if let Ok(mut frames) = Frames::new(&headers, body) {
        let reading = async {
            while let Ok(Some(frame)) = frames.next(ERROR_BODY_TIME).await {
                let room = MAX_ERROR_BODY - read.len();
                read.extend_from_slice(frame.get(..room).unwrap_or(&frame));
                if read.len() >= MAX_ERROR_BODY {
                    break;
                }
            }
        };
        // A truncated body is used as well.
        let _in_time = timeout(ERROR_BODY_TIME, reading).await;
    }
    ApiStatus::from_response(status, &headers, &read).into()
}

impl ListerWatcher for KubeListerWatcher {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        async move { self.start_list(&options).await }.boxed()
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        async move { self.start_watch(&options).await }.boxed()
    }

    fn get<'a>(
        &'a self,
        key: &'a ObjectKey,
        version: &ResourceVersion,
    ) -> BoxFuture<'a, Result<RawObject, SourceError>> {
        let version = version.clone();
        async move { self.start_get(key, &version).await }.boxed()
    }

    fn supports_watch_list(&self) -> bool {
        self.supports_watch_list
    }

    fn last_encoding(&self) -> Option<Encoding> {
        self.negotiation.last()
    }

    fn want_json(&self) {
        self.negotiation.require_json();
    }
}

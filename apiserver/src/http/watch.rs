//! Watches: one state machine per watcher, which reads the shared log from its position.
//!
//! A watcher has no queue of its own: unread events stay in the log, and [`BATCH`] bounds the
//! events that it has read and not sent. A watcher that the event window has passed receives
//! `410 Expired` and ends.

mod bookmarks;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use futures::Stream;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use self::bookmarks::Bookmarks;
use crate::api::list::{ListRequest, list};
use crate::api::selector::Selector;
use crate::api::watch::{BATCH, WatchRequest, WatchStart, start_watch};
use crate::document::set;
use crate::fault::watches::{WatchEnd, WatchGuard};
use crate::http::negotiate::Encoding;
use crate::http::protobuf;
use crate::http::response::ConnectionCut;
use crate::http::view::View;
use crate::registry::target::RequestTarget;
use crate::shared::Shared;
use crate::status::ApiError;
use crate::store::Stored;
use crate::store::log::{Change, LogRead, LoggedEvent};

/// Sets the time at which the watch of a connection ends, and clears it when it is dropped.
#[derive(Debug)]
pub(crate) struct Deadline(pub(crate) watch::Sender<Option<Instant>>);

/// Time at which the watch of a response ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends(pub(crate) Instant);

/// Annotation of the bookmark that ends the initial events.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A running watch.
#[derive(Debug)]
pub(crate) struct Watcher {
    shared: Arc<Shared>,
    guard: WatchGuard,
    target: RequestTarget,
    selector: Selector,
    view: View,
    /// Revision up to which the watcher has read the log.
    position: u64,
    changed: watch::Receiver<()>,
    /// Rest of the objects that the watch starts with.
    initial: Option<ListRequest>,
    /// Objects of the last page that are not encoded yet; they are shared with the store.
    page: VecDeque<Arc<Stored>>,
    /// Lines that are ready to be sent.
    ready: VecDeque<Bytes>,
    /// `true` until the bookmark that ends the initial events has been sent.
    announce: bool,
    bookmarks: Option<Bookmarks>,
    deadline: Instant,
    finished: bool,
}

// === impl Deadline ===

impl Drop for Deadline {
    fn drop(&mut self) {
        self.0.send_replace(None);
    }
}

// === impl Watcher ===

impl Watcher {
    /// Starts a watch.
    ///
    /// An expired or future starting position is not an error here: like the real server, this
    /// server answers 200 and sends the error as an event.
    pub(crate) fn start(
        shared: &Arc<Shared>,
        target: &RequestTarget,
        request: &WatchRequest,
        view: View,
    ) -> Result<Self, ApiError> {
        let guard = shared.watches.register(&target.resource);
        let now = Instant::now();
        let mut ready = VecDeque::new();
        let start = match start_watch(&shared.state(), target, request) {
            Ok(started) => started,
            Err(error) if matches!(error.code(), 410 | 504) => {
                ready.push_back(error_frame(&error, view.encoding()));
                WatchStart {
                    position: 0,
                    initial: None,
                    changed: watch::Sender::new(()).subscribe(),
                }
            }
            Err(error) => return Err(error),
        };
        let deadline = now + request.timeout;
        let interval = shared.config.bookmark_interval;
        Ok(Self {
            finished: !ready.is_empty(),
            shared: Arc::clone(shared),
            guard,
            target: target.clone(),
            selector: request.selector.of_stored(target),
            view,
            position: start.position,
            changed: start.changed,
            initial: start.initial,
            page: VecDeque::new(),
            ready,
            announce: request.initial_events == Some(true) && request.bookmarks,
            bookmarks: request
                .bookmarks
                .then(|| Bookmarks::of_watch(now, request.timeout, interval)),
            deadline,
        })
    }

    /// Returns the body: one item per line, until the watch ends.
    pub(crate) fn ends(&self) -> Ends {
        Ends(self.deadline)
    }

    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<Bytes, ConnectionCut>> {
        futures::stream::unfold(self, |mut watcher| async move {
            let item = watcher.next().await?;
            Some((item, watcher))
        })
    }

    /// Returns the next line as soon as it is available.
    async fn next(&mut self) -> Option<Result<Bytes, ConnectionCut>> {
        loop {
            match self.guard.ended() {
                Some(WatchEnd::Cut) if !std::mem::replace(&mut self.finished, true) => {
                    return Some(Err(ConnectionCut));
                }
                Some(WatchEnd::Expired) if !self.finished => {
                    self.ready.clear();
                    self.expire();
                    return self.ready.pop_front().map(Ok);
                }
                Some(_) => return None,
                None => {}
            }
            if let Some(line) = self.ready.pop_front() {
                return Some(Ok(line));
            }
            if self.finished {
                return None;
            }
            if let Some(object) = self.page.pop_front() {
                let line = self.view.line(Change::Added, &object);
                self.view.drop_headings();
                return Some(Ok(line));
            }
            if let Some(request) = self.initial.take() {
                self.fill_initial(request);
                continue;
            }
            if std::mem::take(&mut self.announce) {
                return Some(Ok(self.bookmark(true)));
            }
            self.changed.borrow_and_update();
            self.fill();
            if self.ready.is_empty() && !self.finished {
                self.guard.settle(self.position);
                self.wait().await;
            }
        }
    }

    /// Reads the next page of the initial objects. If their history is gone, the watch expires.
    fn fill_initial(&mut self, request: ListRequest) {
        let page = list(&self.shared.state(), &self.target, &request);
        match page {
            Ok(page) => {
                self.initial = request.after(&page);
                self.page = page.items.into();
            }
            Err(error) if error.code() == 410 => self.expire(),
            Err(_) => self.finished = true,
        }
    }

    fn expire(&mut self) {
        let oldest = self.shared.state().store.log.compacted();
        let error = ApiError::too_old(self.position, oldest);
        self.ready
            .push_back(error_frame(&error, self.view.encoding()));
        self.finished = true;
    }

    /// Reads a batch from the log into `ready`.
    fn fill(&mut self) {
        let (read, newest) = {
            let state = self.shared.state();
            let read = state
                .store
                .log
                .read(self.target.resource.id, self.position, BATCH);
            (read, state.store.revision())
        };
        match read {
            LogRead::Events(events) => {
                // A full batch may be followed by further events; after a shorter one, the watcher
                // is up to date.
                self.position = match events.last() {
                    Some(last) if events.len() == BATCH => last.revision,
                    _ => self.position.max(newest),
                };
                for event in &events {
                    if let Some(line) = self.line(event) {
                        self.view.drop_headings();
                        self.ready.push_back(line);
                    }
                }
            }
            LogRead::Expired => self.expire(),
            LogRead::Ended => self.finished = true,
        }
    }

    /// Returns the line of `event` for this watch; `None` if the event does not match.
    fn line(&self, event: &LoggedEvent) -> Option<Bytes> {
        if !self.target.namespace.is_empty() && event.object.namespace != self.target.namespace {
            return None;
        }
        let change = if self.selector.is_everything() {
            event.change
        } else {
            let before = event
                .previous
                .as_ref()
                .is_some_and(|previous| self.selector.matches(previous));
            let after = event.change != Change::Deleted && self.selector.matches(&event.object);
            match (before, after) {
                (false, false) => return None,
                (true, false) => Change::Deleted,
                (false, true) => Change::Added,
                (true, true) => event.change,
            }
        };
        Some(event.line(change, self.view.key(), |object| {
            self.shared.encodings.fetch_add(1, Ordering::Relaxed);
            self.view.line(change, object)
        }))
    }

    /// Waits for an event, a due bookmark or the end.
    async fn wait(&mut self) {
        let bookmark = self.bookmarks.as_ref().map(Bookmarks::due);
        let bookmark_time = bookmark.unwrap_or(self.deadline);
        tokio::select! {
            biased;
            () = self.guard.wait_ended() => {}
            changed = self.changed.changed() => {
                // The sender is dropped when a resource is no longer served and its history ends.
                self.finished = changed.is_err();
            }
            () = sleep_until(bookmark_time), if bookmark.is_some() => {
                // Advances the position to the current revision, even if only other resources have
                // changed.
                self.fill();
                if !self.finished {
                    let line = self.bookmark(false);
                    self.ready.push_back(line);
                }
                if let Some(bookmarks) = &mut self.bookmarks {
                    bookmarks.sent(Instant::now());
                }
            }
            () = sleep_until(self.deadline) => self.finished = true,
        }
    }

    /// Returns a bookmark at the position, which is the newest revision whenever a bookmark is
    /// sent.
    fn bookmark(&self, ends_initial_events: bool) -> Bytes {
        let mut metadata = json!({ "resourceVersion": self.position.to_string() });
        if ends_initial_events {
            set(
                &mut metadata,
                "annotations",
                json!({ INITIAL_EVENTS_END: "true" }),
            );
        }
        if let Some(kind) = self.view.protobuf() {
            return kind.bookmark(&metadata);
        }
        if self.view.as_table().is_some() {
            return self.table_bookmark(&metadata);
        }
        let type_meta = String::from_utf8_lossy(self.view.type_meta());
        format!("{{\"type\":\"BOOKMARK\",\"object\":{{{type_meta}\"metadata\":{metadata}}}}}\n")
            .into()
    }

    /// In a table, the bookmark is a row without a name.
    fn table_bookmark(&self, metadata: &Value) -> Bytes {
        let members = Map::from_iter([("metadata".to_owned(), metadata.clone())]);
        let bookmark = Stored::new("", "", self.position, members);
        let bytes = self.view.bytes_of(&bookmark);
        let object = String::from_utf8_lossy(&bytes);
        format!("{{\"type\":\"BOOKMARK\",\"object\":{object}}}\n").into()
    }
}

/// Returns the line, or the frame, of an `ERROR` event.
pub(crate) fn error_frame(error: &ApiError, encoding: Encoding) -> Bytes {
    if encoding == Encoding::Protobuf {
        return protobuf::error_frame(&error.to_value());
    }
    let event: Value = json!({ "type": "ERROR", "object": error.to_value() });
    format!("{event}\n").into()
}

#[cfg(test)]
mod tests;

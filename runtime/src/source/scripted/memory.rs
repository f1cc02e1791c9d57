//! [`FakeControllerSource`]: objects in memory that are listed and watched as on an API server.

mod shared;
mod state;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{self, BoxFuture, FutureExt as _};
use futures::stream::{self, StreamExt as _};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::Notify;

use self::shared::ControllerSourceShared;
use self::state::ServerState;
use super::record::{Record, Request};
use crate::object::{ObjectKey, ResourceVersion};
use crate::source::{ListOptions, ListPart, ListStream, ListerWatcher, WatchOptions, WatchStream};
use crate::status::SourceError;
use crate::wire::{ApiStatus, RawEvent, RawObject, Rejected};

/// A source that keeps objects in memory and behaves like an API server.
///
/// Each change increments the resourceVersion, starting with "1". A list is paged if its request
/// has a limit. A watch returns the changes after its version; without a version, or as a streaming
/// list, it first returns the current state. Clones share the objects, so a test keeps one clone to
/// control the source. client-go's counterpart is `FakeControllerSource`.
///
/// Only [`reset_watch`](Self::reset_watch) discards the history.
///
/// # Examples
///
/// ```
/// # use informer_runtime::source::{FakeControllerSource, ListOptions, ListerWatcher};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let source = FakeControllerSource::new();
/// let version = source.add(&serde_json::json!({"metadata": {"name": "web"}}))?;
/// assert_eq!(version.to_string(), "1");
/// let page = source.list(ListOptions::default()).await?;
/// # drop(page);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FakeControllerSource {
    shared: Arc<ControllerSourceShared>,
}

// === impl FakeControllerSource ===

impl FakeControllerSource {
    /// Creates an empty source that supports streaming lists.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shared: Arc::new(ControllerSourceShared {
                state: Mutex::new(ServerState::default()),
                changed: Notify::new(),
                record: Record::default(),
                supports_watch_list: AtomicBool::new(true),
            }),
        }
    }

    /// Adds an object and notifies the watches. Returns the object's new version.
    ///
    /// # Errors
    ///
    /// Fails if the object does not serialize, or has no name.
    pub fn add<T: Serialize + ?Sized>(&self, object: &T) -> Result<ResourceVersion, Rejected> {
        self.change(RawEvent::Added, object)
    }

    /// Replaces an object and notifies the watches. Returns the object's new version.
    ///
    /// # Errors
    ///
    /// Fails if the object does not serialize, or has no name.
    pub fn modify<T: Serialize + ?Sized>(&self, object: &T) -> Result<ResourceVersion, Rejected> {
        self.change(RawEvent::Modified, object)
    }

    /// Removes an object and notifies the watches with an event that contains `object`. Returns the
    /// version of the deletion.
    ///
    /// # Errors
    ///
    /// Fails if the object does not serialize, or has no name.
    pub fn delete<T: Serialize + ?Sized>(&self, object: &T) -> Result<ResourceVersion, Rejected> {
        self.change(RawEvent::Deleted, object)
    }

    /// Loses the event of the next change: no watch sends it.
    pub fn lose_next_event(&self) {
        self.shared.state.lock().loses_next = true;
    }

    /// Sends a bookmark with the current version to the watches that requested bookmarks.
    pub fn bookmark(&self) {
        self.shared.state.lock().bookmark();
        self.shared.changed.notify_waiters();
    }

    /// Closes all watches and discards the history. Older versions and continue tokens are then
    /// expired.
    pub fn reset_watch(&self) {
        let forgotten = self.shared.state.lock().reset_watch();
        self.shared.changed.notify_waiters();
        drop(forgotten);
    }

    /// Makes every LIST fail with `error`, until `None` is set.
    pub fn list_error(&self, error: impl Into<Option<SourceError>>) {
        self.shared.state.lock().list_error = error.into();
    }

    /// Makes every WATCH fail with `error`, until `None` is set.
    pub fn watch_error(&self, error: impl Into<Option<SourceError>>) {
        self.shared.state.lock().watch_error = error.into();
    }

    /// Sets whether streaming lists are supported. If not, a request for one fails as Invalid
    /// (422), as on an API server.
    pub fn set_supports_watch_list(&self, supported: bool) {
        self.shared
            .supports_watch_list
            .store(supported, Ordering::Relaxed);
    }

    /// Returns the version of the last change.
    #[must_use]
    pub fn resource_version(&self) -> ResourceVersion {
        self.shared.state.lock().version()
    }

    /// Returns the keys of all objects, in order.
    #[must_use]
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.shared.state.lock().keys()
    }

    /// Returns all requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.record.requests()
    }

    /// Waits until at least `count` requests have arrived, and returns all requests.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_for_requests(&self, count: usize) -> Vec<Request> {
        self.shared.record.wait_for(count).await
    }

    fn change<T: Serialize + ?Sized>(
        &self,
        change: impl FnOnce(RawObject) -> RawEvent,
        object: &T,
    ) -> Result<ResourceVersion, Rejected> {
        let object = serde_json::to_value(object).map_err(|_| Rejected {
            key: None,
            reason: "the object does not serialize".to_owned(),
        })?;
        let version = self.shared.state.lock().change(change, object)?;
        self.shared.changed.notify_waiters();
        Ok(version)
    }
}

impl Default for FakeControllerSource {
    fn default() -> Self {
        Self::new()
    }
}

impl ListerWatcher for FakeControllerSource {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        let page = self.shared.state.lock().list(&options);
        self.shared.record.add(Request::List(options));
        let answer = page.map(|(items, meta)| {
            let items = ListPart::Items(items.into_iter().map(Ok).collect());
            stream::iter([Ok(items), Ok(ListPart::End(meta))]).boxed()
        });
        future::ready(answer).boxed()
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        self.shared.record.add(Request::Watch(options.clone()));
        let answer = if options.send_initial_events && !self.supports_watch_list() {
            let message = "sendInitialEvents is forbidden for watch";
            Err(ApiStatus::new(422, "Invalid", message).into())
        } else {
            watch::open(&self.shared, &options).map(|events| events.map(Ok::<RawEvent, _>).boxed())
        };
        future::ready(answer).boxed()
    }

    fn supports_watch_list(&self) -> bool {
        self.shared.supports_watch_list.load(Ordering::Relaxed)
    }
}

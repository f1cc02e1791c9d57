//! [`FakeControllerSource`]: objects in memory, listed and watched as on a server.

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
use tokio::time::Instant;

use self::shared::Shared;
use self::state::{Change, State};
use super::record::{Record, Request};
use crate::object::{ObjectKey, ResourceVersion};
use crate::source::{ListOptions, ListPart, ListStream, ListerWatcher, WatchOptions, WatchStream};
use crate::status::SourceError;
use crate::wire::{ApiStatus, RawEvent, Rejected};

/// A source that keeps objects in memory and answers as an API server would.
///
/// Every change takes the next resourceVersion, starting with "1". Lists are paged when asked to
/// be; a watch sees what came after its version, or the current state first if it has none or
/// asks for it. Clones share the objects: keep one to control the other. client-go's counterpart
/// is `FakeControllerSource`.
///
/// Its history is never trimmed but by [`reset_watch`](Self::reset_watch).
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
    shared: Arc<Shared>,
}

// === impl FakeControllerSource ===

impl FakeControllerSource {
    /// An empty source, which supports streaming lists.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State::default()),
                changed: Notify::new(),
                record: Record::default(),
                supports_watch_list: AtomicBool::new(true),
            }),
        }
    }

    /// Adds an object and tells the watches. Gives the version it got.
    ///
    /// # Errors
    ///
    /// The object does not serialize, or has no name.
    pub fn add<T: Serialize + ?Sized>(&self, object: &T) -> Result<ResourceVersion, Rejected> {
        self.change(Change::Added, object, true)
    }

    /// Replaces an object and tells the watches. Gives the version it got.
    ///
    /// # Errors
    ///
    /// The object does not serialize, or has no name.
    pub fn modify<T: Serialize + ?Sized>(&self, object: &T) -> Result<ResourceVersion, Rejected> {
        self.change(Change::Modified, object, true)
    }

    /// Removes an object and tells the watches, whose event holds `object`. Gives its version.
    ///
    /// # Errors
    ///
    /// The object does not serialize, or has no name.
    pub fn delete<T: Serialize + ?Sized>(&self, object: &T) -> Result<ResourceVersion, Rejected> {
        self.change(Change::Deleted, object, true)
    }

    /// Adds an object without telling any watch, as if its event were lost.
    ///
    /// # Errors
    ///
    /// The object does not serialize, or has no name.
    pub fn add_drop_watch<T: Serialize + ?Sized>(
        &self,
        object: &T,
    ) -> Result<ResourceVersion, Rejected> {
        self.change(Change::Added, object, false)
    }

    /// Replaces an object without telling any watch.
    ///
    /// # Errors
    ///
    /// The object does not serialize, or has no name.
    pub fn modify_drop_watch<T: Serialize + ?Sized>(
        &self,
        object: &T,
    ) -> Result<ResourceVersion, Rejected> {
        self.change(Change::Modified, object, false)
    }

    /// Removes an object without telling any watch.
    ///
    /// # Errors
    ///
    /// The object does not serialize, or has no name.
    pub fn delete_drop_watch<T: Serialize + ?Sized>(
        &self,
        object: &T,
    ) -> Result<ResourceVersion, Rejected> {
        self.change(Change::Deleted, object, false)
    }

    /// Sends a bookmark with the current version to the watches that asked for them.
    pub fn bookmark(&self) {
        self.shared.state.lock().bookmark();
        self.shared.changed.notify_waiters();
    }

    /// Closes all watches and forgets the history: older versions and continue tokens are expired
    /// from now on.
    pub fn reset_watch(&self) {
        let forgotten = self.shared.state.lock().reset_watch();
        self.shared.changed.notify_waiters();
        drop(forgotten);
    }

    /// Makes every LIST fail with `error`, until it is set to `None`.
    pub fn list_error(&self, error: impl Into<Option<SourceError>>) {
        self.shared.state.lock().list_error = error.into();
    }

    /// Makes every WATCH fail with `error`, until it is set to `None`.
    pub fn watch_error(&self, error: impl Into<Option<SourceError>>) {
        self.shared.state.lock().watch_error = error.into();
    }

    /// Sets whether streaming lists are supported. Where not, asking for one is Invalid (422), as
    /// on an API server.
    pub fn set_supports_watch_list(&self, supported: bool) {
        self.shared
            .supports_watch_list
            .store(supported, Ordering::Relaxed);
    }

    /// The version of the last change.
    #[must_use]
    pub fn resource_version(&self) -> ResourceVersion {
        self.shared.state.lock().version()
    }

    /// The keys of all objects, in order.
    #[must_use]
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.shared.state.lock().keys()
    }

    /// All requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.record.requests()
    }

    /// When each request came, in the same order as [`requests`](Self::requests).
    #[must_use]
    pub fn request_times(&self) -> Vec<Instant> {
        self.shared.record.times()
    }

    /// Waits until at least `count` requests have come, and gives all of them.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn wait_for_requests(&self, count: usize) -> Vec<Request> {
        self.shared.record.wait_for(count).await
    }

    fn change<T: Serialize + ?Sized>(
        &self,
        change: Change,
        object: &T,
        is_told: bool,
    ) -> Result<ResourceVersion, Rejected> {
        let object = serde_json::to_value(object).map_err(|_| Rejected {
            key: None,
            reason: "it does not serialize".to_owned(),
        })?;
        let version = self.shared.state.lock().change(change, object, is_told)?;
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

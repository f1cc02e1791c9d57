//! [`ScriptedListerWatcher`]: a source whose answers a test defines in advance or one by one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{BoxFuture, FutureExt as _};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::answer::{ListAnswer, WatchAnswer};
use super::record::{Record, Request};
use crate::source::{ListOptions, ListStream, ListerWatcher, WatchOptions, WatchStream};
use crate::status::SourceError;

/// A source that follows a script.
///
/// Each LIST takes the next [`ListAnswer`], each WATCH the next [`WatchAnswer`]. A request without
/// an answer waits until the test adds one, so a test may extend the script while it runs. Clones
/// share the script, so a test keeps one clone to control the source.
///
/// # Examples
///
/// ```
/// # use informer_runtime::source::{ListAnswer, Request, ScriptedListerWatcher, WatchAnswer};
/// # use informer_runtime::source::{ListOptions, ListerWatcher};
/// # use informer_runtime::wire::{ListMeta, RawObject};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let source = ScriptedListerWatcher::new();
/// let web = RawObject::json(r#"{"metadata":{"name":"web","resourceVersion":"1"}}"#)?;
/// source.on_list(ListAnswer::items([web], ListMeta::at("1")));
/// let (watch, answer) = WatchAnswer::controlled();
/// source.on_watch(answer);
///
/// let page = source.list(ListOptions::default()).await?;
/// assert_eq!(source.requests(), [Request::List(ListOptions::default())]);
/// # drop((page, watch));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ScriptedListerWatcher {
    shared: Arc<ScriptShared>,
}

#[derive(Debug)]
struct ScriptShared {
    lists: Script<ListAnswer>,
    watches: Script<WatchAnswer>,
    record: Record,
    supports_watch_list: AtomicBool,
}

/// Answers that wait for requests.
#[derive(Debug)]
struct Script<A> {
    answers: Mutex<VecDeque<A>>,
    /// Stores a permit for an answer that was added while no request waited.
    added: Notify,
}

// === impl ScriptedListerWatcher ===

#[expect(
    clippy::must_use_candidate,
    reason = "the setters return the source for chaining only"
)]
impl ScriptedListerWatcher {
    /// Creates a source with an empty script, which supports streaming lists.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shared: Arc::new(ScriptShared {
                lists: Script::new(),
                watches: Script::new(),
                record: Record::default(),
                supports_watch_list: AtomicBool::new(true),
            }),
        }
    }

    /// Adds the answer to the next LIST without an answer.
    pub fn on_list(&self, answer: ListAnswer) -> &Self {
        self.shared.lists.add(answer);
        self
    }

    /// Adds the answer to the next WATCH without an answer.
    pub fn on_watch(&self, answer: WatchAnswer) -> &Self {
        self.shared.watches.add(answer);
        self
    }

    /// Sets the result of [`ListerWatcher::supports_watch_list`].
    pub fn set_supports_watch_list(&self, supported: bool) -> &Self {
        self.shared
            .supports_watch_list
            .store(supported, Ordering::Relaxed);
        self
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

    /// Returns the number of unused answers: for lists, and for watches.
    #[must_use]
    pub fn unused_answers(&self) -> (usize, usize) {
        (self.shared.lists.len(), self.shared.watches.len())
    }
}

impl Default for ScriptedListerWatcher {
    fn default() -> Self {
        Self::new()
    }
}

impl ListerWatcher for ScriptedListerWatcher {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        async {
            self.shared.record.add(Request::List(options));
            self.shared.lists.next().await.into_stream().await
        }
        .boxed()
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        async {
            self.shared.record.add(Request::Watch(options));
            self.shared.watches.next().await.into_stream().await
        }
        .boxed()
    }

    fn supports_watch_list(&self) -> bool {
        self.shared.supports_watch_list.load(Ordering::Relaxed)
    }
}

// === impl Script ===

impl<A> Script<A> {
    fn new() -> Self {
        Self {
            answers: Mutex::new(VecDeque::new()),
            added: Notify::new(),
        }
    }

    fn add(&self, answer: A) {
        self.answers.lock().push_back(answer);
        self.added.notify_one();
    }

    fn len(&self) -> usize {
        self.answers.lock().len()
    }

    fn take(&self) -> Option<A> {
        let mut answers = self.answers.lock();
        let answer = answers.pop_front();
        if !answers.is_empty() {
            // One permit may stand for several answers, so wake the next waiter as well.
            self.added.notify_one();
        }
        answer
    }

    async fn next(&self) -> A {
        loop {
            if let Some(answer) = self.take() {
                return answer;
            }
            self.added.notified().await;
        }
    }
}

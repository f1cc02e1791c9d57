//! [`ScriptedListerWatcher`]: answers that a test lays out beforehand, or gives one by one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{BoxFuture, FutureExt as _};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::answer::{ListAnswer, WatchAnswer};
use super::record::{Record, Request};
use crate::source::{ListOptions, ListStream, ListerWatcher, WatchOptions, WatchStream};
use crate::status::SourceError;

/// A source that answers from a script.
///
/// Each LIST takes the next [`ListAnswer`], each WATCH the next [`WatchAnswer`]. A request for
/// which there is no answer yet waits until the test gives one, so a script may also be written
/// while it plays. Clones share the script: keep one to control the other.
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
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    lists: Script<ListAnswer>,
    watches: Script<WatchAnswer>,
    record: Record,
    supports_watch_list: AtomicBool,
}

/// Answers that wait for a request.
#[derive(Debug)]
struct Script<A> {
    answers: Mutex<VecDeque<A>>,
    /// Holds a permit for an answer that was added while nobody waited.
    added: Notify,
}

// === impl ScriptedListerWatcher ===

#[expect(
    clippy::must_use_candidate,
    reason = "the setters return the source for chaining only"
)]
impl ScriptedListerWatcher {
    /// A source with an empty script, which says that it supports streaming lists.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                lists: Script::new(),
                watches: Script::new(),
                record: Record::default(),
                supports_watch_list: AtomicBool::new(true),
            }),
        }
    }

    /// Adds the answer to the next LIST that has none.
    pub fn on_list(&self, answer: ListAnswer) -> &Self {
        self.shared.lists.add(answer);
        self
    }

    /// Adds the answer to the next WATCH that has none.
    pub fn on_watch(&self, answer: WatchAnswer) -> &Self {
        self.shared.watches.add(answer);
        self
    }

    /// Sets what [`ListerWatcher::supports_watch_list`] answers.
    pub fn set_supports_watch_list(&self, supported: bool) -> &Self {
        self.shared
            .supports_watch_list
            .store(supported, Ordering::Relaxed);
        self
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

    /// How many answers no request has taken yet: of lists, and of watches.
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
            self.shared.lists.next().await.give().await
        }
        .boxed()
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        async {
            self.shared.record.add(Request::Watch(options));
            self.shared.watches.next().await.give().await
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
            // One permit may stand for several answers: hand it on to the next waiter.
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

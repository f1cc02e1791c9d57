//! [`ScriptedListerWatcher`]: answers that a test lays out beforehand, or gives one by one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{self, BoxFuture, FutureExt as _};
use futures::stream::{self, StreamExt as _};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use super::record::{Record, Request};
use crate::source::{
    ListOptions, ListPart, ListStream, ListerWatcher, SourceError, WatchOptions, WatchStream,
};
use crate::wire::{ListMeta, RawEvent, RawObject, Rejected};

/// A source that answers from a script.
///
/// Each LIST takes the next [`ListAnswer`], each WATCH the next [`WatchAnswer`]. A request for
/// which there is no answer yet waits until the test gives one, so a script may also be written
/// while it plays. Clones share the script: keep one to control the other.
///
/// # Examples
///
/// ```
/// use informer_runtime::source::{ListAnswer, Request, ScriptedListerWatcher, WatchAnswer};
/// use informer_runtime::source::{ListOptions, ListerWatcher};
/// use informer_runtime::wire::{ListMeta, RawObject};
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

/// What one LIST request is answered with.
#[derive(Debug)]
pub struct ListAnswer(ListReply);

#[derive(Debug)]
enum ListReply {
    /// These parts, and then possibly an error.
    Parts(Vec<ListPart>, Option<SourceError>),
    Refused(SourceError),
    Never,
}

/// What one WATCH request is answered with.
#[derive(Debug)]
pub struct WatchAnswer(WatchReply);

#[derive(Debug)]
enum WatchReply {
    Events(Vec<RawEvent>, AfterEvents),
    Controlled(mpsc::Receiver<Result<RawEvent, SourceError>>),
    Refused(SourceError),
    Never,
}

#[derive(Debug)]
enum AfterEvents {
    Close,
    StayOpen,
    Fail(SourceError),
}

/// The test's end of a watch.
///
/// Dropping it closes the watch, as a server does. Holds up to 64 events that were not taken;
/// further ones wait.
#[derive(Debug)]
pub struct WatchController {
    events: mpsc::Sender<Result<RawEvent, SourceError>>,
}

/// How many events wait in a [`WatchController`].
const CONTROLLED_EVENTS: usize = 64;

/// Says that the watch's stream was dropped: nobody receives the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the watch was dropped by its receiver")]
pub struct WatchEnded;

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

// === impl ListAnswer ===

impl ListAnswer {
    /// A page with these objects.
    #[must_use]
    pub fn items(objects: impl IntoIterator<Item = RawObject>, meta: ListMeta) -> Self {
        Self::results(objects.into_iter().map(Ok), meta)
    }

    /// A page some of whose items are refused.
    #[must_use]
    pub fn results(
        items: impl IntoIterator<Item = Result<RawObject, Rejected>>,
        meta: ListMeta,
    ) -> Self {
        let items = ListPart::Items(items.into_iter().collect());
        Self(ListReply::Parts(vec![items, ListPart::End(meta)], None))
    }

    /// These parts, as they are; the stream ends after the last one.
    #[must_use]
    pub fn parts(parts: impl IntoIterator<Item = ListPart>) -> Self {
        Self(ListReply::Parts(parts.into_iter().collect(), None))
    }

    /// A page that breaks off with an error after these objects.
    #[must_use]
    pub fn breaks_off(objects: impl IntoIterator<Item = RawObject>, error: SourceError) -> Self {
        let items = ListPart::Items(objects.into_iter().map(Ok).collect());
        Self(ListReply::Parts(vec![items], Some(error)))
    }

    /// The request fails.
    #[must_use]
    pub fn error(error: impl Into<SourceError>) -> Self {
        Self(ListReply::Refused(error.into()))
    }

    /// The request is never answered.
    #[must_use]
    pub fn never() -> Self {
        Self(ListReply::Never)
    }

    async fn give(self) -> Result<ListStream, SourceError> {
        match self.0 {
            ListReply::Parts(parts, error) => {
                let parts = parts.into_iter().map(Ok).chain(error.map(Err));
                Ok(stream::iter(parts).boxed())
            }
            ListReply::Refused(error) => Err(error),
            ListReply::Never => future::pending().await,
        }
    }
}

// === impl WatchAnswer ===

impl WatchAnswer {
    /// These events, and then the server closes the watch.
    #[must_use]
    pub fn events(events: impl IntoIterator<Item = RawEvent>) -> Self {
        Self::with_events(events, AfterEvents::Close)
    }

    /// These events, and then silence.
    #[must_use]
    pub fn stays_open(events: impl IntoIterator<Item = RawEvent>) -> Self {
        Self::with_events(events, AfterEvents::StayOpen)
    }

    /// These events, and then the stream fails.
    #[must_use]
    pub fn breaks_off(events: impl IntoIterator<Item = RawEvent>, error: SourceError) -> Self {
        Self::with_events(events, AfterEvents::Fail(error))
    }

    /// A watch whose events the test sends one by one.
    #[must_use]
    pub fn controlled() -> (WatchController, Self) {
        let (events, receiver) = mpsc::channel(CONTROLLED_EVENTS);
        let answer = Self(WatchReply::Controlled(receiver));
        (WatchController { events }, answer)
    }

    /// The request fails.
    #[must_use]
    pub fn error(error: impl Into<SourceError>) -> Self {
        Self(WatchReply::Refused(error.into()))
    }

    /// The request is never answered.
    #[must_use]
    pub fn never() -> Self {
        Self(WatchReply::Never)
    }

    fn with_events(events: impl IntoIterator<Item = RawEvent>, after: AfterEvents) -> Self {
        Self(WatchReply::Events(events.into_iter().collect(), after))
    }

    async fn give(self) -> Result<WatchStream, SourceError> {
        match self.0 {
            WatchReply::Events(events, after) => {
                let events = stream::iter(events.into_iter().map(Ok));
                Ok(match after {
                    AfterEvents::Close => events.boxed(),
                    AfterEvents::StayOpen => events.chain(stream::pending()).boxed(),
                    AfterEvents::Fail(error) => events
                        .chain(stream::once(future::ready(Err(error))))
                        .boxed(),
                })
            }
            WatchReply::Controlled(receiver) => {
                let events = stream::unfold(receiver, |mut receiver| async {
                    receiver.recv().await.map(|event| (event, receiver))
                });
                Ok(events.boxed())
            }
            WatchReply::Refused(error) => Err(error),
            WatchReply::Never => future::pending().await,
        }
    }
}

// === impl WatchController ===

impl WatchController {
    /// Sends an event, waiting while 64 were not taken.
    ///
    /// # Errors
    ///
    /// The watch's stream was dropped.
    ///
    /// # Cancel safety
    ///
    /// A dropped future has not sent the event.
    pub async fn send(&self, event: RawEvent) -> Result<(), WatchEnded> {
        self.events.send(Ok(event)).await.map_err(|_| WatchEnded)
    }

    /// Ends the watch with an error, behind the events that were sent.
    ///
    /// # Errors
    ///
    /// The watch's stream was dropped.
    ///
    /// # Cancel safety
    ///
    /// A dropped future closes the watch without the error.
    pub async fn fail(self, error: SourceError) -> Result<(), WatchEnded> {
        self.events.send(Err(error)).await.map_err(|_| WatchEnded)
    }

    /// Closes the watch without an error, behind the events that were sent.
    pub fn close(self) {
        drop(self);
    }

    /// Waits until the other side has dropped the watch.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn dropped(&self) {
        self.events.closed().await;
    }

    /// Whether the other side has dropped the watch.
    #[must_use]
    pub fn is_dropped(&self) -> bool {
        self.events.is_closed()
    }
}

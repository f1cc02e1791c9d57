//! Text form of notifications, and handlers that record them.
//!
//! A notification is `+a@1` (add), `~a@1>2` (update), `-a@2` (deletion) or `?a@2` (deletion with an
//! unknown final state) of the object `a` at a version. A prefix names its origin: `i` initial, `r`
//! relist, `s` resync, none for live.

use std::collections::BTreeMap;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::event::{Added, Deleted, Event, Origin, Updated};
use crate::object::{Footprint, ObjectKey, ResourceVersion};
use crate::processor::{
    AddHandlerError, Current, EventHandler, EventStream, HandlerOptions, HandlerRegistration,
    Processor, Replay,
};
use crate::storage::Entry;

/// Object: its version.
pub(crate) type Version = String;

/// Object in either form.
pub(crate) trait Versioned: Send + Sync + 'static {
    fn version(&self) -> &str;
}

impl Versioned for Version {
    fn version(&self) -> &str {
        self
    }
}

impl Versioned for ConfigMap {
    fn version(&self) -> &str {
        self.metadata
            .resource_version
            .as_deref()
            .unwrap_or_default()
    }
}

impl Versioned for Entry {
    fn version(&self) -> &str {
        self.typed::<Version>()
    }
}

pub(crate) fn event(text: &str) -> Event<Entry> {
    let (origin, text) = match text.split_at(1) {
        ("i", rest) => (Origin::Initial, rest),
        ("r", rest) => (Origin::Relist, rest),
        ("s", rest) => (Origin::Resync, rest),
        _ => (Origin::Live, text),
    };
    let (kind, text) = text.split_at(1);
    let (key, versions) = text.split_once('@').unwrap();
    let key = ObjectKey::cluster(key);
    let object = |version: &str| Arc::new(entry(&key, version));
    match kind {
        "+" => Event::Added(Added {
            object: object(versions),
            key,
            origin,
        }),
        "~" => {
            let (old, new) = versions.split_once('>').unwrap();
            Event::Updated(Updated {
                old: object(old),
                new: object(new),
                key,
                origin,
            })
        }
        "-" | "?" => Event::Deleted(Deleted {
            object: object(versions),
            key,
            final_state_unknown: kind == "?",
            origin,
        }),
        _ => panic!("not an event: {kind}{text}"),
    }
}

/// Returns the size of an object: its version, if that is a number.
pub(crate) fn size(version: &str) -> usize {
    version.parse().unwrap_or(0)
}

pub(crate) fn events(text: &str) -> Vec<Event<Entry>> {
    text.split_whitespace().map(event).collect()
}

pub(crate) fn text<T: Versioned>(event: &Event<T>) -> String {
    let origin = match event.origin() {
        Origin::Initial => "i",
        Origin::Live => "",
        Origin::Relist => "r",
        Origin::Filter => "f",
        Origin::Reshard => "p",
        Origin::Resync => "s",
    };
    let key = event.key();
    match event {
        Event::Added(added) => format!("{origin}+{key}@{}", added.object.version()),
        Event::Updated(updated) => {
            let (old, new) = (updated.old.version(), updated.new.version());
            format!("{origin}~{key}@{old}>{new}")
        }
        Event::Deleted(deleted) => {
            let kind = if deleted.final_state_unknown {
                "?"
            } else {
                "-"
            };
            format!("{origin}{kind}{key}@{}", deleted.object.version())
        }
    }
}

/// Texts that callbacks record. As a handler, it records its notifications.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, text: impl Into<String>) {
        self.0.lock().push(text.into());
    }

    pub(crate) fn push(&self, event: &Event<impl Versioned>) {
        self.add(text(event));
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().join(" ")
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().len()
    }

    /// Returns a handler that records its notification when a call starts, and ends the call when
    /// `gate` has a permit.
    pub(crate) fn gated(&self, gate: &Arc<Semaphore>) -> Gated {
        Gated {
            seen: self.clone(),
            gate: gate.clone(),
        }
    }

    /// Waits until the recorded notifications equal `expected`.
    pub(crate) async fn until(&self, expected: &str) {
        for _ in 0..100_000 {
            if self.text() == expected {
                return;
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(self.text(), expected);
    }
}

impl<T: Versioned> EventHandler<T> for Log {
    async fn on_event(&mut self, event: Event<T>) {
        self.push(&event);
    }
}

pub(crate) struct Gated {
    seen: Log,
    gate: Arc<Semaphore>,
}

impl<T: Versioned> EventHandler<T> for Gated {
    async fn on_event(&mut self, event: Event<T>) {
        self.seen.push(&event);
        self.gate.acquire().await.unwrap().forget();
    }
}

pub(crate) async fn until(condition: impl Fn() -> bool) {
    for _ in 0..1_000_000 {
        if condition() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("the condition never held");
}

/// Lets every other task run until it waits. Works only on a current-thread runtime.
pub(crate) async fn settle() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

/// Returns a replay of objects `a@1 b@2 ..`.
pub(crate) fn replay(text: &str) -> Replay {
    let object = |object: &str| {
        let (key, version) = object.split_once('@').unwrap();
        Arc::new(entry(&ObjectKey::cluster(key), version))
    };
    let objects: Vec<_> = text.split_whitespace().map(object).collect();
    Box::new(objects.into_iter())
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the type of a handler's initial state"
)]
pub(crate) fn current(generation: u64, objects: &str, synced: bool) -> Option<Current> {
    Some(Current {
        generation,
        replay: replay(objects),
        synced,
    })
}

/// Processor whose objects are versions.
#[derive(Clone)]
pub(crate) struct Versions(pub(crate) Processor);

impl Deref for Versions {
    type Target = Processor;

    fn deref(&self) -> &Processor {
        &self.0
    }
}

impl Versions {
    pub(crate) fn add(
        &self,
        handler: impl EventHandler<Version>,
        options: HandlerOptions,
        current: impl FnOnce() -> Option<Current>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.0.add_of_objects(handler, options, current)
    }

    pub(crate) fn stream(
        &self,
        options: HandlerOptions,
        current: impl FnOnce() -> Option<Current>,
    ) -> Result<EventStream<Version>, AddHandlerError> {
        self.0.subscribe(options, current).map(EventStream::of)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.handlers().is_empty()
    }
}

/// Returns an object whose size is its version, if that is a number.
pub(crate) fn entry(key: &ObjectKey, version: &str) -> Entry {
    Entry {
        key: key.clone(),
        uid: None,
        resource_version: ResourceVersion::UNSET,
        footprint: Footprint::new(size(version)),
        object: Arc::new(version.to_owned()),
    }
}

/// Processor that runs in the background once it is started.
pub(crate) struct Running {
    pub(crate) processor: Versions,
    cancel: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl Running {
    /// Adds a handler with the default options, and without an initial state.
    pub(crate) fn add(&self, handler: impl EventHandler<Version>) -> HandlerRegistration {
        self.add_with(handler, HandlerOptions::new())
    }

    pub(crate) fn add_with(
        &self,
        handler: impl EventHandler<Version>,
        options: HandlerOptions,
    ) -> HandlerRegistration {
        self.processor.add(handler, options, || None).unwrap()
    }

    pub(crate) async fn distribute(&self, generation: u64, batch: &str) {
        self.processor.distribute(generation, events(batch)).await;
    }

    pub(crate) fn created() -> Self {
        Self::with_resync(Duration::ZERO)
    }

    pub(crate) fn with_resync(default_resync: Duration) -> Self {
        Self {
            processor: Versions(Processor::new("things.v1", default_resync)),
            cancel: CancellationToken::new(),
            task: None,
        }
    }

    pub(crate) fn started() -> Self {
        let mut running = Self::created();
        running.start();
        running
    }

    pub(crate) fn start(&mut self) {
        self.task = Some(spawn(self.processor.run(self.cancel.clone())));
    }

    /// Cancels the run, and waits until it has completed.
    pub(crate) async fn stop(&mut self) {
        self.cancel.cancel();
        self.task.take().unwrap().await.unwrap();
    }
}

/// Spawns a task of a test. The test joins the task, or the task ends with the test's runtime.
#[expect(
    clippy::disallowed_methods,
    reason = "the test's runtime owns its tasks"
)]
pub(crate) fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    tokio::spawn(future)
}

/// Future that counts its polls: one at its start, and one after each wake-up.
pub(crate) struct PollCount<F> {
    future: Pin<Box<F>>,
    polls: Arc<AtomicUsize>,
}

impl<F> PollCount<F> {
    pub(crate) fn new(future: F, polls: &Arc<AtomicUsize>) -> Self {
        Self {
            future: Box::pin(future),
            polls: Arc::clone(polls),
        }
    }
}

impl<F: Future> Future for PollCount<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.future.as_mut().poll(cx)
    }
}

/// State that one handler has been notified of. Rejects notifications that cannot follow it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct View(pub(crate) BTreeMap<ObjectKey, Version>);

impl View {
    pub(crate) fn replay(&self) -> Replay {
        let objects = self.0.iter();
        let objects: Vec<_> = objects
            .map(|(key, version)| Arc::new(entry(key, version)))
            .collect();
        Box::new(objects.into_iter())
    }

    pub(crate) fn apply<T: Versioned>(&mut self, event: &Event<T>) -> Result<(), String> {
        let known = self.0.get(event.key()).map(String::as_str);
        let legal = match event {
            Event::Added(_) => known.is_none(),
            Event::Updated(updated) => known == Some(updated.old.version()),
            Event::Deleted(_) => known.is_some(),
        };
        if !legal {
            return Err(format!("{} after {known:?}", text(event)));
        }
        match event {
            Event::Added(_) | Event::Updated(_) => {
                let version = event.object().version().to_owned();
                self.0.insert(event.key().clone(), version);
            }
            Event::Deleted(_) => {
                self.0.remove(event.key());
            }
        }
        Ok(())
    }
}

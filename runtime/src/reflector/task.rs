//! Carries the machine's steps out: the only part of the reflector that waits.

use std::future;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};

use super::collect::Collector;
use super::config::ReflectorConfig;
use super::error::ReflectorError;
use super::machine::Machine;
use super::report::Reporter;
use super::step::{Page, Reaction, Seen, Step};
use crate::delta_fifo::{Closed, Delta, DeltaFifo, Listed, Removed, Replacement};
use crate::indexer::Indexer;
use crate::metrics::{Reason, RequestKind};
use crate::source::{ListOptions, ListPart, ListerWatcher, SourceError, WatchOptions};
use crate::storage::Admit;
use crate::wire::{ListMeta, RawEvent, RawObject};
use crate::{ResourceVersion, Undecodable};

/// How often a streaming list without its end is complained about.
const INITIAL_EVENTS_TICK: Duration = Duration::from_secs(10);
/// A list that takes longer is logged.
const SLOW_LIST: Duration = Duration::from_secs(10);

/// For so many deltas of a burst the controller is woken once.
const BURST: usize = 32;

/// Follows one resource on a server, into a queue.
pub(crate) struct Reflector<H> {
    source: Arc<dyn ListerWatcher>,
    admit: Arc<dyn Admit<H>>,
    fifo: DeltaFifo<H>,
    store: Indexer<H>,
    reporter: Arc<Reporter>,
    machine: Machine,
    collector: Option<Collector<H>>,
    list_began: Instant,
    /// Deltas in the queue for which the controller was not woken.
    unannounced: usize,
    /// Decodes long lists; joined when the run ends.
    tasks: TaskTracker,
}

/// Ends the run: nobody takes deltas any more.
struct Finished;

impl From<Closed> for Finished {
    fn from(_: Closed) -> Self {
        Self
    }
}

// === impl Reflector ===

impl<H: Clone + Send + Sync + 'static> Reflector<H> {
    pub(crate) fn new(
        config: &ReflectorConfig,
        source: Arc<dyn ListerWatcher>,
        admit: Arc<dyn Admit<H>>,
        fifo: DeltaFifo<H>,
        store: Indexer<H>,
        reporter: Arc<Reporter>,
    ) -> Self {
        // The user's code, and not worth more than a list instead.
        let streams = catch_unwind(AssertUnwindSafe(|| source.supports_watch_list()));
        let machine = Machine::new(config, streams.unwrap_or(false), fastrand::u64(..));
        Self {
            source,
            admit,
            fifo,
            store,
            reporter,
            machine,
            collector: None,
            list_began: Instant::now(),
            unannounced: 0,
            tasks: TaskTracker::new(),
        }
    }

    /// Runs until cancelled. Every wait ends at once then, and every request is dropped.
    pub(crate) async fn run(mut self, cancel: CancellationToken) {
        loop {
            let step = self.machine.step(Instant::now());
            debug!(informer = self.reporter.name(), %step, "reflector");
            let performed = tokio::select! {
                biased;
                () = cancel.cancelled() => break,
                performed = AssertUnwindSafe(self.perform(step)).catch_unwind() => performed,
            };
            match performed {
                Ok(Ok(())) => self.announce(),
                Ok(Err(Finished)) => break,
                Err(panic) => {
                    self.announce();
                    let message = crate::panic::message(&*panic).to_owned();
                    self.reporter
                        .report(self.machine.on_panic(message, Instant::now()));
                }
            }
        }
        self.collector = None;
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn perform(&mut self, step: Step) -> Result<(), Finished> {
        match step {
            Step::Backoff(delay) => {
                // Whatever comes next starts from nothing.
                self.collector = None;
                sleep(delay).await;
                Ok(())
            }
            Step::List { options, restart } => {
                if restart {
                    self.reporter.metrics().requests.begin(RequestKind::List);
                    self.begin_collecting();
                }
                self.list(options).await
            }
            Step::Probe(options) => {
                self.collector = None;
                self.probe(options).await;
                Ok(())
            }
            Step::Watch(options) => {
                self.collector = None;
                if options.send_initial_events {
                    self.begin_collecting();
                }
                self.watch(options).await
            }
        }
    }

    fn begin_collecting(&mut self) {
        self.list_began = Instant::now();
        self.collector = Some(Collector::new(
            Arc::clone(&self.admit),
            self.store.snapshot(),
            self.tasks.clone(),
        ));
    }

    // --- list ---

    async fn list(&mut self, options: ListOptions) -> Result<(), Finished> {
        self.reporter.metrics().list_requests.increment();
        let page = self.page(options).await;
        match page.map(|meta| self.machine.on_page(&meta)) {
            Ok(Page::More) => Ok(()),
            Ok(Page::Complete(version)) => self.replace(version).await.map(drop),
            Err(error) => {
                self.reporter.report(self.machine.on_list_error(error));
                Ok(())
            }
        }
    }

    async fn page(&mut self, options: ListOptions) -> Result<ListMeta, SourceError> {
        let mut parts = self.source.list(options).await?;
        while let Some(part) = parts.next().await {
            match part? {
                ListPart::Items(items) => {
                    self.reporter.progress(Instant::now());
                    for item in items {
                        match (item, &mut self.collector) {
                            (Ok(raw), Some(collector)) => collector.insert(raw).await?,
                            (Ok(_), None) => {}
                            (Err(rejected), _) => {
                                self.reporter.report(ReflectorError::Rejected(rejected));
                            }
                        }
                    }
                }
                ListPart::End(meta) => {
                    self.reporter.progress(Instant::now());
                    return Ok(meta);
                }
            }
        }
        Err(SourceError::Malformed(
            "the list ended without its metadata".to_owned(),
        ))
    }

    /// Asks for one object, whose content is of no interest: what counts is the answer's version.
    async fn probe(&mut self, options: ListOptions) {
        self.reporter.metrics().list_requests.increment();
        let answer = self.page(options).await;
        if let Some(failure) = self.machine.on_probe(answer) {
            self.reporter.report(failure);
        }
    }

    /// Hands a complete list on. Breaks if that failed.
    async fn replace(
        &mut self,
        resource_version: ResourceVersion,
    ) -> Result<ControlFlow<()>, Finished> {
        let Some(collector) = self.collector.take() else {
            return Ok(ControlFlow::Continue(()));
        };
        let (items, counts) = match collector.finish().await {
            Ok(collected) => collected,
            Err(error) => {
                self.reporter.report(self.machine.on_list_error(error));
                return Ok(ControlFlow::Break(()));
            }
        };
        let metrics = self.reporter.metrics();
        metrics.lists.increment();
        metrics.unchanged_objects.add(counts.unchanged);
        metrics.decoded_objects.add(counts.decoded);
        metrics.object_bytes.add(counts.bytes);
        metrics.requests.end(Reason::Completed);
        for item in &items {
            if let Listed::Undecodable(undecodable) = item {
                self.report_undecodable(undecodable);
            }
        }
        let took = self.list_began.elapsed();
        self.reporter.metrics().list_duration.record(took);
        if took >= SLOW_LIST {
            let seconds = took.as_secs_f64();
            warn!(
                informer = self.reporter.name(),
                objects = items.len(),
                seconds,
                "slow list"
            );
        }
        let replacement = Replacement {
            items,
            resource_version,
        };
        self.fifo.push(Delta::ReplacedAll(replacement)).await?;
        Ok(ControlFlow::Continue(()))
    }

    // --- watch ---

    async fn watch(&mut self, options: WatchOptions) -> Result<(), Finished> {
        let metrics = self.reporter.metrics();
        metrics.watch_requests.increment();
        metrics.requests.begin(if options.send_initial_events {
            RequestKind::StreamingList
        } else {
            RequestKind::Watch
        });
        let mut events = match self.open(options).await {
            Ok(events) => events,
            Err(failure) => {
                self.reporter.report(failure);
                return Ok(());
            }
        };
        let mut tick = Instant::now() + INITIAL_EVENTS_TICK;
        loop {
            let silent_at = self.machine.silent_at();
            let next = tokio::select! {
                biased;
                next = events.next() => next,
                // The burst is over: nothing came, though everybody else had their turn.
                () = yield_now(), if self.unannounced > 0 => {
                    self.announce();
                    continue;
                }
                () = until(silent_at) => {
                    self.reporter.report(self.machine.on_silence(Instant::now()));
                    return Ok(());
                }
                () = sleep_until(tick), if silent_at.is_some() => {
                    warn!(
                        informer = self.reporter.name(),
                        "streaming list: no event and no closing bookmark for 10 s",
                    );
                    tick += INITIAL_EVENTS_TICK;
                    continue;
                }
            };
            // Read once for each event.
            let now = Instant::now();
            tick = now + INITIAL_EVENTS_TICK;
            match next {
                Some(Ok(RawEvent::Error(status))) => {
                    let error = SourceError::Status(Arc::new(status));
                    let failure = self.machine.on_watch_error(error, now);
                    self.reporter.report(failure);
                    return Ok(());
                }
                Some(Ok(event)) => match self.on_event(event, now).await? {
                    ControlFlow::Continue(()) => {}
                    ControlFlow::Break(()) => return Ok(()),
                },
                Some(Err(error)) => {
                    let failure = self.machine.on_watch_error(error, now);
                    self.reporter.report(failure);
                    return Ok(());
                }
                None => {
                    match self.machine.on_watch_end(now) {
                        Some(failure) => self.reporter.report(failure),
                        None => self.reporter.metrics().requests.end(Reason::Closed),
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Opens a watch; one that shall stream a list has no longer than the list itself.
    async fn open(
        &mut self,
        options: WatchOptions,
    ) -> Result<crate::source::WatchStream, ReflectorError> {
        let opened = tokio::select! {
            biased;
            opened = self.source.watch(options) => opened,
            () = until(self.machine.silent_at()) => {
                return Err(self.machine.on_silence(Instant::now()));
            }
        };
        match opened {
            Ok(events) => {
                // A quiet watch is a healthy one; a streaming list has yet to prove itself.
                if !self.machine.is_collecting() {
                    self.reporter.progress(Instant::now());
                }
                Ok(events)
            }
            Err(error) => Err(self.machine.on_connect_error(error, Instant::now())),
        }
    }

    /// Breaks if the watch is of no more use.
    async fn on_event(
        &mut self,
        event: RawEvent,
        now: Instant,
    ) -> Result<ControlFlow<()>, Finished> {
        let (seen, version) = describe(&event);
        let reaction = self.machine.on_event(seen, &version, now);
        self.reporter.progress(now);
        match reaction {
            Reaction::Apply => {}
            Reaction::Complete(version) => {
                let replaced = self.replace(version).await?;
                if replaced.is_continue() {
                    self.reporter.metrics().requests.begin(RequestKind::Watch);
                }
                return Ok(replaced);
            }
            Reaction::Failed(failure) => {
                self.reporter.report(failure);
                return Ok(ControlFlow::Break(()));
            }
        }
        if self.machine.is_collecting() {
            return Ok(self.collect(event).await);
        }
        self.apply(event).await?;
        Ok(ControlFlow::Continue(()))
    }

    /// Adds an initial event to the list that it is part of.
    async fn collect(&mut self, event: RawEvent) -> ControlFlow<()> {
        let Some(collector) = &mut self.collector else {
            return ControlFlow::Continue(());
        };
        let collected = match event {
            RawEvent::Added(raw) | RawEvent::Modified(raw) => collector.insert(raw).await,
            RawEvent::Deleted(raw) => collector.remove(raw.key().clone()).await,
            RawEvent::Rejected(rejected) => {
                self.reporter.report(ReflectorError::Rejected(rejected));
                Ok(())
            }
            RawEvent::Bookmark { .. } | RawEvent::Unknown { .. } | RawEvent::Error(_) => Ok(()),
        };
        let Err(error) = collected else {
            return ControlFlow::Continue(());
        };
        self.reporter
            .report(self.machine.on_watch_error(error, Instant::now()));
        ControlFlow::Break(())
    }

    /// Turns a live event into a delta.
    async fn apply(&mut self, event: RawEvent) -> Result<(), Finished> {
        let metrics = self.reporter.metrics();
        let delta = match event {
            RawEvent::Added(raw) => self.decode(&raw, Delta::Added),
            RawEvent::Modified(raw) => self.decode(&raw, Delta::Updated),
            RawEvent::Deleted(raw) => self.deletion(&raw),
            RawEvent::Bookmark {
                resource_version, ..
            } => {
                metrics.bookmarks.increment();
                Delta::Bookmark(resource_version)
            }
            RawEvent::Rejected(rejected) => {
                self.reporter.report(ReflectorError::Rejected(rejected));
                return Ok(());
            }
            RawEvent::Unknown { event_type, .. } => {
                warn!(
                    informer = self.reporter.name(),
                    event_type, "unknown type of watch event"
                );
                return Ok(());
            }
            RawEvent::Error(_) => return Ok(()),
        };
        self.fifo.append(delta).await?;
        self.unannounced += 1;
        if self.unannounced >= BURST {
            self.announce();
        }
        Ok(())
    }

    /// Wakes the controller for what was appended since the last time.
    fn announce(&mut self) {
        if std::mem::take(&mut self.unannounced) > 0 {
            self.fifo.announce();
        }
    }

    fn decode<F>(&self, raw: &RawObject, delta: F) -> Delta<H>
    where
        F: FnOnce(crate::Entry<H>) -> Delta<H>,
    {
        self.count_event(raw);
        match self.admit.admit(raw) {
            Ok(entry) => delta(entry),
            Err(undecodable) => {
                self.report_undecodable(&undecodable);
                Delta::Undecodable(undecodable)
            }
        }
    }

    /// The header is enough to delete; without a body the last known state stands in.
    fn deletion(&self, raw: &RawObject) -> Delta<H> {
        self.count_event(raw);
        let object = match self.admit.admit(raw) {
            Ok(entry) => Some(entry.handle),
            Err(undecodable) => {
                self.report_undecodable(&undecodable);
                None
            }
        };
        let header = raw.header();
        Delta::Deleted(Removed {
            key: header.key.clone(),
            uid: header.uid.clone(),
            resource_version: header.resource_version.clone(),
            object,
            final_state_unknown: false,
        })
    }

    fn count_event(&self, raw: &RawObject) {
        let metrics = self.reporter.metrics();
        metrics.events.increment();
        metrics.decoded_objects.increment();
        metrics.object_bytes.add(raw.bytes().len() as u64);
    }

    fn report_undecodable(&self, undecodable: &Undecodable) {
        self.reporter
            .report(ReflectorError::Object(Arc::clone(&undecodable.error)));
    }
}

fn describe(event: &RawEvent) -> (Seen, ResourceVersion) {
    match event {
        RawEvent::Added(raw) => (Seen::Added, raw.resource_version().clone()),
        RawEvent::Modified(raw) | RawEvent::Deleted(raw) => {
            (Seen::Other, raw.resource_version().clone())
        }
        RawEvent::Bookmark {
            resource_version,
            initial_events_end: true,
        } => (Seen::InitialEventsEnd, resource_version.clone()),
        RawEvent::Bookmark {
            resource_version, ..
        } => (Seen::Bookmark, resource_version.clone()),
        RawEvent::Unknown {
            resource_version, ..
        } => (Seen::Other, resource_version.clone()),
        RawEvent::Rejected(_) | RawEvent::Error(_) => (Seen::Rejected, ResourceVersion::UNSET),
    }
}

/// Waits until then; for ever if there is no then.
pub(crate) async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => future::pending().await,
    }
}

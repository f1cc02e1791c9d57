//! Drives the machine: sends its requests, reads the responses, and keeps the time.

use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::sync::mpsc;
use tokio::task::{JoinError, unconstrained, yield_now};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument as _, Span, debug, debug_span, warn};

use super::collect::{Collector, Versions, without_metadata};
use super::config::ReflectorSettings;
use super::decoding::DECODING;
use super::entry_maker::EntryMaker;
use super::intake::{DecodedEvents, Halt, Intake, want_json};
use super::machine::Machine;
use super::part::Parts;
use super::peers::Peers;
use super::report::Reporter;
use super::step::{Page, Reaction, Step};
use super::turn::Turn;
use crate::base::panic::{Panicked, catch, catch_async};
use crate::base::text::seconds;
use crate::base::time::deadline;
use crate::delta_fifo::{Closed, DeltaFifo, Replacement};
use crate::indexer::Store;
use crate::object::ResourceVersion;
use crate::processor::Processor;
use crate::source::{ListOptions, ListPart, ListerWatcher, WatchOptions, WatchStream};
use crate::status::{LISTER_WATCHER, Reason, ReflectorError, RequestKind, SourceError};
use crate::wire::{ListMeta, RawEvent};

/// Interval of warnings about a streaming list without its closing bookmark.
const INITIAL_EVENTS_TICK: Duration = Duration::from_secs(10);
/// Duration above which a list is logged.
const SLOW_LIST: Duration = Duration::from_secs(10);

/// Follows one resource of a server, and pushes its changes into a queue.
pub(crate) struct Reflector {
    source: Arc<dyn ListerWatcher>,
    make: Arc<EntryMaker>,
    store: Store,
    reporter: Arc<Reporter>,
    machine: Machine,
    collector: Option<Collector>,
    /// Number of values that indices lacked, in all, when the latest list began.
    lacked: u64,
    list_began: Instant,
    /// Span of the latest list.
    list: Span,
    intake: Intake,
    /// Parts that were listed beside the watch.
    parts: mpsc::Receiver<Replacement>,
    turn: Turn,
    peers: Peers,
    /// Counts this reflector among its peers.
    _member: Arc<()>,
    /// Tasks that decode long lists and bursts; joined when the run ends.
    tasks: TaskTracker,
}

/// Ends the run: the queue is closed.
struct Finished;

/// Occurrence during a watch.
enum Next {
    Event(RawEvent),
    /// The stream is over, by an error or without one.
    Ended(Option<SourceError>),
    /// A part was listed beside the watch.
    Part(Replacement),
    /// A chunk of events was decoded.
    Decoded(Result<DecodedEvents, JoinError>),
    /// All events of a burst that have arrived wait to be decoded.
    Gathered,
    /// Other lists need the room of the list that is being collected.
    RoomWanted,
    BurstEnds,
    /// An index was added that lacks evicted objects.
    IndexAdded,
    /// A streaming list makes no progress.
    Silent,
    /// Bookmarks do not come.
    Lags,
    /// A streaming list has sent nothing for some time.
    Tick,
}

impl From<Closed> for Finished {
    fn from(_: Closed) -> Self {
        Self
    }
}

// === impl Reflector ===

impl Reflector {
    pub(crate) fn new(
        config: &ReflectorSettings,
        source: Arc<dyn ListerWatcher>,
        make: Arc<EntryMaker>,
        fifo: DeltaFifo,
        store: Store,
        reporter: Arc<Reporter>,
        processor: Processor,
    ) -> Self {
        // User code. If it panics, the reflector lists instead of streaming.
        let streams = catch(|| source.supports_watch_list());
        let tasks = TaskTracker::new();
        let (listed, parts) = mpsc::channel(1);
        let intake = Intake::new(
            Arc::clone(&make),
            Arc::clone(&source),
            fifo.clone(),
            Arc::clone(&reporter),
            tasks.clone(),
            Arc::clone(processor.home_drop()),
        );
        source.attach(Arc::new(Parts {
            make: Arc::clone(&make),
            room: config.peers.room.clone(),
            store: store.clone(),
            tasks: tasks.clone(),
            reporter: Arc::clone(&reporter),
            fifo,
            processor,
            listed,
        }));
        let machine = Machine::new(config, streams.unwrap_or(false), fastrand::u64(..));
        Self {
            source,
            make,
            store,
            reporter,
            machine,
            collector: None,
            lacked: 0,
            list_began: Instant::now(),
            list: Span::none(),
            intake,
            parts,
            turn: Turn::new(config.peers.turns.clone()),
            _member: config.peers.gate.join(),
            peers: config.peers.clone(),
            tasks,
        }
    }

    /// Runs until cancelled. Cancelling ends every wait and drops every request at once.
    pub(crate) async fn run(mut self, cancel: CancellationToken) {
        loop {
            let performed = tokio::select! {
                biased;
                () = cancel.cancelled() => break,
                performed = catch_async(self.next()) => performed,
            };
            match performed {
                Ok(Ok(())) => {}
                Ok(Err(Finished)) => break,
                Err(Panicked) => {
                    let failure = self.machine.on_panic(LISTER_WATCHER, Instant::now());
                    self.report(failure);
                    // Queues the events that arrived before the panic.
                    match cancel.run_until_cancelled(self.flush()).await {
                        Some(Ok(_)) => {}
                        Some(Err(Finished)) | None => break,
                    }
                }
            }
        }
        self.collector = None;
        self.turn.complete();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Performs the next step. The first list waits for its turn before its step is taken, because
    /// the deadlines of a step start with it. A pause after a failure gives up the turn. All requests
    /// wait for a `Retry-After` that another reflector was told.
    async fn next(&mut self) -> Result<(), Finished> {
        if self.machine.is_waiting() {
            self.turn.release();
        } else {
            self.turn.acquire().await;
            if self.peers.gate.pass().await {
                self.machine.on_overload();
            }
        }
        let step = self.machine.step(Instant::now());
        let informer = self.reporter.name();
        let namespace = self.reporter.namespace();
        debug!(informer, namespace, %step, "reflector");
        let span = self.span(&step);
        self.perform(step).instrument(span).await
    }

    /// Returns the span of a step: one for a watch, and one for all pages of a list.
    fn span(&mut self, step: &Step) -> Span {
        let informer = self.reporter.name();
        let namespace = self.reporter.namespace();
        let reason = self.reporter.requests().reason().as_str();
        match step {
            Step::Watch(_) => {
                debug_span!("watch", informer, k8s.namespace.name = namespace, reason)
            }
            Step::List { restart, .. } => {
                if *restart {
                    let of = debug_span!("list", informer, k8s.namespace.name = namespace, reason);
                    self.list = of;
                }
                self.list.clone()
            }
            Step::Probe(_) | Step::Backoff(_) => Span::none(),
        }
    }

    async fn perform(&mut self, step: Step) -> Result<(), Finished> {
        match step {
            Step::Backoff(delay) => {
                // The next request starts with an empty collection.
                self.collector = None;
                sleep(self.peers.gate.spread(delay)).await;
                Ok(())
            }
            Step::List { options, restart } => {
                if restart {
                    self.reporter.requests().begin(RequestKind::List);
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

    fn report(&self, failure: ReflectorError) {
        self.peers.gate.failed(&failure, Instant::now());
        self.reporter.report(failure);
    }

    fn begin_collecting(&mut self) {
        self.list_began = Instant::now();
        let store = self.store.state();
        let namespace = self.reporter.namespace();
        let expected = namespace.map_or(store.keys().len(), |name| store.entries_in(name).count());
        self.lacked = store.lacked();
        self.collector = Some(Collector::new(
            Arc::clone(&self.make),
            self.peers.room.share(),
            expected,
            &self.store,
            self.machine.versions(),
            self.tasks.clone(),
        ));
    }

    // --- list ---

    async fn list(&mut self, options: ListOptions) -> Result<(), Finished> {
        self.reporter.metrics().list_requests.increment();
        let page = self.page(options).await;
        let failure = match page.and_then(|meta| self.machine.on_page(&meta)) {
            Ok(Page::More) => return Ok(()),
            Ok(Page::Complete(version)) => return self.replace(version).await.map(drop),
            Ok(Page::Failed(failure)) => failure,
            Err(error) => self.machine.on_list_error(error, Instant::now()),
        };
        self.report(failure);
        Ok(())
    }

    async fn page(&mut self, options: ListOptions) -> Result<ListMeta, SourceError> {
        let mut parts = self.turn.during(self.source.list(options)).await?;
        while let Some(part) = self.turn.during(parts.next()).await {
            match part? {
                ListPart::Items(items) => {
                    self.reporter.received(Instant::now());
                    for item in items {
                        match (item, &mut self.collector) {
                            (Ok(raw), Some(collector)) => collector.insert(raw).await?,
                            (Ok(_), None) => {}
                            (Err(rejected), _) => self.intake.reject(rejected).await,
                        }
                    }
                    if self.collector.as_ref().is_some_and(Collector::needs_json) {
                        want_json(&*self.source);
                    }
                    self.give_room().await?;
                }
                ListPart::End(meta) => {
                    self.reporter.received(Instant::now());
                    return Ok(meta);
                }
            }
        }
        Err(without_metadata())
    }

    /// Hands on the objects that wait to be decoded, if other lists need their room.
    async fn give_room(&mut self) -> Result<(), SourceError> {
        match &mut self.collector {
            Some(collector) if collector.is_wanted() => collector.hand_on().await,
            _ => Ok(()),
        }
    }

    /// Finds out whether the server has the last version.
    async fn probe(&mut self, options: ListOptions) {
        self.reporter.metrics().list_requests.increment();
        let answer = version_of(&*self.source, options).await;
        if let Some(failure) = self.machine.on_probe(answer, Instant::now()) {
            self.report(failure);
        }
    }

    /// Queues a complete list. Breaks if decoding it failed.
    async fn replace(&mut self, version: ResourceVersion) -> Result<ControlFlow<()>, Finished> {
        let Some(collector) = self.collector.take() else {
            return Ok(ControlFlow::Continue(()));
        };
        let versions = collector.versions();
        let (items, counts) = match collector.finish().await {
            Ok(collected) => collected,
            Err(error) => {
                let failure = self.machine.on_list_error(error, Instant::now());
                self.report(failure);
                return Ok(ControlFlow::Break(()));
            }
        };
        self.machine.on_replaced();
        let metrics = self.reporter.metrics();
        metrics.lists.increment();
        counts.record(metrics);
        self.reporter.requests().end(Reason::Completed);
        let took = self.list_began.elapsed();
        metrics.list_duration.record(took);
        if took >= SLOW_LIST {
            let seconds = seconds(took);
            warn!(
                informer = self.reporter.name(),
                namespace = self.reporter.namespace(),
                objects = items.len(),
                seconds,
                "slow list"
            );
        }
        let replacement = Replacement {
            namespace: self.reporter.namespace().map(Arc::from),
            items,
            resource_version: version,
            part: None,
        };
        self.intake.replace(replacement).await?;
        self.source.listed();
        self.turn.complete();
        if versions == Versions::Restarted {
            // The next list is compared with the store, so the old versions must be replaced first.
            self.intake.processed().await?;
        }
        Ok(ControlFlow::Continue(()))
    }

    // --- watch ---

    async fn watch(&mut self, options: WatchOptions) -> Result<(), Finished> {
        self.reporter.metrics().watch_requests.increment();
        let kind = if options.send_initial_events {
            RequestKind::StreamingList
        } else {
            RequestKind::Watch
        };
        self.reporter.requests().begin(kind);
        match self.open(options).await {
            Ok(events) => {
                self.follow(events).await?;
                // Queues the events of this watch before the next request.
                self.flush().await.map(drop)?;
            }
            Err(failure) => self.report(failure),
        }
        Ok(())
    }

    /// Processes events until the watch ends.
    async fn follow(&mut self, mut events: WatchStream) -> Result<(), Finished> {
        // A part of an earlier watch is outdated.
        while self.parts.try_recv().is_ok() {}
        let store = self.store.clone();
        let mut lacking = pin!(store.lacks_more_than(self.lacked));
        let mut now = Instant::now();
        let mut tick = now + INITIAL_EVENTS_TICK;
        loop {
            let is_burst = self.intake.is_waiting();
            let next = self.next_of_watch(&mut events, lacking.as_mut(), tick);
            let flow = match next.await {
                Next::Event(event) => {
                    // The clock is read once for each chunk of a burst, and not for each event.
                    if !is_burst {
                        now = Instant::now();
                    }
                    tick = now + INITIAL_EVENTS_TICK;
                    self.on_event(event, now).await?
                }
                Next::Ended(end) => {
                    if !is_burst {
                        now = Instant::now();
                    }
                    self.on_end(end, now);
                    ControlFlow::Break(())
                }
                Next::Part(part) => self.insert(part).await?,
                Next::Decoded(decoded) => self.append(decoded).await?,
                Next::Gathered => {
                    let dispatched = self.intake.dispatch().await;
                    self.check_intake(dispatched)?
                }
                Next::RoomWanted => {
                    let given = self.give_room().await;
                    self.check_collected(given)
                }
                Next::BurstEnds => {
                    self.intake.end_burst();
                    ControlFlow::Continue(())
                }
                Next::IndexAdded => {
                    self.reporter.requests().end(Reason::IndexAdded);
                    self.machine.relist();
                    ControlFlow::Break(())
                }
                Next::Silent => {
                    let failure = self.machine.on_silence(Instant::now());
                    self.report(failure);
                    ControlFlow::Break(())
                }
                Next::Lags => {
                    let failure = self.machine.on_lag();
                    self.reporter.tell(failure);
                    ControlFlow::Continue(())
                }
                Next::Tick => {
                    tick += INITIAL_EVENTS_TICK;
                    self.warn_of_silence();
                    ControlFlow::Continue(())
                }
            };
            if flow.is_break() {
                return Ok(());
            }
        }
    }

    /// Waits for what happens next to a watch. In a burst, nothing but events and their decoding is
    /// waited for: all else is looked at once for each chunk, and not for each event.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes has taken nothing.
    async fn next_of_watch(
        &mut self,
        events: &mut WatchStream,
        lacking: Pin<&mut (impl Future<Output = ()> + Send)>,
        tick: Instant,
    ) -> Next {
        let is_burst = self.intake.is_waiting();
        let is_wanted = self.collector.as_ref().is_some_and(Collector::is_wanted);
        let burst_ends = self.intake.burst_ends();
        let silent_at = self.machine.silent_at();
        let lags_at = self.machine.lags_at().filter(|_| !is_burst);
        // A receiver that is polled takes of the task's budget: bursts would be cut.
        let part = unconstrained(self.parts.recv());
        tokio::select! {
            biased;
            Some(part) = part, if !is_burst => Next::Part(part),
            () = lacking, if !is_burst => Next::IndexAdded,
            event = self.turn.during(events.next()) => match event {
                Some(Ok(RawEvent::Error(status))) => {
                    Next::Ended(Some(SourceError::Status(Arc::new(status))))
                }
                Some(Ok(event)) => Next::Event(event),
                Some(Err(error)) => Next::Ended(Some(error)),
                None => Next::Ended(None),
            },
            decoded = self.intake.decoded(), if self.intake.is_decoding() => Next::Decoded(decoded),
            // No event arrived, although all other tasks had a turn.
            () = yield_now(), if is_burst => Next::Gathered,
            () = yield_now(), if is_wanted => Next::RoomWanted,
            () = deadline(burst_ends) => Next::BurstEnds,
            () = deadline(silent_at) => Next::Silent,
            () = deadline(lags_at) => Next::Lags,
            () = deadline(silent_at.map(|_| tick)) => Next::Tick,
        }
    }

    /// Processes the end of a watch, and the error if there is one.
    fn on_end(&mut self, end: Option<SourceError>, now: Instant) {
        let failure = match end {
            Some(error) => Some(self.machine.on_watch_error(error, now)),
            None => self.machine.on_watch_end(now),
        };
        match failure {
            Some(failure) => self.report(failure),
            None => self.reporter.requests().end(Reason::Closed),
        }
    }

    fn warn_of_silence(&self) {
        warn!(
            informer = self.reporter.name(),
            namespace = self.reporter.namespace(),
            "streaming list: no event and no closing bookmark for 10 s",
        );
    }

    /// Opens a watch. A streaming list has to be answered within the deadline of the whole list.
    async fn open(&mut self, options: WatchOptions) -> Result<WatchStream, ReflectorError> {
        let opened = tokio::select! {
            biased;
            opened = self.turn.during(self.source.watch(options)) => opened,
            () = deadline(self.machine.silent_at()) => {
                return Err(self.machine.on_unanswered());
            }
        };
        match opened {
            Ok(events) => {
                // A quiet watch is healthy. A streaming list is not healthy before it completes.
                if !self.machine.is_collecting() {
                    self.follows(Instant::now());
                }
                Ok(events)
            }
            Err(error) => Err(self.machine.on_connect_error(error, Instant::now())),
        }
    }

    /// Records that the watch works, unless its events come late.
    fn follows(&self, now: Instant) {
        if !self.machine.lags() {
            self.reporter.follows(now);
        }
    }

    /// Processes one event. Breaks if the watch has to end.
    async fn on_event(
        &mut self,
        event: RawEvent,
        now: Instant,
    ) -> Result<ControlFlow<()>, Finished> {
        let reaction = self.machine.on_event(&event, now);
        if self.machine.is_collecting() {
            self.reporter.received(now);
        } else if !self.intake.is_waiting() {
            self.follows(now);
        }
        match reaction {
            Reaction::Apply => {}
            Reaction::Complete(version) => {
                let replaced = self.replace(version).await?;
                if replaced.is_continue() {
                    // Whatever failed before, the watch is healthy from here on.
                    self.follows(now);
                    self.reporter.requests().begin(RequestKind::Watch);
                }
                return Ok(replaced);
            }
            Reaction::Failed(failure) => {
                self.report(failure);
                return Ok(ControlFlow::Break(()));
            }
        }
        if self.machine.is_collecting() {
            return Ok(self.collect(event).await);
        }
        let result = self.intake.event(event).await;
        self.check_intake(result)
    }

    /// Adds an initial event to the list that is being collected.
    async fn collect(&mut self, event: RawEvent) -> ControlFlow<()> {
        let Some(collector) = &mut self.collector else {
            return ControlFlow::Continue(());
        };
        let collected = match event {
            RawEvent::Added(raw) | RawEvent::Modified(raw) => collector.insert(raw).await,
            RawEvent::Deleted(raw) => collector.remove(raw.key()).await,
            RawEvent::Rejected(rejected) => {
                self.intake.reject(rejected).await;
                Ok(())
            }
            RawEvent::Bookmark { .. } | RawEvent::Unknown { .. } | RawEvent::Error(_) => Ok(()),
        };
        self.check_collected(collected)
    }

    /// Breaks if objects of the list that is being collected were lost.
    fn check_collected(&mut self, collected: Result<(), SourceError>) -> ControlFlow<()> {
        let Err(error) = collected else {
            return ControlFlow::Continue(());
        };
        let failure = self.machine.on_watch_error(error, Instant::now());
        self.report(failure);
        ControlFlow::Break(())
    }

    /// Queues a part behind all accepted events.
    async fn insert(&mut self, part: Replacement) -> Result<ControlFlow<()>, Finished> {
        let flushed = self.flush().await?;
        if flushed.is_continue() {
            self.intake.replace(part).await?;
        }
        Ok(flushed)
    }

    /// Queues a decoded chunk of events.
    async fn append(
        &mut self,
        decoded: Result<DecodedEvents, JoinError>,
    ) -> Result<ControlFlow<()>, Finished> {
        let appended = match decoded {
            Ok(chunk) => self.intake.append(chunk).await.map_err(Halt::from),
            Err(lost) => Err(lost.into()),
        };
        self.check_intake(appended)
    }

    /// Queues all accepted events.
    async fn flush(&mut self) -> Result<ControlFlow<()>, Finished> {
        let result = self.intake.flush().await;
        self.check_intake(result)
    }

    /// Converts the result of the intake. Breaks if events of the watch were lost.
    fn check_intake(&mut self, result: Result<(), Halt>) -> Result<ControlFlow<()>, Finished> {
        match result {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(Halt::Closed) => Err(Finished),
            Err(Halt::Lost) => {
                let failure = self.machine.on_panic(DECODING, Instant::now());
                self.report(failure);
                Ok(ControlFlow::Break(()))
            }
        }
    }
}

/// Requests one object. Only the version of the response matters.
async fn version_of(
    source: &dyn ListerWatcher,
    options: ListOptions,
) -> Result<ResourceVersion, SourceError> {
    let mut parts = source.list(options).await?;
    while let Some(part) = parts.next().await {
        if let ListPart::End(meta) = part? {
            return Ok(meta.resource_version);
        }
    }
    Err(without_metadata())
}

//! Decodes objects from the source, in place or on other threads, and queues the deltas.
//!
//! ```text
//!   event ──► waiting ──┬─ few, and no more come ──► decoded in place ──┬──► deltas, in order
//!                       └─ many ──► chunks, decoded on several threads ─┘
//! ```
//!
//! Chunks make a [`Burst`], in which a thread also drops the objects that it decoded before.
//!
//! # Invariants
//!
//! 1. Deltas leave in the order of their events: no event is decoded in place while chunks are
//!    being decoded.
//! 2. At most one chunk per core is being decoded, and at most one more is held.

use std::future;
use std::sync::Arc;

use tokio::task::{JoinError, consume_budget};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use tracing::warn;

use super::decoding::{Decoder, Item, is_parallel};
use super::entry_maker::{EntryMaker, Made};
use super::report::Reporter;
use crate::base::home::{Burst, HomeDrop};
use crate::base::panic::catch;
use crate::delta_fifo::{Closed, Delta, DeltaFifo, Listed, Removed, Replacement};
use crate::source::ListerWatcher;
use crate::status::ReflectorError;
use crate::storage::{Entry, ObjectError};
use crate::wire::{RawEvent, RawObject, Rejected};

/// Maximum number of events to decode in place. Handing them to a task would cost more.
const FEW: usize = 4;

/// Reason for which no more events are accepted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Halt {
    /// The queue is closed.
    Closed,
    /// A chunk was lost to a panic. Only a relist can recover its objects.
    Lost,
}

/// Path of objects from the source into the queue. Holds live events that are not queued yet.
pub(super) struct Intake {
    events: Decoder<RawEvent>,
    source: Arc<dyn ListerWatcher>,
    fifo: DeltaFifo,
    reporter: Arc<Reporter>,
    home_drop: Arc<HomeDrop<Arc<Entry>>>,
    burst: Option<Burst<Arc<Entry>>>,
}

/// Event that concerns the store.
pub(super) struct DecodedEvent {
    delta: Delta,
    /// Reason for which its object did not decode.
    error: Option<Arc<ObjectError>>,
}

/// Events of a chunk, in order; `None` for an event that does not concern the store.
pub(super) type DecodedEvents = Vec<Option<DecodedEvent>>;

// === impl Halt ===

impl From<Closed> for Halt {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

impl From<JoinError> for Halt {
    fn from(_: JoinError) -> Self {
        Self::Lost
    }
}

// === impl Intake ===

impl Intake {
    /// Creates an intake that decodes in `tasks`, which the caller joins.
    pub(super) fn new(
        make: Arc<EntryMaker>,
        source: Arc<dyn ListerWatcher>,
        fifo: DeltaFifo,
        reporter: Arc<Reporter>,
        tasks: TaskTracker,
        home_drop: Arc<HomeDrop<Arc<Entry>>>,
    ) -> Self {
        Self {
            events: Decoder::new(make, tasks),
            source,
            fifo,
            reporter,
            home_drop,
            burst: None,
        }
    }

    /// Accepts a live event. Objects and bookmarks become deltas; other events are reported, logged
    /// or ignored.
    pub(super) async fn event(&mut self, event: RawEvent) -> Result<(), Halt> {
        let metrics = self.reporter.metrics();
        match event {
            RawEvent::Added(ref raw) | RawEvent::Modified(ref raw) | RawEvent::Deleted(ref raw) => {
                metrics.events.increment();
                if !self.events.covers(raw) {
                    consume_budget().await;
                    return Ok(());
                }
                metrics.decoded_objects.increment();
                metrics.object_bytes.add(raw.bytes().len() as u64);
            }
            RawEvent::Bookmark { .. } => metrics.bookmarks.increment(),
            RawEvent::Rejected(rejected) => {
                self.reject(rejected).await;
                return Ok(());
            }
            RawEvent::Unknown { event_type, .. } => {
                warn!(
                    informer = self.reporter.name(),
                    namespace = self.reporter.namespace(),
                    event_type,
                    "unknown type of watch event"
                );
                consume_budget().await;
                return Ok(());
            }
            RawEvent::Error(_) => return Ok(()),
        }
        if self.events.push(event) {
            self.dispatch().await?;
        }
        Ok(())
    }

    /// Reports an item or event that the source rejected.
    pub(super) async fn reject(&self, rejected: Rejected) {
        self.reporter.report(ReflectorError::Rejected(rejected));
        // A rejected item does not enter the queue. Without this, a source that is always ready
        // would never have to wait.
        consume_budget().await;
    }

    /// Returns `true` if events wait to be decoded.
    pub(super) fn is_waiting(&self) -> bool {
        self.events.waiting() > 0
    }

    /// Returns `true` if chunks are being decoded.
    pub(super) fn is_decoding(&self) -> bool {
        self.events.is_decoding()
    }

    /// Decodes the waiting events, in place or in a task.
    pub(super) async fn dispatch(&mut self) -> Result<(), Halt> {
        let is_small = self.events.waiting() <= FEW || !is_parallel();
        if !self.is_decoding() && is_small {
            return Ok(self.decode_in_place().await?);
        }
        while self.events.is_busy() {
            let decoded = self.decoded().await;
            self.append(decoded?).await?;
        }
        let now = Instant::now();
        match &mut self.burst {
            Some(burst) => burst.prolong(now),
            None => self.burst = Some(Burst::new(&self.home_drop, now)),
        }
        self.events.spawn(Some(Arc::clone(&self.home_drop)), None);
        Ok(())
    }

    /// Returns the time at which the burst ends; `None` if there is no burst, or if it goes on. A
    /// timer is not armed for each event of it.
    pub(super) fn burst_ends(&self) -> Option<Instant> {
        let goes_on = self.is_decoding() || self.is_waiting();
        self.burst.as_ref().filter(|_| !goes_on).map(Burst::ends)
    }

    /// Ends the burst. Objects that still wait for the thread that decoded them are dropped.
    pub(super) fn end_burst(&mut self) {
        self.burst = None;
    }

    /// Queues all accepted events, and ends the burst. Returns the error of a lost chunk only when
    /// all others are queued.
    pub(super) async fn flush(&mut self) -> Result<(), Halt> {
        let mut flushed = Ok(());
        while self.is_decoding() {
            match self.decoded().await {
                Ok(decoded) => self.append(decoded).await?,
                Err(lost) => flushed = Err(lost.into()),
            }
        }
        if self.is_waiting() {
            self.decode_in_place().await?;
        }
        self.end_burst();
        flushed
    }

    /// Returns the oldest chunk once it is decoded. Never completes if there is none.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes has removed nothing.
    pub(super) async fn decoded(&mut self) -> Result<DecodedEvents, JoinError> {
        match self.events.next().await {
            Some(decoded) => decoded,
            None => future::pending().await,
        }
    }

    /// Queues a decoded chunk.
    pub(super) async fn append(&mut self, chunk: DecodedEvents) -> Result<(), Closed> {
        let deltas = chunk
            .into_iter()
            .flatten()
            .map(|decoded| self.accept(decoded))
            .collect();
        self.fifo.push_all(deltas).await
    }

    /// Queues a complete list.
    pub(super) async fn replace(&self, list: Replacement) -> Result<(), Closed> {
        for item in &list.items {
            if let Listed::Undecodable(undecodable) = item {
                self.report(&undecodable.error);
            }
        }
        self.fifo.push(Delta::ReplacedAll(list)).await
    }

    /// Waits until all queued deltas are in the store.
    pub(super) async fn processed(&self) -> Result<(), Closed> {
        self.fifo.processed().await
    }

    async fn decode_in_place(&mut self) -> Result<(), Closed> {
        let chunk = self.events.decode_in_place();
        self.append(chunk).await
    }

    /// Reports an object that did not decode, and returns the delta to queue.
    fn accept(&self, decoded: DecodedEvent) -> Delta {
        if let Some(error) = &decoded.error {
            self.report(error);
        }
        let mut delta = decoded.delta;
        if let Delta::Bookmark { namespace, .. } = &mut delta {
            *namespace = self.reporter.namespace().map(Arc::from);
        }
        delta
    }

    fn report(&self, error: &Arc<ObjectError>) {
        if error.needs_json() {
            want_json(&*self.source);
        }
        self.reporter
            .report(ReflectorError::Object(Arc::clone(error)));
    }
}

/// Tells the source to request JSON from now on.
pub(super) fn want_json(source: &dyn ListerWatcher) {
    // User code. A source that does not support this continues with protobuf.
    let _panicked = catch(|| source.want_json());
}

// === impl Item ===

impl Item for RawEvent {
    type Decoded = Option<DecodedEvent>;

    fn raw(&self) -> Option<&RawObject> {
        self.object()
    }

    fn decoded(self, made: Option<Made>) -> Option<DecodedEvent> {
        let delta = match (self, made) {
            (Self::Added(_), Some(Made::Kept(indexed))) => Delta::Added(indexed),
            (Self::Modified(_), Some(Made::Kept(indexed))) => Delta::Updated(indexed),
            (Self::Added(_) | Self::Modified(_), Some(Made::Filtered(entry))) => {
                Delta::Deleted(Removed::filtered(entry))
            }
            (Self::Added(_) | Self::Modified(_), Some(Made::Undecodable(undecodable))) => {
                let error = Some(Arc::clone(&undecodable.error));
                let delta = Delta::Undecodable(undecodable);
                return Some(DecodedEvent { delta, error });
            }
            (Self::Deleted(raw), Some(made)) => return Some(deletion(&raw, made)),
            (
                Self::Bookmark {
                    resource_version, ..
                },
                _,
            ) => Delta::Bookmark {
                namespace: None,
                resource_version,
                ends_list: false,
            },
            (Self::Added(_) | Self::Modified(_) | Self::Deleted(_), None)
            | (Self::Rejected(_) | Self::Unknown { .. } | Self::Error(_), _) => return None,
        };
        Some(DecodedEvent { delta, error: None })
    }
}

/// Creates a deletion. The header suffices; if the body does not decode, the store's last known
/// state is used.
fn deletion(raw: &RawObject, made: Made) -> DecodedEvent {
    let (object, error) = match made {
        Made::Kept(indexed) => (Some(indexed.entry()), None),
        Made::Filtered(entry) => (Some(entry), None),
        Made::Undecodable(undecodable) => (None, Some(undecodable.error)),
    };
    let header = raw.header();
    let delta = Delta::Deleted(Removed {
        key: header.key.clone(),
        uid: header.uid.clone(),
        resource_version: header.resource_version.clone(),
        object,
        final_state_unknown: false,
        is_filtered: false,
    });
    DecodedEvent { delta, error }
}

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

use std::any::Any;
use std::collections::BTreeSet;
use std::future;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesOrdered;
use tokio::task::{JoinError, consume_budget};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use tracing::warn;

use super::decoding::{self, Decoding};
use super::report::Reporter;
use crate::base::cores::cores;
use crate::base::home::{Burst, HomeDrop};
use crate::base::panic::{Panicked, catch};
use crate::delta_fifo::{Closed, Delta, DeltaFifo, Listed, Removed, Replacement};
use crate::object::{Footprint, Object, ObjectKey};
use crate::source::ListerWatcher;
use crate::status::ReflectorError;
use crate::storage::{AnyTransform, Entry, ObjectError, Storage, StorageMetrics, Undecodable};
use crate::wire::{DropFields, Header, RawEvent, RawObject, Rejected};

/// Number of events that one task decodes, and number of events per wake-up of the controller.
const CHUNK: usize = 32;
/// Maximum number of events to decode in place. Handing them to a task would cost more.
const FEW: usize = 4;

/// Creates store entries from objects.
pub(crate) trait MakeEntry: Send + Sync {
    /// Reports whether the informer caches this object. Other objects are dropped undecoded.
    fn keeps(&self, key: &ObjectKey) -> bool;

    /// Decodes and transforms an object.
    ///
    /// # Errors
    ///
    /// Fails if the object does not decode, or if the transform rejects it.
    fn make(&self, raw: &RawObject) -> Result<Entry, Undecodable>;

    /// Returns measurements of the storage.
    fn storage_metrics(&self) -> StorageMetrics;
}

/// Cuts fields, decodes and transforms each object once. A panic of user code affects only its
/// object.
#[derive(Debug)]
pub(crate) struct EntryMaker<K: Object, S> {
    pub(crate) storage: S,
    /// Transform of objects `K`.
    pub(crate) transform: Option<AnyTransform>,
    pub(crate) objects: PhantomData<fn() -> K>,
    pub(crate) filter: Filter,
}

/// Part of an [`EntryMaker`] that does not depend on a type: which objects are cached, and which
/// fields of them.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    drop_fields: Option<DropFields>,
    /// Names of the objects to keep; `None` keeps all.
    names: Option<Arc<BTreeSet<String>>>,
}

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
    make: Arc<dyn MakeEntry>,
    source: Arc<dyn ListerWatcher>,
    fifo: DeltaFifo,
    reporter: Arc<Reporter>,
    tasks: TaskTracker,
    waiting: Vec<RawEvent>,
    chunks: FuturesOrdered<Decoding<Option<Decoded>>>,
    home_drop: Arc<HomeDrop<Arc<Entry>>>,
    burst: Option<Burst<Arc<Entry>>>,
}

/// Delta of an event, and the undecodable version if decoding failed.
type Decoded = (Delta, Option<Undecodable>);

/// Results of several events, in order.
type Chunk = Vec<Option<Decoded>>;

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

// === impl EntryMaker ===

impl<K: Object, S: Storage<K>> MakeEntry for EntryMaker<K, S> {
    fn keeps(&self, key: &ObjectKey) -> bool {
        self.filter.keeps(key)
    }

    fn make(&self, raw: &RawObject) -> Result<Entry, Undecodable> {
        let transform = AnyTransform::typed(self.transform.as_ref());
        self.filter.decode(raw, |raw| {
            let object = self.storage.make(raw, transform)?;
            Ok(Arc::new(object) as _)
        })
    }

    fn storage_metrics(&self) -> StorageMetrics {
        self.storage.metrics()
    }
}

// === impl Filter ===

impl Filter {
    pub(crate) fn new(
        drop_fields: Option<&DropFields>,
        names: Option<&Arc<BTreeSet<String>>>,
    ) -> Self {
        Self {
            drop_fields: drop_fields.filter(|fields| !fields.is_empty()).cloned(),
            names: names.cloned(),
        }
    }

    fn keeps(&self, key: &ObjectKey) -> bool {
        let mut names = self.names.iter();
        names.all(|names| names.contains(key.name()))
    }

    /// Decodes an object without the fields that are not cached. `make` makes its stored form.
    fn decode(
        &self,
        raw: &RawObject,
        make: impl FnOnce(&RawObject) -> Result<Arc<dyn Any + Send + Sync>, ObjectError>,
    ) -> Result<Entry, Undecodable> {
        let Header {
            key,
            uid,
            resource_version,
        } = raw.header().clone();
        let cut = self.drop_fields.as_ref().map(|fields| raw.without(fields));
        let raw = cut.as_ref().unwrap_or(raw);
        // An uncaught panic would fail the whole list, and every list after it.
        let decoded = catch(|| {
            raw.check_size()?;
            make(raw)
        });
        let decoded = decoded.unwrap_or_else(|Panicked| {
            Err(ObjectError::Panicked {
                key: key.clone(),
                resource_version: resource_version.clone(),
            })
        });
        match decoded {
            Ok(object) => Ok(Entry {
                key,
                uid,
                resource_version,
                footprint: Footprint::new(raw.bytes().len()),
                object,
            }),
            Err(error) => Err(Undecodable {
                key,
                resource_version,
                error: Arc::new(error),
            }),
        }
    }
}

// === impl Intake ===

impl Intake {
    /// Creates an intake that decodes in `tasks`, which the caller joins.
    pub(super) fn new(
        make: Arc<dyn MakeEntry>,
        source: Arc<dyn ListerWatcher>,
        fifo: DeltaFifo,
        reporter: Arc<Reporter>,
        tasks: TaskTracker,
        home_drop: Arc<HomeDrop<Arc<Entry>>>,
    ) -> Self {
        Self {
            make,
            source,
            fifo,
            reporter,
            tasks,
            waiting: Vec::new(),
            chunks: FuturesOrdered::new(),
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
                if !self.make.keeps(raw.key()) {
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
                    event_type, "unknown type of watch event"
                );
                consume_budget().await;
                return Ok(());
            }
            RawEvent::Error(_) => return Ok(()),
        }
        self.waiting.push(event);
        if self.waiting.len() >= CHUNK {
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
        !self.waiting.is_empty()
    }

    /// Returns `true` if chunks are being decoded.
    pub(super) fn is_decoding(&self) -> bool {
        !self.chunks.is_empty()
    }

    /// Decodes the waiting events, in place or in a task.
    pub(super) async fn dispatch(&mut self) -> Result<(), Halt> {
        let is_small = self.waiting.len() <= FEW || !decoding::is_parallel();
        if self.chunks.is_empty() && is_small {
            return Ok(self.decode_in_place().await?);
        }
        while self.chunks.len() >= cores() {
            let decoded = self.decoded().await;
            self.append(decoded?).await?;
        }
        let now = Instant::now();
        match &mut self.burst {
            Some(burst) => burst.prolong(now),
            None => self.burst = Some(Burst::new(&self.home_drop, now)),
        }
        let chunk = std::mem::replace(&mut self.waiting, Vec::with_capacity(CHUNK));
        let make = Arc::clone(&self.make);
        let home_drop = Arc::clone(&self.home_drop);
        let decode = move |mut events| {
            // Before the decoding, which can then use the memory.
            home_drop.drop_own();
            decode(&*make, &mut events)
        };
        let chunk = decoding::spawn(&self.tasks, chunk, RawEvent::object, decode);
        self.chunks.push_back(chunk);
        Ok(())
    }

    /// Returns the time at which the burst ends; `None` if there is no burst, or if it goes on.
    pub(super) fn burst_ends(&self) -> Option<Instant> {
        let burst = self.burst.as_ref().filter(|_| !self.is_decoding());
        burst.map(Burst::ends)
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
    pub(super) async fn decoded(&mut self) -> Result<Chunk, JoinError> {
        match self.chunks.next().await {
            Some(decoded) => decoded,
            None => future::pending().await,
        }
    }

    /// Queues a decoded chunk.
    pub(super) async fn append(&mut self, chunk: Chunk) -> Result<(), Closed> {
        for decoded in chunk.into_iter().flatten() {
            self.queue(decoded).await?;
        }
        self.fifo.announce();
        Ok(())
    }

    /// Queues a complete list.
    pub(super) async fn replace(&self, list: Replacement) -> Result<(), Closed> {
        for item in &list.items {
            if let Listed::Undecodable(undecodable) = item {
                self.report(undecodable);
            }
        }
        self.fifo.push(Delta::ReplacedAll(list)).await
    }

    /// Waits until all queued deltas are in the store.
    pub(super) async fn processed(&self) -> Result<(), Closed> {
        self.fifo.processed().await
    }

    async fn decode_in_place(&mut self) -> Result<(), Closed> {
        let chunk = decode(&*self.make, &mut self.waiting);
        self.append(chunk).await
    }

    async fn queue(&self, (delta, undecodable): Decoded) -> Result<(), Closed> {
        if let Some(undecodable) = &undecodable {
            self.report(undecodable);
        }
        self.fifo.append(delta).await
    }

    fn report(&self, undecodable: &Undecodable) {
        let error = &undecodable.error;
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

/// Takes all events and converts them into deltas; `None` for an event that does not concern the
/// store.
///
/// All objects are decoded before the first entry is allocated. A get of an entry that shares a page
/// of memory with others takes half the time of one that lies between decoded objects.
fn decode(make: &dyn MakeEntry, events: &mut Vec<RawEvent>) -> Chunk {
    let decoded = events.drain(..).map(|event| {
        let entry = event.object().map(|raw| make.make(raw));
        (event, entry)
    });
    let decoded: Vec<_> = decoded.collect();
    let deltas = decoded
        .into_iter()
        .map(|(event, entry)| delta(event, entry));
    deltas.collect()
}

/// Creates the delta of an event. `entry` is that of its object, if it has one.
fn delta(event: RawEvent, entry: Option<Result<Entry, Undecodable>>) -> Option<Decoded> {
    let delta = match event {
        RawEvent::Added(_) => Delta::Added,
        RawEvent::Modified(_) => Delta::Updated,
        RawEvent::Deleted(raw) => return Some(deletion(&raw, entry?)),
        RawEvent::Bookmark {
            resource_version, ..
        } => return Some((Delta::Bookmark(resource_version), None)),
        RawEvent::Rejected(_) | RawEvent::Unknown { .. } | RawEvent::Error(_) => return None,
    };
    Some(match entry? {
        Ok(entry) => (delta(Arc::new(entry)), None),
        Err(undecodable) => (Delta::Undecodable(undecodable.clone()), Some(undecodable)),
    })
}

/// Creates a deletion. The header suffices; if the body does not decode, the store's last known
/// state is used.
fn deletion(raw: &RawObject, entry: Result<Entry, Undecodable>) -> Decoded {
    let (object, undecodable) = match entry {
        Ok(entry) => (Some(Arc::new(entry)), None),
        Err(undecodable) => (None, Some(undecodable)),
    };
    let header = raw.header();
    let delta = Delta::Deleted(Removed {
        key: header.key.clone(),
        uid: header.uid.clone(),
        resource_version: header.resource_version.clone(),
        object,
        final_state_unknown: false,
    });
    (delta, undecodable)
}

//! Brings a list together: what is known stays as it is, the rest is decoded on all cores.

use std::collections::HashMap;
use std::collections::hash_map;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesOrdered;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use super::decoding::{self, DECODING, Room};
use crate::base::cores::cores;
use crate::delta_fifo::Listed;
use crate::indexer::Snapshot;
use crate::object::ObjectKey;
use crate::status::SourceError;
use crate::storage::{Entry, MakeEntry};
use crate::wire::RawObject;

/// How many objects one decoding task takes. Fewer, and the hand-over costs more than it brings.
const CHUNK: usize = 128;

/// Collects the objects of one list, or of the initial events of one watch.
///
/// Holds marks for unchanged objects, not copies, and at most a chunk per core of undecoded ones.
pub(super) struct Collector<H> {
    intake: Arc<dyn MakeEntry<H>>,
    /// What the store held when the list began.
    store: Snapshot<H>,
    versions: Versions,
    tasks: TaskTracker,
    chunk: Vec<Incoming<H>>,
    decoding: FuturesOrdered<JoinHandle<Vec<Outcome<H>>>>,
    items: Vec<Option<Listed<H>>>,
    /// Seeded at random, as whoever may create objects chooses keys.
    positions: HashMap<ObjectKey, usize, foldhash::quality::RandomState>,
    counts: Counts,
}

/// What the resourceVersions of a list say about objects that are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Versions {
    /// A stored object of the same uid and version is the same: it is not decoded again.
    Comparable,
    /// The server went back, so nothing stored is known to be what the server holds.
    Restarted,
}

/// What collecting cost.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) unchanged: u64,
    pub(super) decoded: u64,
    pub(super) bytes: u64,
}

enum Incoming<H> {
    Raw(RawObject),
    Known(Entry<H>),
    Gone(ObjectKey),
}

enum Outcome<H> {
    Listed(Listed<H>),
    Gone(ObjectKey),
}

// === impl Collector ===

impl<H: Clone + Send + Sync + 'static> Collector<H> {
    /// Decodes in `tasks`, which the caller joins.
    pub(super) fn new(
        intake: Arc<dyn MakeEntry<H>>,
        store: Snapshot<H>,
        versions: Versions,
        tasks: TaskTracker,
    ) -> Self {
        let expected = store.len();
        let hasher = foldhash::quality::RandomState::default();
        Self {
            intake,
            store,
            versions,
            tasks,
            chunk: Vec::new(),
            decoding: FuturesOrdered::new(),
            items: Vec::with_capacity(expected),
            positions: HashMap::with_capacity_and_hasher(expected, hasher),
            counts: Counts::default(),
        }
    }

    pub(super) fn versions(&self) -> Versions {
        self.versions
    }

    /// Takes an object in. Waits while all cores are busy, which holds the socket back.
    pub(super) async fn insert(&mut self, raw: RawObject) -> Result<(), SourceError> {
        self.counts.bytes += raw.bytes().len() as u64;
        let header = raw.header();
        let known = self.store.get(&header.key).filter(|entry| {
            // Behind a version that did not decode, the stored one is older than it says.
            self.versions == Versions::Comparable
                && self.store.undecodable(&header.key).is_none()
                && !header.resource_version.is_unset()
                && entry.resource_version == header.resource_version
                && entry.uid == header.uid
        });
        let incoming = if let Some(entry) = known {
            self.counts.unchanged += 1;
            Incoming::Known(entry.clone())
        } else {
            self.counts.decoded += 1;
            Incoming::Raw(raw)
        };
        self.push(incoming).await
    }

    /// Takes an object out again: it was deleted while the initial events came.
    pub(super) async fn remove(&mut self, key: ObjectKey) -> Result<(), SourceError> {
        self.push(Incoming::Gone(key)).await
    }

    /// The collected objects in order of arrival, each key once.
    pub(super) async fn finish(mut self) -> Result<(Vec<Listed<H>>, Counts), SourceError> {
        while let Some(outcomes) = self.decoding.next().await {
            self.fold(outcomes)?;
        }
        let rest = std::mem::take(&mut self.chunk);
        self.decode_in_place(rest)?;
        Ok((self.items.into_iter().flatten().collect(), self.counts))
    }

    async fn push(&mut self, incoming: Incoming<H>) -> Result<(), SourceError> {
        // A relist is mostly of what is known: where nothing waits before it, it needs no task.
        let is_work = matches!(incoming, Incoming::Raw(_));
        if !is_work && self.chunk.is_empty() && self.decoding.is_empty() {
            let outcome = decode(&*self.intake, self.versions, incoming);
            self.place(outcome);
            return Ok(());
        }
        if self.chunk.is_empty() {
            self.chunk.reserve_exact(CHUNK);
        }
        self.chunk.push(incoming);
        if self.chunk.len() < CHUNK {
            return Ok(());
        }
        while self.decoding.len() >= cores() {
            if let Some(outcomes) = self.decoding.next().await {
                self.fold(outcomes)?;
            }
        }
        let chunk = std::mem::take(&mut self.chunk);
        let (intake, versions) = (Arc::clone(&self.intake), self.versions);
        let mut room = intake.keeps_decoded().then(Room::default);
        let decode = move |incoming| {
            if let (Some(room), Incoming::Raw(_)) = (&mut room, &incoming) {
                room.make();
            }
            decode(&*intake, versions, incoming)
        };
        self.decoding
            .push_back(decoding::spawn(&self.tasks, chunk, decode));
        Ok(())
    }

    fn decode_in_place(&mut self, chunk: Vec<Incoming<H>>) -> Result<(), SourceError> {
        let (intake, versions) = (&*self.intake, self.versions);
        let decode = |incoming| decode(intake, versions, incoming);
        let outcomes = chunk.into_iter().map(decode).collect();
        self.fold(Ok(outcomes))
    }

    fn fold(
        &mut self,
        outcomes: Result<Vec<Outcome<H>>, tokio::task::JoinError>,
    ) -> Result<(), SourceError> {
        let outcomes = outcomes.map_err(|_| SourceError::Panicked(DECODING))?;
        for outcome in outcomes {
            self.place(outcome);
        }
        Ok(())
    }

    fn place(&mut self, outcome: Outcome<H>) {
        match outcome {
            Outcome::Listed(listed) => match self.positions.entry(listed.key().clone()) {
                // The last one wins, at the place of the first.
                hash_map::Entry::Occupied(position) => {
                    if let Some(item) = self.items.get_mut(*position.get()) {
                        *item = Some(listed);
                    }
                }
                hash_map::Entry::Vacant(position) => {
                    position.insert(self.items.len());
                    self.items.push(Some(listed));
                }
            },
            Outcome::Gone(key) => {
                let position = self.positions.remove(&key);
                if let Some(item) = position.and_then(|index| self.items.get_mut(index)) {
                    *item = None;
                }
            }
        }
    }
}

fn decode<H>(intake: &dyn MakeEntry<H>, versions: Versions, incoming: Incoming<H>) -> Outcome<H> {
    match incoming {
        Incoming::Known(entry) => Outcome::Listed(Listed::Unchanged(entry)),
        Incoming::Gone(key) => Outcome::Gone(key),
        Incoming::Raw(raw) => Outcome::Listed(match (intake.make_entry(&raw), versions) {
            (Ok(entry), Versions::Comparable) => Listed::Changed(entry),
            (Ok(entry), Versions::Restarted) => Listed::Restored(entry),
            (Err(undecodable), _) => Listed::Undecodable(undecodable),
        }),
    }
}

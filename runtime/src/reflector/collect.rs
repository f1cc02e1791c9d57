//! Collects a list. Unchanged objects keep their entries; the others are decoded on all cores.

use std::collections::HashMap;
use std::collections::hash_map;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesOrdered;
use tokio::task::JoinError;
use tokio_util::task::TaskTracker;

use super::decoding::{self, DECODING, Decoding};
use super::intake::MakeEntry;
use crate::base::cores::cores;
use crate::delta_fifo::Listed;
use crate::indexer::State;
use crate::object::ObjectKey;
use crate::status::SourceError;
use crate::storage::Entry;
use crate::wire::RawObject;

/// Number of objects that one task decodes. Smaller chunks cost more overhead than they save.
const CHUNK: usize = 128;

/// Collects the objects of one list, or of the initial events of one watch.
///
/// Holds the existing entries of unchanged objects, and at most one chunk of undecoded objects per
/// core.
pub(super) struct Collector {
    make: Arc<dyn MakeEntry>,
    /// Content of the store when the list began.
    store: Arc<State>,
    versions: Versions,
    tasks: TaskTracker,
    chunk: Vec<Incoming>,
    decoding: FuturesOrdered<Decoding<Listed>>,
    items: Vec<Option<Listed>>,
    /// Randomly seeded, because untrusted users may choose the keys.
    positions: HashMap<ObjectKey, usize, foldhash::quality::RandomState>,
    counts: Counts,
    needs_json: bool,
}

/// Meaning of a list's resourceVersions for objects in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Versions {
    /// A stored object with the same uid and version is unchanged, and is not decoded again.
    Comparable,
    /// The server went back, so every listed object counts as changed.
    Restarted,
}

/// Numbers of collected objects and bytes.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) unchanged: u64,
    pub(super) decoded: u64,
    pub(super) bytes: u64,
}

/// Object of the list: undecoded, or known from the store.
enum Incoming {
    Raw(RawObject),
    Known(Arc<Entry>),
}

// === impl Incoming ===

impl Incoming {
    fn raw(&self) -> Option<&RawObject> {
        match self {
            Self::Raw(raw) => Some(raw),
            Self::Known(_) => None,
        }
    }
}

// === impl Collector ===

impl Collector {
    /// Creates a collector that decodes in `tasks`, which the caller joins.
    pub(super) fn new(
        make: Arc<dyn MakeEntry>,
        store: Arc<State>,
        versions: Versions,
        tasks: TaskTracker,
    ) -> Self {
        let expected = store.keys().len();
        let hasher = foldhash::quality::RandomState::default();
        Self {
            make,
            store,
            versions,
            tasks,
            chunk: Vec::new(),
            decoding: FuturesOrdered::new(),
            items: Vec::with_capacity(expected),
            positions: HashMap::with_capacity_and_hasher(expected, hasher),
            counts: Counts::default(),
            needs_json: false,
        }
    }

    pub(super) fn versions(&self) -> Versions {
        self.versions
    }

    /// Returns `true` if an object did not decode that may decode as JSON.
    pub(super) fn needs_json(&self) -> bool {
        self.needs_json
    }

    /// Adds an object. Waits while all cores are busy, which delays reading from the socket.
    pub(super) async fn insert(&mut self, raw: RawObject) -> Result<(), SourceError> {
        if !self.make.keeps(raw.key()) {
            return Ok(());
        }
        self.counts.bytes += raw.bytes().len() as u64;
        let header = raw.header();
        let stored = self.store.get(&header.key).filter(|entry| {
            // If a later version did not decode, the stored object is older than its key's latest
            // version.
            self.versions == Versions::Comparable
                && self.store.undecodable(&header.key).is_none()
                && !header.resource_version.is_unset()
                && entry.resource_version == header.resource_version
                && entry.uid == header.uid
        });
        let incoming = if let Some(entry) = stored {
            self.counts.unchanged += 1;
            Incoming::Known(entry.clone())
        } else {
            self.counts.decoded += 1;
            Incoming::Raw(raw)
        };
        self.push(incoming).await
    }

    /// Removes an object that was deleted during the initial events.
    pub(super) async fn remove(&mut self, key: &ObjectKey) -> Result<(), SourceError> {
        // Places all earlier objects first.
        self.decode_all().await?;
        let position = self.positions.remove(key);
        if let Some(item) = position.and_then(|index| self.items.get_mut(index)) {
            *item = None;
        }
        Ok(())
    }

    /// Returns the collected objects in the order of arrival, each key once.
    pub(super) async fn finish(mut self) -> Result<(Vec<Listed>, Counts), SourceError> {
        self.decode_all().await?;
        Ok((self.items.into_iter().flatten().collect(), self.counts))
    }

    /// Waits for decoding tasks, and decodes the rest in place.
    async fn decode_all(&mut self) -> Result<(), SourceError> {
        while let Some(decoded) = self.decoding.next().await {
            self.fold(decoded)?;
        }
        let chunk = std::mem::take(&mut self.chunk);
        for listed in decode(&*self.make, self.versions, chunk) {
            self.place(listed);
        }
        Ok(())
    }

    async fn push(&mut self, incoming: Incoming) -> Result<(), SourceError> {
        // Most objects of a relist are unchanged. If no undecoded object waits before such an
        // object, it needs no task.
        let is_first = self.chunk.is_empty() && self.decoding.is_empty();
        if is_first && let Incoming::Known(entry) = incoming {
            self.place(Listed::Unchanged(entry));
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
            if let Some(decoded) = self.decoding.next().await {
                self.fold(decoded)?;
            }
        }
        let chunk = std::mem::take(&mut self.chunk);
        let (make, versions) = (Arc::clone(&self.make), self.versions);
        let decode = move |chunk| decode(&*make, versions, chunk);
        self.decoding
            .push_back(decoding::spawn(&self.tasks, chunk, Incoming::raw, decode));
        Ok(())
    }

    fn fold(&mut self, decoded: Result<Vec<Listed>, JoinError>) -> Result<(), SourceError> {
        let decoded = decoded.map_err(|_| SourceError::Panicked(DECODING))?;
        for listed in decoded {
            self.place(listed);
        }
        Ok(())
    }

    fn place(&mut self, listed: Listed) {
        if let Listed::Undecodable(undecodable) = &listed {
            self.needs_json |= undecodable.error.needs_json();
        }
        match self.positions.entry(listed.key().clone()) {
            // The last object of a key replaces the first, at the place of the first.
            hash_map::Entry::Occupied(position) => {
                if let Some(item) = self.items.get_mut(*position.get()) {
                    *item = Some(listed);
                }
            }
            hash_map::Entry::Vacant(position) => {
                position.insert(self.items.len());
                self.items.push(Some(listed));
            }
        }
    }
}

/// Decodes objects, and allocates their entries together.
fn decode(make: &dyn MakeEntry, versions: Versions, chunk: Vec<Incoming>) -> Vec<Listed> {
    let decoded = chunk.into_iter().map(|incoming| match incoming {
        Incoming::Known(entry) => Err(entry),
        Incoming::Raw(raw) => Ok(make.make(&raw)),
    });
    let decoded: Vec<_> = decoded.collect();
    let listed = decoded
        .into_iter()
        .map(|decoded| match (decoded, versions) {
            (Err(known), _) => Listed::Unchanged(known),
            (Ok(Ok(entry)), Versions::Comparable) => Listed::Changed(Arc::new(entry)),
            (Ok(Ok(entry)), Versions::Restarted) => Listed::Restored(Arc::new(entry)),
            (Ok(Err(undecodable)), _) => Listed::Undecodable(undecodable),
        });
    listed.collect()
}

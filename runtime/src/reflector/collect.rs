//! Collects a list. Unchanged objects keep their entries; the others are decoded on all cores.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hashbrown::{HashTable, hash_table};
use tokio::task::JoinError;
use tokio_util::task::TaskTracker;

use super::decoding::{DECODING, Decoder, Item};
use super::entry_maker::{EntryMaker, Made};
use super::room::Share;
use crate::delta_fifo::Listed;
use crate::indexer::{State, Store};
use crate::object::{KeyLookup as _, ObjectKey};
use crate::status::{Metrics, SourceError};
use crate::storage::Entry;
use crate::wire::RawObject;

/// Collects the objects of one list, or of the initial events of one watch.
///
/// Holds the existing entries of unchanged objects, and at most one chunk of undecoded objects per
/// core.
pub(super) struct Collector {
    objects: Decoder<Incoming>,
    /// Room that the undecoded objects in `objects` take, except those in tasks.
    share: Share,
    /// Content of the store when the list began.
    known: Arc<State>,
    versions: Versions,
    items: Vec<Option<Listed>>,
    /// Positions in `items` by the hash of their keys, without the keys: they are as large as a list
    /// is long, and what the allocator keeps of them is not used again.
    positions: HashTable<usize>,
    counts: Counts,
    listed: ListedBytes,
    needs_json: bool,
}

/// Size of the new objects, which the informer counts while they are collected.
struct ListedBytes {
    make: Arc<EntryMaker>,
    bytes: usize,
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

impl Counts {
    /// Adds the numbers to those of the informer.
    pub(super) fn record(self, metrics: &Metrics) {
        metrics.unchanged_objects.add(self.unchanged);
        metrics.decoded_objects.add(self.decoded);
        metrics.object_bytes.add(self.bytes);
    }
}

/// Object of the list: undecoded, or known from the store.
enum Incoming {
    Raw(RawObject, Versions),
    Known(Arc<Entry>),
}

// === impl Incoming ===

impl Item for Incoming {
    type Decoded = Option<Listed>;

    fn raw(&self) -> Option<&RawObject> {
        match self {
            Self::Raw(raw, _) => Some(raw),
            Self::Known(_) => None,
        }
    }

    fn decoded(self, made: Option<Made>) -> Option<Listed> {
        Some(match self {
            Self::Known(entry) => Listed::Unchanged(entry.into()),
            Self::Raw(_, versions) => match (made?, versions) {
                (Made::Kept(entry), Versions::Comparable) => Listed::Changed(entry),
                (Made::Kept(entry), Versions::Restarted) => Listed::Restored(entry),
                (Made::Filtered(entry), _) => Listed::Filtered(entry),
                (Made::Undecodable(undecodable), _) => Listed::Undecodable(Box::new(undecodable)),
            },
        })
    }
}

// === impl Collector ===

impl Collector {
    /// Creates a collector of about `expected` objects that decodes in `tasks`, which the caller
    /// joins. Its undecoded objects take room of `share`.
    pub(super) fn new(
        make: Arc<EntryMaker>,
        share: Share,
        expected: usize,
        store: &Store,
        versions: Versions,
        tasks: TaskTracker,
    ) -> Self {
        Self {
            listed: ListedBytes {
                make: Arc::clone(&make),
                bytes: 0,
            },
            objects: Decoder::new(make, tasks),
            share,
            known: store.state(),
            versions,
            items: Vec::with_capacity(expected),
            positions: HashTable::with_capacity(expected),
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

    /// Adds an object. Waits while all cores are busy, or while there is no room for the object,
    /// which delays reading from the socket.
    pub(super) async fn insert(&mut self, raw: RawObject) -> Result<(), SourceError> {
        if !self.objects.covers(&raw) {
            return Ok(());
        }
        self.counts.bytes += raw.bytes().len() as u64;
        let header = raw.header();
        let stored = self.known.get(&header.key).filter(|entry| {
            // If a later version did not decode, the stored object is older than its key's latest
            // version.
            self.versions == Versions::Comparable
                && self.known.undecodable(&header.key).is_none()
                && !header.resource_version.is_unset()
                && entry.resource_version == header.resource_version
                && entry.uid == header.uid
                && !self.known.lacks(&header.key)
        });
        let incoming = if let Some(entry) = stored {
            self.counts.unchanged += 1;
            Incoming::Known(Arc::clone(entry))
        } else {
            self.counts.decoded += 1;
            self.make_room(raw.bytes().len()).await?;
            Incoming::Raw(raw, self.versions)
        };
        self.push(incoming).await
    }

    /// Waits for room for an object. Holds none in the meantime.
    async fn make_room(&mut self, bytes: usize) -> Result<(), SourceError> {
        if !self.share.try_add(bytes) {
            self.hand_on().await?;
            self.share.add(bytes).await;
        }
        Ok(())
    }

    /// Returns `true` if other lists need the room of the objects that wait to be decoded.
    pub(super) fn is_wanted(&self) -> bool {
        self.share.is_wanted()
    }

    /// Decodes the waiting objects in a task. Waits while all cores are busy.
    pub(super) async fn hand_on(&mut self) -> Result<(), SourceError> {
        while self.objects.is_busy() {
            if let Some(decoded) = self.objects.next().await {
                self.fold(decoded)?;
            }
        }
        if self.objects.waiting() > 0 {
            let share = self.share.take();
            self.objects.spawn(None, Some(share));
        }
        Ok(())
    }

    /// Removes an object that was deleted during the initial events.
    pub(super) async fn remove(&mut self, key: &ObjectKey) -> Result<(), SourceError> {
        // Places all earlier objects first.
        self.decode_all().await?;
        self.forget(key);
        Ok(())
    }

    fn forget(&mut self, key: &ObjectKey) {
        if let hash_table::Entry::Occupied(position) = self.position(key)
            && let (position, _) = position.remove()
            && let Some(item) = self.items.get_mut(position)
        {
            *item = None;
        }
    }

    /// Returns the collected objects in the order of arrival, each key once.
    pub(super) async fn finish(mut self) -> Result<(Vec<Listed>, Counts), SourceError> {
        self.decode_all().await?;
        #[expect(clippy::filter_map_identity, reason = "collects in place")]
        let items = self.items.into_iter().filter_map(|item| item).collect();
        Ok((items, self.counts))
    }

    /// Waits for decoding tasks, and decodes the rest in place.
    async fn decode_all(&mut self) -> Result<(), SourceError> {
        while let Some(decoded) = self.objects.next().await {
            self.fold(decoded)?;
        }
        let rest = self.objects.decode_in_place();
        drop(self.share.take());
        self.fold(Ok(rest))
    }

    async fn push(&mut self, incoming: Incoming) -> Result<(), SourceError> {
        // Most objects of a relist are unchanged. If no undecoded object waits before such an
        // object, it needs no task.
        let is_first = self.objects.waiting() == 0 && !self.objects.is_decoding();
        if is_first && let Incoming::Known(entry) = incoming {
            self.place(Listed::Unchanged(entry.into()));
            return Ok(());
        }
        if self.objects.push(incoming) {
            self.hand_on().await?;
        }
        Ok(())
    }

    fn fold(&mut self, decoded: Result<Vec<Option<Listed>>, JoinError>) -> Result<(), SourceError> {
        let decoded = decoded.map_err(|_| SourceError::Panicked(DECODING))?;
        let before = self.listed.bytes;
        for listed in decoded.into_iter().flatten() {
            if let Listed::Filtered(left_out) = &listed
                && self.known.get(&left_out.key).is_none()
            {
                self.forget(&left_out.key);
                continue;
            }
            self.listed.bytes += listed.bytes();
            self.place(listed);
        }
        let added = self.listed.bytes - before;
        self.listed.make.listed.fetch_add(added, Ordering::Relaxed);
        Ok(())
    }

    fn place(&mut self, listed: Listed) {
        if let Listed::Undecodable(undecodable) = &listed {
            self.needs_json |= undecodable.error.needs_json();
        }
        let end = self.items.len();
        let position = *self.position(listed.key()).or_insert(end).get();
        match self.items.get_mut(position) {
            // The last object of a key replaces the first, at the place of the first.
            Some(item) => *item = Some(listed),
            None => self.items.push(Some(listed)),
        }
    }

    /// Returns the place in `positions` of a key.
    fn position(&mut self, key: &ObjectKey) -> hash_table::Entry<'_, usize> {
        // The table reads the first and the last bits.
        let hash = |key: &ObjectKey| u64::from(key.key_hash()) * 0x1_0000_0001;
        let key_at = |at: &usize| self.items.get(*at)?.as_ref().map(Listed::key);
        let is_key = |at: &usize| key_at(at) == Some(key);
        let hash_at = |at: &usize| key_at(at).map_or(0, hash);
        self.positions.entry(hash(key), is_key, hash_at)
    }
}

impl Drop for ListedBytes {
    fn drop(&mut self) {
        self.make.listed.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Returns the failure of a list that ended early.
pub(super) fn without_metadata() -> SourceError {
    SourceError::Malformed("the list ended without its metadata".to_owned())
}

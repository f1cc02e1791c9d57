//! The event log: the changes of every resource, in order, within a bounded window.
//!
//! A watcher holds a position (a revision) and reads from the log, so a slow watcher has no queue.
//! When the window has passed its position, the watcher receives [`LogRead::Expired`].
//!
//! # Invariants
//!
//! 1. Revisions increase strictly over all resources; each belongs to one event.
//! 2. `order` holds one entry per event in the window, the oldest first, and is not longer than
//!    `capacity`.
//! 3. An event at or below `compacted` is in no queue.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::key::ResourceId;
use super::object::Stored;

/// Maximum size of the objects in all events; older events are dropped, whatever their number.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Modified,
    Deleted,
}

/// Key of a view of an event: the head of its documents, and whether they are encoded as protobuf.
pub(crate) type ViewKey = (Bytes, bool);

/// One entry of the log.
#[derive(Debug)]
pub(crate) struct LoggedEvent {
    pub(crate) revision: u64,
    pub(crate) change: Change,
    /// The new version; for a deletion, the last content under the deletion's revision.
    pub(crate) object: Arc<Stored>,
    /// The previous version, if the object existed.
    pub(crate) previous: Option<Arc<Stored>>,
    /// `previous` under this event's revision, for selectors that the object no longer matches.
    left: OnceLock<Arc<Stored>>,
    /// Encoded lines, one for each combination of change, version and encoding that a watcher has
    /// requested. Their number does not depend on the number of watchers.
    lines: Mutex<Vec<(Change, ViewKey, Bytes)>>,
}

/// Result of a read.
#[derive(Debug)]
pub(crate) enum LogRead {
    /// Events after the position, oldest first; empty if there are none yet.
    Events(Vec<Arc<LoggedEvent>>),
    /// The window has passed the position.
    Expired,
    /// The resource is no longer served, and the reader has read all of its events.
    Ended,
}

/// The bounded history of all resources.
#[derive(Debug)]
pub(crate) struct EventLog {
    capacity: usize,
    /// Size of the objects in all events.
    bytes: usize,
    compacted: u64,
    /// The oldest revision that watches may start from; only lists read older events.
    watchable: u64,
    order: VecDeque<(u64, ResourceId)>,
    resources: HashMap<ResourceId, ResourceLog>,
}

#[derive(Debug)]
struct ResourceLog {
    events: VecDeque<Arc<LoggedEvent>>,
    /// Revision of the newest event that left the window.
    dropped: u64,
    ended: bool,
    changed: watch::Sender<()>,
}

// === impl LoggedEvent ===

impl LoggedEvent {
    pub(crate) fn new(
        change: Change,
        object: Arc<Stored>,
        previous: Option<Arc<Stored>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            revision: object.revision,
            change,
            object,
            previous,
            left: OnceLock::new(),
            lines: Mutex::default(),
        })
    }

    /// Returns the line for a watcher that sees the event as `change`: unchanged, or because the
    /// object has entered or left its selector. All watchers with an equal `key` share one
    /// encoding.
    pub(crate) fn line(
        &self,
        change: Change,
        key: Option<ViewKey>,
        encode: impl FnOnce(&Stored) -> Bytes,
    ) -> Bytes {
        let Some(key) = key else {
            return encode(self.shown_as(change));
        };
        // Held while encoding: other watchers need the same line.
        let mut lines = self.lines.lock();
        let known = lines
            .iter()
            .find(|(known, seen_by, _)| *known == change && *seen_by == key);
        if let Some((_, _, line)) = known {
            return line.clone();
        }
        let line = encode(self.shown_as(change));
        lines.push((change, key, line.clone()));
        line
    }

    /// Returns the object as `change` shows it. An object that has left a selector is shown with
    /// its previous content, which the selector matched, under this event's revision.
    fn shown_as(&self, change: Change) -> &Stored {
        if change != Change::Deleted || self.change == Change::Deleted {
            return &self.object;
        }
        self.left.get_or_init(|| match &self.previous {
            Some(previous) => Arc::new(previous.at(self.revision)),
            None => Arc::clone(&self.object),
        })
    }
}

// === impl EventLog ===

impl EventLog {
    /// Creates an empty log for at most `capacity` events.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            bytes: 0,
            compacted: 0,
            watchable: 0,
            order: VecDeque::new(),
            resources: HashMap::new(),
        }
    }

    /// Starts the history of a resource.
    pub(crate) fn open(&mut self, resource: ResourceId) {
        self.resources
            .entry(resource)
            .or_insert_with(|| ResourceLog {
                events: VecDeque::new(),
                dropped: 0,
                ended: false,
                changed: watch::Sender::new(()),
            });
    }

    /// Ends the history of a resource: its watchers read the remaining events, then end.
    pub(crate) fn end(&mut self, resource: ResourceId) {
        if let Some(log) = self.resources.get_mut(&resource) {
            log.ended = true;
            log.changed.send_replace(());
        }
    }

    pub(crate) fn append(&mut self, resource: ResourceId, event: Arc<LoggedEvent>) {
        let Some(log) = self.resources.get_mut(&resource) else {
            return;
        };
        self.order.push_back((event.revision, resource));
        self.bytes += event.object.size();
        log.events.push_back(event);
        log.changed.send_replace(());
        while self.order.len() > self.capacity || self.bytes > MAX_BYTES {
            self.drop_oldest();
        }
    }

    /// Discards every event.
    pub(crate) fn compact(&mut self) {
        while !self.order.is_empty() {
            self.drop_oldest();
        }
    }

    /// Rejects watches from before `revision`, like a watch cache that was filled at that revision.
    pub(crate) fn fill_watch_cache(&mut self, revision: u64) {
        self.watchable = revision;
    }

    /// Returns the oldest revision that a watch can start from.
    pub(crate) fn watchable(&self) -> u64 {
        self.watchable.max(self.compacted)
    }

    /// Discards the events after `revision`.
    pub(crate) fn rewind(&mut self, revision: u64) {
        self.watchable = self.watchable.min(revision);
        while let Some((newest, resource)) = self.order.back().copied()
            && newest > revision
        {
            self.order.pop_back();
            if let Some(log) = self.resources.get_mut(&resource) {
                let event = log.events.pop_back();
                self.bytes -= event.map_or(0, |event| event.object.size());
                log.changed.send_replace(());
            }
        }
    }

    fn drop_oldest(&mut self) {
        let Some((revision, resource)) = self.order.pop_front() else {
            return;
        };
        self.compacted = revision;
        if let Some(log) = self.resources.get_mut(&resource) {
            let event = log.events.pop_front();
            self.bytes -= event.map_or(0, |event| event.object.size());
            log.dropped = revision;
            if log.ended && log.events.is_empty() {
                self.resources.remove(&resource);
            }
        }
    }

    /// Returns the newest revision outside of the window, which is the oldest one to resume from.
    pub(crate) fn compacted(&self) -> u64 {
        self.compacted
    }

    /// Returns up to `max` events of `resource` after `position`.
    pub(crate) fn read(&self, resource: ResourceId, position: u64, max: usize) -> LogRead {
        let Some(log) = self.resources.get(&resource) else {
            return LogRead::Ended;
        };
        if position < log.dropped {
            return LogRead::Expired;
        }
        let events: Vec<_> = self.after(resource, position).take(max).cloned().collect();
        if events.is_empty() && log.ended {
            return LogRead::Ended;
        }
        LogRead::Events(events)
    }

    /// Returns the events of `resource` after `position` that are in the window, oldest first.
    pub(crate) fn after(
        &self,
        resource: ResourceId,
        position: u64,
    ) -> impl DoubleEndedIterator<Item = &Arc<LoggedEvent>> {
        self.resources
            .get(&resource)
            .map(|log| {
                let start = log.events.partition_point(|e| e.revision <= position);
                log.events.range(start..)
            })
            .into_iter()
            .flatten()
    }

    /// Returns a receiver that wakes at every event of `resource`; `None` if the resource has no
    /// history.
    pub(crate) fn subscribe(&self, resource: ResourceId) -> Option<watch::Receiver<()>> {
        Some(self.resources.get(&resource)?.changed.subscribe())
    }
}

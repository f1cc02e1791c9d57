//! [`Series`]: what is known of the last minutes. Pure: time is an argument.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use informer_runtime::ResourceVersion;
use tokio::time::Instant;

/// Time of one point.
pub(crate) const POINT: Duration = Duration::from_secs(5);
/// Number of points: ten minutes.
pub(crate) const POINTS: usize = 120;
/// Number of remembered versions of a store: an hour, at one per point.
const VERSIONS: usize = 720;

/// Measurements of all informers, by name.
#[derive(Debug, Default)]
pub(crate) struct Series(HashMap<String, Known>);

/// Measurements of one informer.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Number of events.
    total: Option<u64>,
    pub(crate) events: Rate,
    /// Number of watches, and the time at which the last one was seen first.
    watches: Option<(u64, Instant)>,
    /// Versions that a store had, each with the time at which it was seen first.
    versions: VecDeque<(Instant, ResourceVersion)>,
}

/// Numbers of what happened in each of the last points, the last one last.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    since: Option<Instant>,
    pub(crate) points: VecDeque<u64>,
}

/// Time at which an object changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangedAt {
    /// Before the first remembered version of the store.
    Before(Instant),
    /// After the first and until the second time.
    Between(Instant, Instant),
    /// The versions cannot be compared.
    Unknown,
}

// === impl Series ===

impl Series {
    pub(crate) fn of(&mut self, name: &str) -> &mut Known {
        self.0.entry(name.to_owned()).or_default()
    }

    /// Forgets all others.
    pub(crate) fn keep(&mut self, names: &[String]) {
        self.0.retain(|name, _| names.contains(name));
    }
}

// === impl Known ===

impl Known {
    /// Records the numbers of events, and of watches, of which the last one may run, and the version
    /// of the store.
    pub(crate) fn record(
        &mut self,
        events: u64,
        opened: u64,
        version: ResourceVersion,
        now: Instant,
    ) {
        // What was counted before the first record has no time.
        let before = self.total.replace(events).unwrap_or(events);
        self.events.add(events.saturating_sub(before), now);
        if self.watches.is_none_or(|(known, _)| known != opened) {
            self.watches = Some((opened, now));
        }
        let is_known = self
            .versions
            .back()
            .is_some_and(|(_, last)| *last == version);
        if !is_known && !version.is_unset() {
            push(&mut self.versions, VERSIONS, (now, version));
        }
    }

    /// Returns the time since which the last watch runs; at most the time since the first record.
    pub(crate) fn watch_began(&self) -> Option<Instant> {
        let (opened, began) = self.watches?;
        (opened > 0).then_some(began)
    }

    /// Finds out when an object of this version changed, from the versions of its store.
    pub(crate) fn changed(&self, version: &ResourceVersion) -> ChangedAt {
        let mut previous = None;
        for (seen, reached) in &self.versions {
            match (reached.compare(version), previous) {
                (None, _) => return ChangedAt::Unknown,
                (Some(Ordering::Less), _) => previous = Some(*seen),
                (Some(_), None) => return ChangedAt::Before(*seen),
                (Some(_), Some(previous)) => return ChangedAt::Between(previous, *seen),
            }
        }
        ChangedAt::Unknown
    }
}

// === impl Rate ===

impl Rate {
    pub(crate) fn add(&mut self, count: u64, now: Instant) {
        let since = self.since.get_or_insert(now);
        while now.saturating_duration_since(*since) >= POINT {
            *since += POINT;
            push(&mut self.points, POINTS, 0);
        }
        match self.points.back_mut() {
            Some(last) => *last += count,
            None => self.points.push_back(count),
        }
    }
}

/// Adds a value, in the place of the oldest one of `most`.
fn push<T>(queue: &mut VecDeque<T>, most: usize, value: T) {
    if queue.len() >= most {
        queue.pop_front();
    }
    queue.push_back(value);
}

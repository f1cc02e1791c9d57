//! [`Series`]: what is known of the last minutes. Pure: time is an argument.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use informer_controller::ResourceVersion;
use tokio::time::Instant;

/// Time of one point.
pub(crate) const POINT: Duration = Duration::from_secs(5);
/// Number of points: ten minutes.
pub(crate) const POINTS: usize = 120;
/// Number of remembered versions of a store: an hour, at one per point.
const VERSIONS: usize = 720;

/// Measurements of all informers and controllers, by name.
#[derive(Debug, Default)]
pub(crate) struct Series(HashMap<String, Known>);

/// Measurements of one informer or controller.
#[derive(Debug, Default)]
struct Known {
    rate: Rate,
    /// Number of watches, and the time at which the last one was seen first.
    watches: Option<(u64, Instant)>,
    /// Versions that a store had, each with the time at which it was seen first.
    versions: VecDeque<(Instant, ResourceVersion)>,
}

/// Increase of a counter in each point, the last one last.
#[derive(Debug, Default)]
struct Rate {
    last: u64,
    since: Option<Instant>,
    points: VecDeque<u64>,
}

/// Time at which an object changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    /// Before the first remembered version of the store.
    Before(Instant),
    /// After the first and until the second time.
    Between(Instant, Instant),
    /// The versions cannot be compared.
    Unknown,
}

// === impl Series ===

impl Series {
    /// Records a counter.
    pub(crate) fn count(&mut self, name: &str, total: u64, now: Instant) {
        self.of(name).rate.count(total, now);
    }

    /// Returns the increases of a counter, the last one last.
    pub(crate) fn points(&self, name: &str) -> Vec<u64> {
        let known = self.0.get(name).into_iter();
        let points = known.flat_map(|known| &known.rate.points);
        points.copied().collect()
    }

    /// Records the number of watches that an informer has opened, of which the last one may run.
    pub(crate) fn watches(&mut self, name: &str, opened: u64, now: Instant) {
        let watches = &mut self.of(name).watches;
        if watches.is_none_or(|(known, _)| known != opened) {
            *watches = Some((opened, now));
        }
    }

    /// Returns the time since which the last watch runs; at most the time since the first record.
    pub(crate) fn watch_began(&self, name: &str) -> Option<Instant> {
        let (opened, began) = self.0.get(name)?.watches?;
        (opened > 0).then_some(began)
    }

    /// Records the version of a store.
    pub(crate) fn version(&mut self, name: &str, version: ResourceVersion, now: Instant) {
        let known = &mut self.of(name).versions;
        if known.back().is_some_and(|(_, last)| *last == version) || version.is_unset() {
            return;
        }
        if known.len() >= VERSIONS {
            known.pop_front();
        }
        known.push_back((now, version));
    }

    /// Finds out when an object of this version changed, from the versions of its store.
    pub(crate) fn changed(&self, name: &str, version: &ResourceVersion) -> Changed {
        let (known, mut previous) = (self.0.get(name).into_iter(), None);
        for (seen, reached) in known.flat_map(|known| &known.versions) {
            match (reached.compare(version), previous) {
                (None, _) => return Changed::Unknown,
                (Some(Ordering::Less), _) => previous = Some(*seen),
                (Some(_), None) => return Changed::Before(*seen),
                (Some(_), Some(previous)) => return Changed::Between(previous, *seen),
            }
        }
        Changed::Unknown
    }

    /// Forgets all others.
    pub(crate) fn keep(&mut self, names: &[String]) {
        self.0.retain(|name, _| names.contains(name));
    }

    fn of(&mut self, name: &str) -> &mut Known {
        self.0.entry(name.to_owned()).or_default()
    }
}

// === impl Rate ===

impl Rate {
    fn count(&mut self, total: u64, now: Instant) {
        let added = total.saturating_sub(std::mem::replace(&mut self.last, total));
        let Some(since) = self.since else {
            // What was counted before has no time.
            self.since = Some(now);
            self.points.push_back(0);
            return;
        };
        let passed = now.saturating_duration_since(since).as_millis() / POINT.as_millis();
        let passed = u32::try_from(passed).unwrap_or(u32::MAX);
        for _ in 0..passed.min(u32::try_from(POINTS).unwrap_or(u32::MAX)) {
            self.points.push_back(0);
        }
        self.since = since.checked_add(POINT.saturating_mul(passed));
        while self.points.len() > POINTS {
            self.points.pop_front();
        }
        if let Some(last) = self.points.back_mut() {
            *last += added;
        }
    }
}

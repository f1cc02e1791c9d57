//! [`Plan`]: decides which watches a cache of referenced objects needs. Pure.
//!
//! ```text
//!   name ──► single watch ──────────────────────┐
//!   many names of a namespace ──► namespace watch ──► owner of the name: the cache shows its state
//! ```
//!
//! # Invariants
//!
//! 1. A name has at most one owner. Its owner changes only to a watch that has synced, and that is
//!    not behind the previous owner. So a switch loses no change and repeats none.
//! 2. A watch stops only when it owns no name and no name waits for it.
//! 3. At most `max_single_watches` single watches exist.
//! 4. At most one watch of a namespace waits to take over its names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use informer_runtime::ObjectKey;
use tokio::time::Instant;

/// Time for which a failure of a namespace watch has to last before the names are watched one by
/// one. A refusal of its first list does so at once.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Time for which a refused namespace watch is not tried again.
pub(super) const REFUSAL_MEMORY: Duration = Duration::from_secs(300);
/// Pause before another attempt to switch to a watch that is behind.
const SWITCH_RETRY: Duration = Duration::from_secs(1);

/// Limits of a cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) max_single_watches: usize,
    /// Number of names of a namespace from which on the namespace is watched as a whole.
    pub(super) promote_at: usize,
    /// Time between the last mention of a name and its release.
    pub(super) grace_period: Duration,
}

/// Number of a watch, unique within its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct WatchId(u64);

/// Objects that a watch follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// One object.
    Single(ObjectKey),
    /// Objects of one namespace, or of a cluster-scoped resource.
    Namespace {
        /// Empty for a cluster-scoped resource.
        namespace: Box<str>,
        names: Arc<BTreeSet<String>>,
    },
}

/// State of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchState {
    /// The first list has not been processed.
    Pending,
    /// The first list has not been processed, and the latest attempt has failed.
    Failing,
    /// The first list has not been processed, and the API server forbids it.
    Refused,
    /// The watch has a complete state.
    Synced,
    /// The watch has a complete state, and the API server now forbids the watch.
    Lapsed,
}

/// The running watches.
pub(super) trait Watches {
    fn state(&self, watch: WatchId) -> WatchState;

    /// Reports whether `next` knows everything about an object that `previous` knows.
    fn is_caught_up(&self, key: &ObjectKey, previous: WatchId, next: WatchId) -> bool;
}

/// Result of a decision.
#[derive(Debug, Default)]
pub(super) struct PlanStep {
    pub(super) start: Vec<(WatchId, Target)>,
    pub(super) stop: Vec<WatchId>,
    /// Names with a new owner, or without their previous owner.
    pub(super) moved: Vec<ObjectKey>,
    /// Time of the next decision.
    pub(super) wake: Option<Instant>,
}

/// Means by which a name is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FollowedBy {
    /// The cache shows the state of this watch.
    Owned(WatchId),
    /// This watch will own the name.
    Awaited(WatchId),
    /// All single watches are in use.
    OverLimit,
    /// The next decision assigns a watch.
    Undecided,
}

/// Names that are mentioned, and the watches that follow them.
#[derive(Debug)]
pub(super) struct Plan {
    limits: Limits,
    names: BTreeMap<ObjectKey, ReferencedName>,
    namespaces: BTreeMap<Box<str>, Namespace>,
    watches: BTreeMap<WatchId, Target>,
    /// Number of the next watch, and of the next name.
    next: u64,
}

#[derive(Debug)]
struct ReferencedName {
    mentions: usize,
    /// Earlier names get a single watch first.
    number: u64,
    /// End of the grace period; set while nothing mentions the name.
    release_at: Option<Instant>,
    owner: Option<WatchId>,
    single: Option<WatchId>,
    is_over_limit: bool,
}

#[derive(Debug, Default)]
struct Namespace {
    /// Latest watch of the namespace. `None` also if an earlier one still owns names.
    latest: Option<WatchId>,
    /// `true` if the API server forbids the first list of the latest watch.
    is_forbidden: bool,
    /// Time since which the latest watch has been failing.
    failing_since: Option<Instant>,
    /// End of the time in which names are watched one by one.
    refused_until: Option<Instant>,
}

/// Numbers of names, by namespace.
#[derive(Default)]
struct Counts {
    /// Names without a namespace watch.
    loose: BTreeMap<Box<str>, usize>,
    /// Names with a namespace watch.
    covered: BTreeMap<Box<str>, usize>,
}

// === impl FollowedBy ===

impl FollowedBy {
    /// Returns the watch that follows the name.
    pub(super) fn watch(self) -> Option<WatchId> {
        match self {
            Self::Owned(watch) | Self::Awaited(watch) => Some(watch),
            Self::OverLimit | Self::Undecided => None,
        }
    }
}

// === impl Plan ===

impl Plan {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            names: BTreeMap::new(),
            namespaces: BTreeMap::new(),
            watches: BTreeMap::new(),
            next: 0,
        }
    }

    /// Counts one more referrer that mentions the name.
    pub(super) fn mention(&mut self, key: ObjectKey) {
        let number = self.number();
        let name = self.names.entry(key).or_insert(ReferencedName {
            mentions: 0,
            number,
            release_at: None,
            owner: None,
            single: None,
            is_over_limit: false,
        });
        name.mentions += 1;
        name.release_at = None;
    }

    /// Counts one referrer less. The last one starts the grace period.
    pub(super) fn unmention(&mut self, key: &ObjectKey, now: Instant) {
        if let Some(name) = self.names.get_mut(key) {
            name.mentions = name.mentions.saturating_sub(1);
            if name.mentions == 0 {
                // A period beyond the clock's range never ends.
                name.release_at = now.checked_add(self.limits.grace_period);
            }
        }
    }

    /// Adapts the watches to the names and to the states of the running watches.
    pub(super) fn decide(&mut self, now: Instant, watches: &impl Watches) -> PlanStep {
        let mut step = PlanStep::default();
        self.release(now, &mut step);
        self.note_failures(now, watches);
        let is_behind = self.hand_over(watches, &mut step);
        self.give_up_namespaces();
        self.promote(&mut step);
        self.stop_unused(&mut step);
        self.start_singles(&mut step);
        let retry = is_behind.then(|| now + SWITCH_RETRY);
        step.wake = self.next_decision().into_iter().chain(retry).min();
        step
    }

    /// Returns the time at which the next grace period, patience or refusal ends.
    fn next_decision(&self) -> Option<Instant> {
        let releases = self.names.values().filter_map(|name| name.release_at);
        let refusals = self.namespaces.values().filter_map(|namespace| {
            let end_of_patience = namespace.failing_since.map(|since| since + PATIENCE);
            namespace.refused_until.or(end_of_patience)
        });
        releases.chain(refusals).min()
    }

    /// Returns the means by which a name is followed; `None` if the name is not followed.
    pub(super) fn place(&self, key: &ObjectKey) -> Option<FollowedBy> {
        let name = self.names.get(key)?;
        if let Some(owner) = name.owner {
            return Some(FollowedBy::Owned(owner));
        }
        if name.is_over_limit {
            return Some(FollowedBy::OverLimit);
        }
        match self.next_owner(key, name) {
            Some(watch) => Some(FollowedBy::Awaited(watch)),
            None => Some(FollowedBy::Undecided),
        }
    }

    /// Returns the places of all names.
    pub(super) fn places(&self) -> impl Iterator<Item = FollowedBy> {
        self.followed().map(|(_, place)| place)
    }

    /// Returns all names with their places.
    pub(super) fn followed(&self) -> impl Iterator<Item = (&ObjectKey, FollowedBy)> {
        let names = self.names.keys();
        names.filter_map(|key| Some((key, self.place(key)?)))
    }

    /// Returns the objects that the running watches follow.
    pub(super) fn targets(&self) -> impl Iterator<Item = &Target> {
        self.watches.values()
    }

    // --- the parts of a decision, in order ---

    /// Forgets the names whose grace period has ended.
    fn release(&mut self, now: Instant, step: &mut PlanStep) {
        self.names.retain(|key, name| {
            let is_due = name.release_at.is_some_and(|end| end <= now);
            if is_due {
                step.moved.push(key.clone());
            }
            !is_due
        });
    }

    fn note_failures(&mut self, now: Instant, watches: &impl Watches) {
        for known in self.namespaces.values_mut() {
            known.refused_until = known.refused_until.filter(|end| *end > now);
            let state = known.latest.map(|latest| watches.state(latest));
            known.is_forbidden = state == Some(WatchState::Refused);
            let is_refused = match state {
                Some(WatchState::Failing | WatchState::Lapsed) => {
                    now >= *known.failing_since.get_or_insert(now) + PATIENCE
                }
                None | Some(WatchState::Pending | WatchState::Synced | WatchState::Refused) => {
                    known.failing_since = None;
                    known.is_forbidden
                }
            };
            if is_refused {
                known.refused_until.get_or_insert(now + REFUSAL_MEMORY);
            } else if state == Some(WatchState::Synced) {
                known.refused_until = None;
            }
        }
    }

    /// Makes synced watches the owners of their names. Returns `true` if a switch has to wait,
    /// because the next owner is behind the present one.
    fn hand_over(&mut self, watches: &impl Watches, step: &mut PlanStep) -> bool {
        let mut is_behind = false;
        let mut moves = Vec::new();
        let is_synced = |watch: &WatchId| watches.state(*watch) == WatchState::Synced;
        for (key, name) in &self.names {
            let next = match name.owner {
                Some(owner) => self.next_owner(key, name).filter(|next| *next != owner),
                // Whichever watch has synced first helps.
                None => self.candidates(key, name).find(is_synced),
            };
            let Some(next) = next.filter(is_synced) else {
                continue;
            };
            let is_caught_up = |owner| watches.is_caught_up(key, owner, next);
            if name.owner.is_none_or(is_caught_up) {
                moves.push((key.clone(), next));
            } else {
                is_behind = true;
            }
        }
        for (key, next) in moves {
            if let Some(name) = self.names.get_mut(&key) {
                name.owner = Some(next);
                step.moved.push(key);
            }
        }
        is_behind
    }

    /// Gives up namespace watches that few names need, if there is room for single watches.
    fn give_up_namespaces(&mut self) {
        let Counts { loose, covered } = self.count();
        let in_use = loose.values().sum();
        let mut room = self.limits.max_single_watches.saturating_sub(in_use);
        for (namespace, count) in covered {
            let is_worthwhile = count >= self.limits.promote_at / 2;
            if is_worthwhile || count > room {
                continue;
            }
            if let Some(known) = self.namespaces.get_mut(&namespace) {
                known.latest = None;
                room -= count;
            }
        }
    }

    /// Starts a namespace watch where many names have none, unless the API server has refused it or
    /// the latest one has not taken over its names yet.
    fn promote(&mut self, step: &mut PlanStep) {
        let mut busy = BTreeSet::new();
        for (key, name) in &self.names {
            let watch = self.namespace_watch(key);
            if watch.is_some() && watch != name.owner {
                busy.insert(namespace_of(key).to_owned());
            }
        }
        for (namespace, count) in self.count().loose {
            let known = self.namespaces.entry(namespace.clone()).or_default();
            if known.refused_until.is_some() || busy.contains(&*namespace) {
                continue;
            }
            if count >= self.limits.promote_at.max(1) {
                self.watch_namespace(namespace, step);
            }
        }
    }

    fn count(&self) -> Counts {
        let mut counts = Counts::default();
        for key in self.names.keys() {
            let of_names = match self.namespace_watch(key) {
                Some(_) => &mut counts.covered,
                None => &mut counts.loose,
            };
            *of_names.entry(namespace_of(key).into()).or_default() += 1;
        }
        counts
    }

    /// Starts a watch of all names of a namespace.
    fn watch_namespace(&mut self, namespace: Box<str>, step: &mut PlanStep) {
        let names = self
            .names
            .keys()
            .filter(|key| namespace_of(key) == &*namespace)
            .map(|key| key.name().to_owned())
            .collect();
        let id = WatchId(self.number());
        if let Some(known) = self.namespaces.get_mut(&namespace) {
            known.latest = Some(id);
        }
        let target = Target::Namespace {
            namespace,
            names: Arc::new(names),
        };
        self.watches.insert(id, target.clone());
        step.start.push((id, target));
    }

    /// Stops the watches that own no name and that no name waits for.
    fn stop_unused(&mut self, step: &mut PlanStep) {
        let mut used = BTreeSet::new();
        for (key, name) in &self.names {
            used.extend(name.owner);
            used.extend(self.next_owner(key, name));
            if name.owner.is_none() {
                used.extend(self.candidates(key, name));
            }
        }
        let unused: Vec<WatchId> = self
            .watches
            .keys()
            .filter(|id| !used.contains(id))
            .copied()
            .collect();
        for id in unused {
            self.remove_watch(id);
            step.stop.push(id);
        }
        self.namespaces
            .retain(|_, known| known.latest.is_some() || known.refused_until.is_some());
    }

    fn remove_watch(&mut self, id: WatchId) {
        match self.watches.remove(&id) {
            Some(Target::Single(key)) => {
                if let Some(name) = self.names.get_mut(&key) {
                    name.single = None;
                }
            }
            Some(Target::Namespace { namespace, .. }) => {
                if let Some(known) = self.namespaces.get_mut(&namespace)
                    && known.latest == Some(id)
                {
                    known.latest = None;
                }
            }
            None => {}
        }
    }

    /// Starts single watches, up to the limit, in the order of the first mentions.
    fn start_singles(&mut self, step: &mut PlanStep) {
        let is_single = |target: &&Target| matches!(target, Target::Single(_));
        let running = self.watches.values().filter(is_single).count();
        let mut room = self.limits.max_single_watches.saturating_sub(running);
        let mut missing: Vec<_> = self
            .names
            .iter()
            .filter(|(key, name)| name.single.is_none() && self.namespace_watch(key).is_none())
            .map(|(key, name)| (name.number, key.clone()))
            .collect();
        missing.sort_unstable();
        for name in self.names.values_mut() {
            name.is_over_limit = false;
        }
        for (_, key) in missing {
            let id = WatchId(self.number());
            let Some(name) = self.names.get_mut(&key) else {
                continue;
            };
            if room == 0 {
                name.is_over_limit = true;
                continue;
            }
            room -= 1;
            name.single = Some(id);
            let target = Target::Single(key);
            self.watches.insert(id, target.clone());
            step.start.push((id, target));
        }
    }

    // --- helpers ---

    /// Returns the namespace watch that should own a name.
    fn namespace_watch(&self, key: &ObjectKey) -> Option<WatchId> {
        let known = self.namespaces.get(namespace_of(key))?;
        if known.refused_until.is_some() {
            return None;
        }
        self.covering(known, key)
    }

    /// Returns the latest watch of a namespace, if it follows this name.
    fn covering(&self, known: &Namespace, key: &ObjectKey) -> Option<WatchId> {
        let id = known.latest?;
        match self.watches.get(&id)? {
            Target::Namespace { names, .. } => names.contains(key.name()).then_some(id),
            Target::Single(_) => None,
        }
    }

    /// Returns the watches that a name without an owner waits for. These include a namespace watch
    /// that fails for other reasons than a refusal: the names may be more than single watches can
    /// follow.
    fn candidates(&self, key: &ObjectKey, name: &ReferencedName) -> impl Iterator<Item = WatchId> {
        self.namespaces
            .get(namespace_of(key))
            .filter(|known| !known.is_forbidden)
            .and_then(|known| self.covering(known, key))
            .into_iter()
            .chain(name.single)
    }

    /// Returns the watch that should own a name, if one runs.
    fn next_owner(&self, key: &ObjectKey, name: &ReferencedName) -> Option<WatchId> {
        self.namespace_watch(key).or(name.single)
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

fn namespace_of(key: &ObjectKey) -> &str {
    key.namespace().unwrap_or_default()
}

#[cfg(test)]
mod tests;

//! [`SharedCache`]: state that the handles of a cache share with its task.
//!
//! The lock guards data and is never held across an `.await`. No user code runs under it, and no
//! informer is created, stopped or dropped under it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use informer_runtime::engine;
use informer_runtime::{
    Deleted, Entry, Event, Object, ObjectKey, ReflectorError, ResourceInfo, ResourceVersion, Scope,
    SharedInformer, Snapshot, SyncError,
};
use tokio::sync::watch;
use tokio::time::Instant;

use super::mentions::Mentions;
use super::plan::{FollowedBy, Limits, Plan, Target, WatchId, WatchState, Watches};
use super::status::ReferencedStatus;
use crate::base::sync::{Mutex, Notify};
use crate::relations::error::is_forbidden;

pub(super) struct SharedCache<T: Object> {
    pub(super) name: Arc<str>,
    pub(super) resource: ResourceInfo,
    pub(super) limits: Limits,
    pub(super) state: Mutex<CacheState<T>>,
    /// Wakes the task, its only waiter, after a change of the state.
    pub(super) changed: Notify,
    /// Marked as changed after each decision of the task, which may change what the cache has to show
    /// without a change of the cache.
    decided: watch::Sender<()>,
    /// Objects of the cache. Its task pushes the deltas.
    pub(super) cache: SharedInformer<T>,
}

pub(super) struct CacheState<T: Object> {
    mentions: Mentions,
    pub(super) plan: Plan,
    /// Running watches.
    pub(super) informers: BTreeMap<WatchId, SharedInformer<T>>,
    /// Objects that changed in a watch since the last step, with their deletion if that was the
    /// last change. At most the objects that the watches hold.
    pub(super) changed: BTreeMap<ObjectKey, Option<Deletion>>,
    /// `true` once all initial referrers are counted.
    pub(super) are_referrers_known: bool,
}

/// Deletion that a watch observed.
pub(super) type Deletion = (WatchId, Deleted<Entry>);

// === impl SharedCache ===

impl<T: Object> SharedCache<T> {
    pub(super) fn new(name: Arc<str>, resource: ResourceInfo, limits: Limits) -> Self {
        Self {
            cache: engine::pushed(&name, resource.clone()),
            name,
            resource,
            limits,
            state: Mutex::new(CacheState {
                mentions: Mentions::default(),
                plan: Plan::new(limits),
                informers: BTreeMap::new(),
                changed: BTreeMap::new(),
                are_referrers_known: false,
            }),
            changed: Notify::new(),
            decided: watch::Sender::new(()),
        }
    }

    /// Returns the key under which the API server knows an object: without a namespace if the
    /// resource has none. `None` if no object can have this key.
    pub(super) fn canonical(&self, key: &ObjectKey) -> Option<ObjectKey> {
        if key.name().is_empty() {
            return None;
        }
        match (self.resource.scope, key.namespace()) {
            (Scope::Cluster, Some(_)) => Some(ObjectKey::cluster(key.name())),
            (Scope::Namespaced, None | Some("")) => None,
            (Scope::Cluster, None) | (Scope::Namespaced, Some(_)) => Some(key.clone()),
        }
    }

    /// Returns the referrers that mention `key`, in order.
    pub(super) fn referrers(&self, key: &ObjectKey) -> Vec<ObjectKey> {
        self.state.lock().mentions.referrers(key)
    }

    /// Replaces the mentions of a referrer.
    pub(super) fn mention(&self, referrer: &ObjectKey, keys: &[ObjectKey]) {
        let canonical = keys.iter().filter_map(|key| self.canonical(key)).collect();
        let mut state = self.state.lock();
        let difference = state.mentions.set(referrer, canonical);
        let now = Instant::now();
        for key in difference.gained {
            state.plan.mention(key);
        }
        for key in &difference.lost {
            state.plan.unmention(key, now);
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Notes that an object has changed in a watch.
    pub(super) fn note(&self, watch: WatchId, event: Event<Entry>) {
        let key = event.key().clone();
        let deletion = match event {
            Event::Deleted(deleted) => Some((watch, deleted)),
            Event::Added(_) | Event::Updated(_) => None,
        };
        let displaced = self.state.lock().changed.insert(key, deletion);
        drop(displaced);
        self.changed.notify_one();
    }

    /// Returns the informers that follow a name that is mentioned.
    pub(super) fn watches(&self) -> Vec<SharedInformer<T>> {
        let state = self.state.lock();
        let watches: BTreeSet<_> = state.plan.places().filter_map(FollowedBy::watch).collect();
        watches
            .iter()
            .filter_map(|id| state.informers.get(id).cloned())
            .collect()
    }

    /// Notes that the task has carried out a decision.
    pub(super) fn note_decision(&self) {
        self.decided.send_replace(());
    }

    /// Waits until the cache shows what its watches show.
    pub(super) async fn catch_up(self: Arc<Self>) -> Result<(), Arc<str>> {
        let mut decided = self.decided.subscribe();
        loop {
            let shared = Arc::clone(&self);
            let is_shown = move |shown: &_| shared.state.lock().is_shown(shown);
            tokio::select! {
                biased;
                () = self.cache.wait_until_stopped() => return Err(Arc::clone(&self.name)),
                _shown = self.cache.indexer().wait_until(is_shown) => return Ok(()),
                // The sender is in `self`.
                _decided = decided.changed() => {}
            }
        }
    }

    pub(super) fn status(&self) -> ReferencedStatus {
        let mut status = ReferencedStatus::default();
        let state = self.state.lock();
        for place in state.plan.places() {
            status.names += 1;
            if place == FollowedBy::OverLimit {
                status.unwatched_names += 1;
            }
        }
        for target in state.plan.targets() {
            match target {
                Target::Single(_) => status.single_watches += 1,
                Target::Namespace { .. } => status.namespace_watches += 1,
            }
        }
        drop(state);
        status.has_synced = self.cache.has_synced();
        status.objects = self.cache.len();
        status
    }
}

// === impl CacheState ===

impl<T: Object> CacheState<T> {
    /// Reports whether a snapshot of the cache has the objects that the watches have, and no others.
    fn is_shown(&self, shown: &Snapshot<T>) -> bool {
        let mut known = 0;
        for (key, place) in self.plan.followed() {
            let watched = place
                .watch()
                .and_then(|id| self.informers.get(&id))
                .map(SharedInformer::snapshot);
            let version = match &watched {
                Some(snapshot) => known_version(snapshot, key),
                None => None,
            };
            if known_version(shown, key) != version {
                return false;
            }
            if shown.entry(key).is_some() {
                known += 1;
            }
        }
        known == shown.len()
    }

    /// Reports whether each name is found, missing, forbidden or over the limit.
    pub(super) fn is_settled(&self) -> bool {
        let is_refused = |watch| self.informers.state(watch) == WatchState::Refused;
        self.plan.places().all(|place| match place {
            FollowedBy::Owned(_) | FollowedBy::OverLimit => true,
            FollowedBy::Awaited(watch) => is_refused(watch),
            FollowedBy::Undecided => false,
        })
    }

    /// Returns a failure that keeps names from being known, if retries are unlikely to cure it.
    /// Names that are forbidden are settled.
    pub(super) fn definite_failure(&self) -> Option<Arc<ReflectorError>> {
        for place in self.plan.places() {
            let FollowedBy::Awaited(watch) = place else {
                continue;
            };
            let Some(informer) = self.informers.get(&watch) else {
                continue;
            };
            let Some(failure) = informer.last_failure(None) else {
                continue;
            };
            match SyncError::definite(&failure) {
                None | Some(SyncError::Forbidden(_)) => {}
                Some(_) => return Some(failure),
            }
        }
        None
    }
}

impl<T: Object> Watches for BTreeMap<WatchId, SharedInformer<T>> {
    fn state(&self, watch: WatchId) -> WatchState {
        let Some(informer) = self.get(&watch) else {
            return WatchState::Pending;
        };
        let last_failure = informer.last_failure(None);
        let has_synced = informer.has_synced();
        match last_failure {
            Some(failure) if is_forbidden(&failure) => {
                if has_synced {
                    WatchState::Lapsed
                } else {
                    WatchState::Refused
                }
            }
            Some(_) | None if has_synced => WatchState::Synced,
            Some(_) => WatchState::Failing,
            None => WatchState::Pending,
        }
    }

    fn is_caught_up(&self, key: &ObjectKey, previous: WatchId, next: WatchId) -> bool {
        let Some(previous) = self.get(&previous) else {
            return true;
        };
        let Some(next) = self.get(&next) else {
            return true;
        };
        let before = previous.snapshot();
        let after = next.snapshot();
        let next_version = after.resource_version();
        match (known_version(&before, key), known_version(&after, key)) {
            (None, None) => true,
            (Some(old), Some(new)) => !new.is_older_than(old),
            (Some(old), None) => !next_version.is_older_than(old),
            // The next watch has not seen the deletion, or it has seen a new object.
            (None, Some(new)) => {
                let deleted_by = before.resource_version();
                deleted_by.is_older_than(new) || !next_version.is_older_than(deleted_by)
            }
        }
    }
}

/// Returns the latest version of an object that a watch knows, decoded or not.
fn known_version<'a, T: Object>(
    snapshot: &'a Snapshot<T>,
    key: &ObjectKey,
) -> Option<&'a ResourceVersion> {
    match snapshot.undecodable(key) {
        Some(object) => Some(&object.resource_version),
        None => Some(&snapshot.entry(key)?.resource_version),
    }
}

//! [`Task`]: starts and stops the watches of a cache as the plan decides, and shows their states.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::stream::{BoxStream, SelectAll, StreamExt as _};
use informer_runtime::delta_fifo::Closed;
use informer_runtime::engine::{self, deadline};
use informer_runtime::{
    Entry, Event, FieldSelector, GenericInformer, HandlerOptions, HandlerRegistration,
    InformerOptions, Object, ObjectKey, SharedInformer, SharedInformerFactory,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::plan::{FollowedBy, PlanStep, Target, WatchId};
use super::publisher::{Owned, Publisher, Shown};
use super::shared::{Deletion, SharedCache};

/// Number of the next informer, of all caches.
static NEXT_INFORMER: AtomicU64 = AtomicU64::new(0);

/// Task of a cache. Dropping the task ends the cache in any state.
pub(super) struct Task<T: Object<DynamicType = ()>> {
    shared: Arc<SharedCache<T>>,
    /// Returns the factory while it exists: the task must not keep the factory alive.
    factory: WeakFactory,
    /// Handler that counts the mentions of the referrers.
    referrers: HandlerRegistration,
    publisher: Publisher,
    /// Changes of the informers' states, and of the objects that did not decode.
    states: SelectAll<BoxStream<'static, ()>>,
    is_listed: bool,
    is_over_limit: bool,
}

type WeakFactory = Box<dyn Fn() -> Option<SharedInformerFactory> + Send + Sync>;

/// End of the task: the factory, the referrers or the cache end.
struct Ended;

// === impl Task ===

impl<T: Object<DynamicType = ()>> Task<T> {
    pub(super) fn new(
        shared: Arc<SharedCache<T>>,
        factory: &SharedInformerFactory,
        referrers: HandlerRegistration,
    ) -> Self {
        Self {
            shared,
            factory: Box::new(factory.weak()),
            referrers,
            publisher: Publisher::default(),
            states: SelectAll::new(),
            is_listed: false,
            is_over_limit: false,
        }
    }

    /// Runs until `cancel`, and then until all tasks of the cache have ended.
    pub(super) async fn run(mut self, cancel: CancellationToken) {
        let shared = Arc::clone(&self.shared);
        run_until(&shared.cache, cancel, self.follow()).await;
        self.referrers.remove().await;
        let informers = self.stop_informers();
        for informer in &informers {
            informer.wait_until_stopped().await;
        }
    }

    /// Follows the referrers and the watches.
    async fn follow(&mut self) -> Result<(), Ended> {
        // One decision over all initial names needs fewer requests than one for each name.
        self.referrers.wait_for_sync().await.map_err(|_| Ended)?;
        self.shared.state.lock().are_referrers_known = true;
        loop {
            let wake = self.step().await?;
            tokio::select! {
                () = self.shared.changed.notified() => {}
                () = deadline(wake) => {}
                Some(()) = self.states.next() => {}
            }
        }
    }

    /// Makes one decision, carries it out, and shows what has changed. Returns the time of the next
    /// decision.
    async fn step(&mut self) -> Result<Option<Instant>, Ended> {
        let (step, mut changed, over_limit) = {
            let mut locked = self.shared.state.lock();
            let state = &mut *locked;
            let step = state.plan.decide(Instant::now(), &state.informers);
            let changed = std::mem::take(&mut state.changed);
            let over_limit = state
                .plan
                .places()
                .filter(|place| *place == FollowedBy::OverLimit)
                .count();
            (step, changed, over_limit)
        };
        self.report_limit(over_limit);
        let wake = step.wake;
        for key in &step.moved {
            changed.entry(key.clone()).or_default();
        }
        self.carry_out(step)?;
        self.add_undecodable(&mut changed);
        self.show(changed).await.map_err(|_| Ended)?;
        self.shared.note_decision();
        if !self.is_listed {
            self.try_list().await.map_err(|_| Ended)?;
        }
        Ok(wake)
    }

    /// Completes the first sync if each name is settled, or reports the failure that prevents it.
    async fn try_list(&mut self) -> Result<(), Closed> {
        let (is_settled, failure) = {
            let state = self.shared.state.lock();
            (state.is_settled(), state.definite_failure())
        };
        engine::attempted(&self.shared.cache, failure);
        if is_settled {
            self.is_listed = true;
            engine::push(&self.shared.cache, self.publisher.list()).await?;
        }
        Ok(())
    }

    /// Adds the objects of which a watch or the cache has a version that did not decode. No event
    /// reports such versions.
    fn add_undecodable(&self, changed: &mut BTreeMap<ObjectKey, Option<Deletion>>) {
        let snapshots: Vec<_> = {
            let informers = &self.shared.state.lock().informers;
            informers.values().map(SharedInformer::snapshot).collect()
        };
        for snapshot in &snapshots {
            for object in snapshot.undecodable_all() {
                changed.entry(object.key.clone()).or_default();
            }
        }
        for key in self.publisher.undecodable() {
            changed.entry(key.clone()).or_default();
        }
    }

    /// Logs when names begin to lack a watch, and when they no longer do.
    fn report_limit(&mut self, names: usize) {
        let cache = &*self.shared.name;
        let limit = self.shared.limits.max_single_watches;
        match (self.is_over_limit, names > 0) {
            (false, true) => warn!(
                cache,
                limit, names, "names are not watched: all single watches are in use"
            ),
            (true, false) => info!(cache, "all names are watched again"),
            (false, false) | (true, true) => {}
        }
        self.is_over_limit = names > 0;
    }

    /// Starts and stops informers.
    fn carry_out(&mut self, step: PlanStep) -> Result<(), Ended> {
        let factory = (self.factory)().ok_or(Ended)?;
        for (id, target) in step.start {
            self.start(&factory, id, &target)?;
        }
        for id in step.stop {
            let stopped = self.shared.state.lock().informers.remove(&id);
            if let Some(informer) = stopped {
                factory.forget(&informer);
                informer.stop();
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        factory: &SharedInformerFactory,
        id: WatchId,
        target: &Target,
    ) -> Result<(), Ended> {
        let informer = factory.informer_with(options(target));
        let weak = Arc::downgrade(&self.shared);
        let note = move |event: Event<Entry>| {
            if let Some(shared) = weak.upgrade() {
                shared.note(id, event);
            }
        };
        // Fails if the factory was shut down. The task then ends as well.
        let _registration = informer
            .add(note, HandlerOptions::default())
            .map_err(|_| Ended)?;
        let states = informer.status_changes().into_stream().map(|_| ());
        self.states.push(states.boxed());
        let followed = informer.clone();
        let ended = async move { followed.wait_until_stopped().await };
        let undecodable = informer.indexer().undecodable_changes();
        self.states.push(undecodable.take_until(ended).boxed());
        self.shared.state.lock().informers.insert(id, informer);
        Ok(())
    }

    /// Shows the owners' states of the changed objects.
    async fn show(&mut self, changed: BTreeMap<ObjectKey, Option<Deletion>>) -> Result<(), Closed> {
        for (key, deletion) in changed {
            let mut shown = Owned::default();
            let mut last = None;
            if let Some((owner, informer)) = self.owner_of(&key) {
                let (entry, undecodable) = engine::entry(&informer, &key);
                shown.good = entry.map(|entry| Shown { owner, entry });
                shown.undecodable = undecodable;
                if let Some((watch, deleted)) = deletion
                    && watch == owner
                {
                    last = Some(deleted);
                }
            }
            for delta in self.publisher.show(&key, shown, last) {
                engine::push(&self.shared.cache, delta).await?;
            }
        }
        Ok(())
    }

    fn owner_of(&self, key: &ObjectKey) -> Option<(WatchId, SharedInformer<T>)> {
        let state = self.shared.state.lock();
        match state.plan.place(key)? {
            FollowedBy::Owned(id) => {
                let informer = state.informers.get(&id)?;
                Some((id, informer.clone()))
            }
            FollowedBy::Awaited(_) | FollowedBy::OverLimit | FollowedBy::Undecided => None,
        }
    }

    /// Stops all informers, and returns them.
    fn stop_informers(&self) -> Vec<SharedInformer<T>> {
        let followed = std::mem::take(&mut self.shared.state.lock().informers);
        let informers: Vec<_> = followed.into_values().collect();
        let factory = (self.factory)();
        for informer in &informers {
            if let Some(factory) = &factory {
                factory.forget(informer);
            }
            informer.stop();
        }
        informers
    }
}

impl<T: Object<DynamicType = ()>> Drop for Task<T> {
    fn drop(&mut self) {
        let _stopped = self.stop_informers();
        self.shared.cache.stop();
    }
}

/// Returns the options of an informer that is like no other: when a watch is replaced, the informers
/// of the old and of the new one may want the same objects, and only the old one is stopped.
fn options<T: Object<DynamicType = ()>>(target: &Target) -> InformerOptions<T> {
    let all = InformerOptions::new();
    let number = NEXT_INFORMER.fetch_add(1, Ordering::Relaxed);
    match target {
        Target::Single(key) => {
            let single = all.field_selector(FieldSelector::of_name(key.name()));
            let names = Arc::new([key.name().to_owned()].into());
            let namespace = key.namespace().unwrap_or_default();
            engine::only_names(single, number, names).namespace(namespace)
        }
        Target::Namespace { namespace, names } => {
            engine::only_names(all, number, Arc::clone(names)).namespace(&**namespace)
        }
    }
}

/// Runs an informer until `owner` ends, `cancel` is cancelled, or a task panicked. Returns when all
/// tasks have ended.
async fn run_until(informer: &GenericInformer, cancel: CancellationToken, owner: impl Future) {
    let mut run = pin!(informer.run(cancel.clone()));
    tokio::select! {
        biased;
        () = cancel.cancelled() => {}
        // A run that was not cancelled ends only after a panic, which it has logged.
        _ended = &mut run => return cancel.cancel(),
        _ended = owner => cancel.cancel(),
    }
    let _ended = run.await;
}

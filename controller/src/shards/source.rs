//! [`ShardedSource`]: lists and watches the slices of a [`Scope`].
//!
//! ```text
//!   watch of the held slices ────────────────────────────┐ flows on until ..
//!     └─ slices enter ──► list of these alone ──► store ─┴─► .. a watch of all replaces it
//! ```
//!
//! The new watch starts at the older of both positions. An event that its slice already reflects is
//! dropped.
//!
//! # Invariants
//!
//! 1. An event passes if its slice is held and cached, and if it is newer than what the slice
//!    reflects.
//! 2. A slice is held if the store has had a list of it in its present tenure, and the watch has
//!    followed it since.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use tokio::sync::watch;
use tokio::task::consume_budget;
use tokio::time::sleep;
use tracing::warn;

use super::scope::{Caches, Scope, Tenures};
use super::slices::ShardBy;
use crate::base::sync::Mutex;
use crate::engine::{Chain, Covers, PartWriter, Partition};
use crate::object::{ObjectKey, ResourceInfo, ResourceVersion};
use crate::source::{
    ListOptions, ListPart, ListStream, ListerWatcher, SourceError, WatchOptions, WatchStream,
};
use crate::wire::{ApiStatus, Encoding, RawEvent, RawObject};

/// Maximum delay before a failed change of slices is repeated, as a power of two of seconds.
const MAX_DELAY: u32 = 5;

/// Source of the objects of the slices that a scope has.
struct ShardedSource(Arc<Part>);

/// State of one source.
struct Part {
    scope: Scope,
    by: ShardBy,
    inner: Arc<dyn ListerWatcher>,
    /// Way into the store; `None` before the informer runs.
    writer: Mutex<Option<Arc<dyn PartWriter>>>,
    state: watch::Sender<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Slices of the list that is being made.
    listing: Tenures,
    /// Slices of the list that goes into the store, until its watch begins.
    listed: Option<Tenures>,
    held: BTreeMap<u16, Held>,
}

/// Slice that is in the store, and is watched.
#[derive(Debug)]
struct Held {
    tenure: u64,
    /// Version up to which the store reflects the slice, whatever the watch sends.
    reflects: ResourceVersion,
}

/// Watch whose slices can change.
struct Follow {
    part: Arc<Part>,
    owned: watch::Receiver<Tenures>,
    events: WatchStream,
    /// Options of the watch, for the next one. The version is that of the last event.
    options: WatchOptions,
    /// Slices that the watch was opened for.
    opened: Tenures,
    /// `true` during the initial events of a streaming list.
    is_initial: bool,
    /// `true` if slices may have entered or left.
    is_due: bool,
    /// Version that the watch before this one had reached; unset once this one has reached it.
    floor: ResourceVersion,
    /// Change of the slices, step by step.
    change: Option<Change>,
    /// Slices that were listed and are not watched yet, with the version of their list.
    gained: Option<(Tenures, ResourceVersion)>,
    failures: u32,
}

/// Change of the slices of a watch, up to its next step.
type Change = BoxFuture<'static, Result<Step, SourceError>>;

/// Completed step of a change of slices.
enum Step {
    Waited,
    Listed(Tenures, ResourceVersion),
    Opened(WatchOptions, Tenures, WatchStream),
}

// === impl Part ===

impl Part {
    fn new(scope: Scope, by: ShardBy, inner: Arc<dyn ListerWatcher>) -> Self {
        Self {
            scope,
            by,
            inner,
            writer: Mutex::default(),
            state: watch::Sender::default(),
        }
    }

    /// Completes when the slices of `entering` that do not leave meanwhile are announced.
    async fn has_entered(&self, entering: &Tenures) {
        let Some(writer) = self.writer() else { return };
        let (mut state, mut owned) = (self.state.subscribe(), self.scope.tenures());
        loop {
            let has_all = {
                let (state, owned) = (state.borrow_and_update(), owned.borrow_and_update());
                let mut entering = entering.iter();
                entering.all(|(slice, tenure)| {
                    owned.get(slice) != Some(tenure) || state.holds(*slice, *tenure)
                })
            };
            if has_all {
                break;
            }
            tokio::select! {
                _ = state.changed() => {}
                _ = owned.changed() => {}
                () = writer.stopped() => return,
            }
        }
        // Removes nothing, and completes after all that was queued before.
        writer.remove(Arc::new(|_, _| false)).await;
    }

    fn writer(&self) -> Option<Arc<dyn PartWriter>> {
        self.writer.lock().clone()
    }

    fn slice_of(&self, raw: &RawObject) -> Option<u16> {
        self.scope.slice_of(self.by, raw.key(), raw.uid())
    }

    /// Returns the selector of slices. A range with one hash stands for none.
    fn selector(&self, slices: &Tenures) -> String {
        if slices.is_empty() {
            return self.by.range(0, 1);
        }
        self.scope.slices(slices).selector(self.by)
    }

    /// Notes that the server ignores shard selectors if it sends an object of another slice.
    fn check(&self, slices: &Tenures, slice: Option<u16>) {
        if slice.is_some_and(|slice| !slices.contains_key(&slice)) {
            self.scope.note_ignored(true);
        }
    }

    /// Lists these slices.
    async fn list(
        self: Arc<Self>,
        mut options: ListOptions,
        slices: Tenures,
    ) -> Result<ListStream, SourceError> {
        options.shard_selector = Some(self.selector(&slices));
        let parts = self.inner.list(options).await?;
        let checked = parts.inspect(move |part| match part {
            Ok(ListPart::Items(items)) => items
                .iter()
                .flatten()
                .for_each(|raw| self.check(&slices, self.slice_of(raw))),
            Ok(ListPart::End(meta)) if meta.shard_selector.is_some() => {
                self.scope.note_ignored(false);
            }
            Ok(ListPart::End(_)) | Err(_) => {}
        });
        Ok(checked.boxed())
    }

    /// Begins a list of all slices that are cached now.
    fn begin_list(&self) -> Tenures {
        let owned = self.scope.tenures().borrow().clone();
        self.state
            .send_modify(|state| state.listing.clone_from(&owned));
        owned
    }

    /// Takes over the slices of a list that has gone into the store. Returns the slices to watch.
    fn begin_watch(&self) -> Tenures {
        self.state.send_if_modified(|state| {
            let Some(listed) = state.listed.take() else {
                return false;
            };
            let held = |(slice, tenure)| (slice, Held::new(tenure, ResourceVersion::UNSET));
            state.held = listed.into_iter().map(held).collect();
            true
        });
        let mut owned = self.scope.tenures().borrow().clone();
        let state = self.state.borrow();
        owned.retain(|slice, tenure| state.holds(*slice, *tenure));
        owned
    }
}

impl Caches for Part {
    fn enter(self: Arc<Self>, entering: Arc<Tenures>) -> BoxFuture<'static, ()> {
        async move { self.has_entered(&entering).await }.boxed()
    }

    fn leave(self: Arc<Self>) -> BoxFuture<'static, ()> {
        async move {
            let Some(writer) = self.writer() else { return };
            let owned = self.scope.tenures();
            let is_foreign = move |slice| !owned.borrow().contains_key(&slice);
            let covers = self.scope.covers(self.by, is_foreign);
            writer.remove(covers).await;
        }
        .boxed()
    }
}

impl Partition for Scope {
    fn keeps(&self, resource: &ResourceInfo) -> Covers {
        let owned = self.tenures();
        let is_owned = move |slice| owned.borrow().contains_key(&slice);
        self.covers(self.by(resource), is_owned)
    }

    fn source(
        &self,
        resource: &ResourceInfo,
        inner: Arc<dyn ListerWatcher>,
    ) -> Arc<dyn ListerWatcher> {
        let part = Arc::new(Part::new(self.clone(), self.by(resource), inner));
        let weak = Arc::downgrade(&part);
        self.add(weak);
        Arc::new(ShardedSource(part))
    }
}

// === impl State ===

impl State {
    fn holds(&self, slice: u16, tenure: u64) -> bool {
        let held = self.held.get(&slice);
        held.is_some_and(|held| held.tenure == tenure)
    }
}

// === impl Held ===

impl Held {
    fn new(tenure: u64, reflects: ResourceVersion) -> Self {
        Self { tenure, reflects }
    }
}

// === impl Follow ===

impl Follow {
    async fn next(&mut self) -> Option<Result<RawEvent, SourceError>> {
        loop {
            if self.is_due && self.change.is_none() && !self.is_initial {
                self.is_due = false;
                self.change = self.begin_change();
            }
            let changing = async {
                match &mut self.change {
                    Some(change) => change.await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                step = changing => {
                    (self.change, self.is_due) = (None, true);
                    let next = match step {
                        Ok(step) => self.complete(step),
                        Err(error) => self.fail(error),
                    };
                    match next {
                        Ok(next) => self.change = next,
                        Err(error) => return Some(Err(error)),
                    }
                }
                _changed = self.owned.changed() => self.is_due = true,
                event = self.events.next() => {
                    let event = match event? {
                        Ok(event) => event,
                        Err(error) => return Some(Err(error)),
                    };
                    if self.passes(&event) {
                        return Some(Ok(event));
                    }
                    consume_budget().await;
                }
            }
        }
    }

    /// Reports whether the informer has to receive an event.
    fn passes(&mut self, event: &RawEvent) -> bool {
        if let Some(version) = event.resource_version() {
            self.options.resource_version = version.clone();
            if !version.is_older_than(&self.floor) {
                self.floor = ResourceVersion::UNSET;
            }
        }
        match event {
            RawEvent::Added(raw) | RawEvent::Modified(raw) | RawEvent::Deleted(raw) => {
                let slice = self.part.slice_of(raw);
                self.part.check(&self.opened, slice);
                let is_news = |slice| self.is_news(slice, raw.resource_version());
                self.is_initial || slice.is_some_and(is_news)
            }
            RawEvent::Bookmark {
                initial_events_end, ..
            } => {
                self.is_initial &= !initial_events_end;
                self.floor.is_unset()
            }
            RawEvent::Error(_) | RawEvent::Unknown { .. } | RawEvent::Rejected(_) => true,
        }
    }

    /// Reports whether the store does not reflect this version of an object of the slice, and has to.
    fn is_news(&self, slice: u16, version: &ResourceVersion) -> bool {
        let state = self.part.state.borrow();
        let held = state.held.get(&slice);
        held.is_some_and(|held| {
            let order = version.compare(&held.reflects);
            self.owned.borrow().get(&slice) == Some(&held.tenure)
                && !matches!(order, Some(Ordering::Less | Ordering::Equal))
        })
    }

    /// Returns the first step of a change, if slices have entered or left.
    fn begin_change(&mut self) -> Option<Change> {
        let kept = self.part.begin_watch();
        let mut gained = self.owned.borrow_and_update().clone();
        gained.retain(|slice, _| !kept.contains_key(slice));
        if !self.options.resource_version.is_exact() {
            return None;
        }
        if !gained.is_empty() {
            return self.list(gained);
        }
        let is_wider = self.opened.keys().any(|slice| !kept.contains_key(slice));
        let narrows = is_wider && !self.part.scope.is_ignored();
        narrows.then(|| self.open(self.options.resource_version.clone(), kept))
    }

    /// Lists slices, and puts their objects into the store.
    fn list(&self, gained: Tenures) -> Option<Change> {
        let (writer, part) = (self.part.writer()?, Arc::clone(&self.part));
        let options = ListOptions {
            resource_version: self.options.resource_version.clone(),
            ..ListOptions::default()
        };
        let step = async move {
            let slices = gained.clone();
            let is_gained = move |slice| slices.contains_key(&slice);
            let covers = part.scope.covers(part.by, is_gained);
            let list = part.list(options, gained.clone()).boxed();
            let meta = writer.replace(list, covers).await?;
            Ok(Step::Listed(gained, meta.resource_version))
        };
        Some(step.boxed())
    }

    /// Opens a watch of these slices.
    fn open(&self, version: ResourceVersion, slices: Tenures) -> Change {
        let part = Arc::clone(&self.part);
        let options = WatchOptions {
            resource_version: version,
            send_initial_events: false,
            shard_selector: Some(part.selector(&slices)),
            ..self.options.clone()
        };
        async move {
            let events = part.inner.watch(options.clone()).await?;
            Ok(Step::Opened(options, slices, events))
        }
        .boxed()
    }

    /// Returns the step after a completed one; an error if only a list of all slices helps.
    fn complete(&mut self, step: Step) -> Result<Option<Change>, SourceError> {
        match step {
            Step::Waited => Ok(None),
            Step::Listed(gained, version) => {
                let reached = &self.options.resource_version;
                let start = match version.compare(reached) {
                    Some(Ordering::Less) => version.clone(),
                    Some(Ordering::Equal | Ordering::Greater) => reached.clone(),
                    None => {
                        let message = "the versions of list and watch cannot be compared";
                        return Err(ApiStatus::new(410, "Expired", message).into());
                    }
                };
                let mut slices = self.part.begin_watch();
                slices.extend(gained.clone());
                self.gained = Some((gained, version));
                Ok(Some(self.open(start, slices)))
            }
            Step::Opened(options, opened, events) => {
                self.floor = std::mem::replace(&mut self.options, options).resource_version;
                (self.opened, self.events, self.failures) = (opened, events, 0);
                let (gained, listed) = self.gained.take().unwrap_or_default();
                self.part.state.send_modify(|state| {
                    for held in state.held.values_mut() {
                        if held.reflects.compare(&self.floor) != Some(Ordering::Greater) {
                            held.reflects.clone_from(&self.floor);
                        }
                    }
                    let gained = gained.into_iter();
                    let gained =
                        gained.map(|(slice, tenure)| (slice, Held::new(tenure, listed.clone())));
                    state.held.extend(gained);
                });
                Ok(None)
            }
        }
    }

    /// Returns the wait before a failed change is repeated, while the watch goes on. Returns the error
    /// if only a list of all slices helps.
    fn fail(&mut self, error: SourceError) -> Result<Option<Change>, SourceError> {
        if error.is_expired() {
            return Err(error);
        }
        let delay = Duration::from_secs(1 << self.failures.min(MAX_DELAY));
        self.failures += 1;
        self.gained = None;
        if self.failures.is_power_of_two() {
            let (error, failures) = (Chain(&error), self.failures);
            warn!(%error, failures, ?delay, "the objects of new slices could not be listed; retrying");
        }
        let wait = async move {
            sleep(delay).await;
            Ok(Step::Waited)
        };
        Ok(Some(wait.boxed()))
    }
}

// === impl ShardedSource ===

impl ListerWatcher for ShardedSource {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        let slices = match options.continue_token {
            None => self.0.begin_list(),
            Some(_) => self.0.state.borrow().listing.clone(),
        };
        Arc::clone(&self.0).list(options, slices).boxed()
    }

    fn watch(&self, mut options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        let part = Arc::clone(&self.0);
        let is_initial = options.send_initial_events;
        let opened = if is_initial {
            part.begin_list()
        } else {
            part.begin_watch()
        };
        options.shard_selector = Some(part.selector(&opened));
        async move {
            let events = part.inner.watch(options.clone()).await?;
            let follow = Follow {
                owned: part.scope.tenures(),
                part,
                events,
                options,
                opened,
                is_initial,
                is_due: true,
                floor: ResourceVersion::UNSET,
                change: None,
                gained: None,
                failures: 0,
            };
            let events = stream::unfold(follow, |mut follow| async move {
                let event = follow.next().await?;
                Some((event, follow))
            });
            Ok(events.boxed())
        }
        .boxed()
    }

    fn get<'a>(
        &'a self,
        key: &'a ObjectKey,
        version: &ResourceVersion,
    ) -> BoxFuture<'a, Result<RawObject, SourceError>> {
        self.0.inner.get(key, version)
    }

    fn supports_watch_list(&self) -> bool {
        self.0.inner.supports_watch_list()
    }

    fn last_encoding(&self) -> Option<Encoding> {
        self.0.inner.last_encoding()
    }

    fn want_json(&self) {
        self.0.inner.want_json();
    }

    fn attach(&self, writer: Arc<dyn PartWriter>) {
        *self.0.writer.lock() = Some(writer);
    }

    fn listed(&self) {
        let slices = |state: &mut State| state.listed = Some(std::mem::take(&mut state.listing));
        self.0.state.send_modify(slices);
    }
}

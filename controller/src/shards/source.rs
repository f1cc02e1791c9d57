//! [`ShardedSource`]: lists and watches the [`CachedSlices`](super::cached_slices::CachedSlices).
//!
//! ```text
//!   watch of the held slices ────────────────────────────┐ flows on until ..
//!     └─ slices enter ──► list of these alone ──► store ─┴─► .. a watch of all replaces it
//! ```
//!
//! The new watch starts where the other one was when the list began. An event that its slice already
//! reflects is dropped.
//!
//! # Invariants
//!
//! 1. An event passes if its slice is held and cached, and if it is newer than what the slice
//!    reflects.
//! 2. A slice is held if the store has had a list of it in its present tenure, and the watch has
//!    followed it since.

use std::cmp::Ordering;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use informer_runtime::engine::{Chain, PartWriter};
use informer_runtime::source::{
    ListOptions, ListPart, ListStream, ListerWatcher, SourceError, WatchOptions, WatchStream,
};
use informer_runtime::wire::{ApiStatus, Encoding, RawEvent, RawObject};
use informer_runtime::{ObjectKey, ResourceVersion};
use tokio::sync::watch;
use tokio::task::consume_budget;
use tokio::time::sleep;
use tracing::warn;

use super::cached_slices::{HeldSlice, ShardedPart, Tenures};

/// Maximum delay before a failed change of slices is repeated, as a power of two of seconds.
const MAX_DELAY: u32 = 5;

/// Source of the objects of the slices that the replica caches.
pub(super) struct ShardedSource(pub(super) Arc<ShardedPart>);

/// Watch whose slices can change.
struct Follow {
    part: Arc<ShardedPart>,
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
    change: Option<Reopening>,
    failures: u32,
}

/// Change of the slices of a watch. Completes without a watch after the wait that follows a failure.
type Reopening = BoxFuture<'static, Result<Option<Opened>, SourceError>>;

/// Watch that replaces another one.
struct Opened {
    options: WatchOptions,
    slices: Tenures,
    events: WatchStream,
    /// Slices that have been listed for this watch, and the version of their list.
    gained: Tenures,
    listed: ResourceVersion,
}

// === impl ShardedPart ===

impl ShardedPart {
    fn slice_of(&self, raw: &RawObject) -> Option<u16> {
        self.cached.slice_of(raw.key(), raw.uid())
    }

    /// Notes that the server ignores shard selectors if it sends an object of another slice.
    fn check(&self, slices: &Tenures, slice: Option<u16>) {
        if slice.is_some_and(|slice| !slices.contains_key(&slice)) {
            self.cached.note_ignored(true);
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
                self.cached.note_ignored(false);
            }
            Ok(ListPart::End(_)) | Err(_) => {}
        });
        Ok(checked.boxed())
    }

    /// Lists slices into the store. Returns the version of the list, which is not before `start`.
    async fn gain(
        self: &Arc<Self>,
        writer: &Arc<dyn PartWriter>,
        slices: Tenures,
        start: &ResourceVersion,
    ) -> Result<ResourceVersion, SourceError> {
        let options = ListOptions {
            resource_version: start.clone(),
            ..ListOptions::default()
        };
        let list = Arc::clone(self).list(options, slices.clone()).boxed();
        let coverage = self
            .cached
            .coverage(move |slice| slices.contains_key(&slice));
        let listed = writer.replace(list, coverage).await?.resource_version;
        match listed.compare(start) {
            Some(Ordering::Equal | Ordering::Greater) => Ok(listed),
            Some(Ordering::Less) | None => {
                let message = "the version of a list of slices does not follow that of the watch";
                Err(ApiStatus::new(410, "Expired", message).into())
            }
        }
    }

    /// Begins a list of all slices that are cached now.
    fn begin_list(&self) -> Tenures {
        let owned = self.cached.tenures().borrow().clone();
        self.state
            .send_modify(|state| state.listing.clone_from(&owned));
        owned
    }

    /// Returns the held ones of these slices.
    fn held(&self, mut slices: Tenures) -> Tenures {
        let state = self.state.borrow();
        slices.retain(|slice, tenure| state.holds(*slice, *tenure));
        slices
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
                changed = changing => {
                    self.change = None;
                    self.is_due = true;
                    match changed {
                        Ok(Some(opened)) => self.switch(opened),
                        Ok(None) => {}
                        // Only a list of all slices helps.
                        Err(error) if error.is_expired() => return Some(Err(error)),
                        Err(error) => self.change = Some(self.wait(&error)),
                    }
                }
                _changed = self.owned.changed() => self.is_due = true,
                event = self.events.next() => {
                    let next = event?;
                    let passes = match &next {
                        Ok(event) => self.passes(event),
                        Err(_) => true,
                    };
                    if passes {
                        return Some(next);
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
                if self.is_initial {
                    return true;
                }
                match slice {
                    Some(slice) => self.is_news(slice, raw.resource_version()),
                    None => false,
                }
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
        let Some(held) = state.held.get(&slice) else {
            return false;
        };
        if self.owned.borrow().get(&slice) != Some(&held.tenure) {
            return false;
        }
        match version.compare(&held.reflects) {
            Some(Ordering::Less | Ordering::Equal) => false,
            Some(Ordering::Greater) | None => true,
        }
    }

    /// Returns the list of slices that have entered, if there are any, and the watch that follows the
    /// slices that are cached now.
    fn begin_change(&mut self) -> Option<Reopening> {
        let slices = self.owned.borrow_and_update().clone();
        let mut gained = slices.clone();
        let kept = self.part.held(slices.clone());
        gained.retain(|slice, _| !kept.contains_key(slice));
        let is_wider = self.opened.keys().any(|slice| !slices.contains_key(slice));
        let narrows = is_wider && !self.part.cached.is_ignored();
        if !self.options.resource_version.is_exact() || (gained.is_empty() && !narrows) {
            return None;
        }
        let writer = self.part.writer()?;
        let part = Arc::clone(&self.part);
        let options = WatchOptions {
            send_initial_events: false,
            shard_selector: Some(part.selector(&slices)),
            ..self.options.clone()
        };
        let change = async move {
            let mut listed = options.resource_version.clone();
            if !gained.is_empty() {
                listed = part.gain(&writer, gained.clone(), &listed).await?;
            }
            writer.watched();
            let events = part.inner.watch(options.clone()).await?;
            Ok(Some(Opened {
                options,
                slices,
                events,
                gained,
                listed,
            }))
        };
        Some(change.boxed())
    }

    /// Replaces the watch by another one.
    fn switch(&mut self, opened: Opened) {
        self.floor = std::mem::replace(&mut self.options, opened.options).resource_version;
        self.opened = opened.slices;
        self.events = opened.events;
        self.failures = 0;
        self.part.state.send_modify(|state| {
            for held in state.held.values_mut() {
                if held.reflects.compare(&self.floor) != Some(Ordering::Greater) {
                    held.reflects.clone_from(&self.floor);
                }
            }
            for (slice, tenure) in opened.gained {
                let reflects = opened.listed.clone();
                state.held.insert(slice, HeldSlice { tenure, reflects });
            }
        });
    }

    /// Returns the wait before a failed change is repeated, while the watch goes on.
    fn wait(&mut self, error: &SourceError) -> Reopening {
        let delay = Duration::from_secs(1 << self.failures.min(MAX_DELAY));
        self.failures += 1;
        if self.failures.is_power_of_two() {
            warn!(
                error = %Chain(error),
                failures = self.failures,
                ?delay,
                "the objects of new slices could not be listed; retrying"
            );
        }
        sleep(delay).map(|()| Ok(None)).boxed()
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
        let owned = part.cached.tenures();
        let is_initial = options.send_initial_events;
        let opened = if is_initial {
            part.begin_list()
        } else {
            part.held(owned.borrow().clone())
        };
        options.shard_selector = Some(part.selector(&opened));
        async move {
            let events = part.inner.watch(options.clone()).await?;
            let follow = Follow {
                part,
                owned,
                events,
                options,
                opened,
                is_initial,
                is_due: true,
                floor: ResourceVersion::UNSET,
                change: None,
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
        self.0.state.send_modify(|state| {
            state.held.clear();
            for (slice, tenure) in std::mem::take(&mut state.listing) {
                let reflects = ResourceVersion::UNSET;
                state.held.insert(slice, HeldSlice { tenure, reflects });
            }
        });
    }
}

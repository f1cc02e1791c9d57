//! Decides the next step of a reflector. Pure: takes outcomes and the time, and returns steps.
//!
//! `probe` handles servers that went back to an older version, `watch_list` failed streaming lists, and
//! `lag` proxies that hold events back.

mod lag;
mod probe;
mod watch_list;

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::bookmarks::Bookmarks;
use super::collect::Versions;
use super::config::{ReflectorSettings, WatchListMode};
use super::phase::{Listing, ReflectorPhase, Watch};
use super::retry::RetryWindow;
use super::schedule::{HEALTHY, Schedule};
use super::step::{Page, Reaction, Step};
use crate::object::ResourceVersion;
use crate::source::{ListOptions, ResourceVersionMatch, WatchOptions};
use crate::status::{ReflectorError, SourceError};
use crate::wire::{ListMeta, RawEvent};

/// Default page size, as in client-go.
const PAGE_SIZE: u32 = 500;
/// Minimum duration of a watch without events. A shorter one is a failure.
const VERY_SHORT: Duration = Duration::from_secs(1);
/// Time for which lists are used after a streaming list failed.
const LIST_MEMORY: Duration = Duration::from_secs(30 * 60);
/// Number of consecutive watches without a sign that the server has their version, after which the
/// server is probed.
const SUSPICIONS: u32 = 2;

/// Evidence that the server has the history up to the last version. A server that was restored from a
/// backup accepts a watch from a version that it has not reached, and stays silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum History {
    /// The server sent the last version, or showed that it has reached it.
    Shown,
    /// This many consecutive watches ended without an event.
    Silent(u32),
    /// A connection was lost, and the server that comes back has shown nothing yet.
    Doubtful,
}

#[derive(Debug)]
pub(super) struct Machine {
    config: ReflectorSettings,
    schedule: Schedule,
    retry: RetryWindow,
    rng: fastrand::Rng,
    phase: ReflectorPhase,
    /// Newest version seen.
    last: ResourceVersion,
    /// Newest version seen when the current list began. Retries of the list do not change it.
    before: Option<ResourceVersion>,
    /// `true` if the next list has to be a consistent read, whatever `last` is: the first list if a
    /// session needs that, and after the server reported that it does not have `last`.
    lists_consistently: bool,
    versions: Versions,
    history: History,
    bookmarks: Bookmarks,
    /// `true` while lists are not permitted, or not served.
    is_forbidden: bool,
    /// `true` if a list at "0" came back in pages: the server has no watch cache.
    lists_are_paged: bool,
    /// Time before which streaming lists are not tried.
    list_until: Option<Instant>,
}

// === impl Machine ===

impl Machine {
    pub(super) fn new(config: &ReflectorSettings, source_streams: bool, seed: u64) -> Self {
        Self {
            schedule: Schedule::new(config),
            retry: RetryWindow::new(config.internal_error_retry),
            rng: fastrand::Rng::with_seed(seed),
            phase: ReflectorPhase::Begin,
            last: ResourceVersion::UNSET,
            before: None,
            lists_consistently: config.peers.lists_consistently.load(Ordering::Relaxed),
            versions: Versions::Comparable,
            history: History::Shown,
            bookmarks: Bookmarks::Unknown,
            is_forbidden: false,
            lists_are_paged: false,
            list_until: None,
            config: ReflectorSettings {
                watch_list: if source_streams {
                    config.watch_list
                } else {
                    WatchListMode::Never
                },
                ..config.clone()
            },
        }
    }

    /// Returns `true` if the next action is a pause.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.phase, ReflectorPhase::Waiting(..))
    }

    pub(super) fn step(&mut self, now: Instant) -> Step {
        if let ReflectorPhase::Begin = self.phase {
            self.phase = self.begin(now);
        }
        match &mut self.phase {
            ReflectorPhase::Waiting(delay, next) => {
                let delay = *delay;
                self.phase = std::mem::replace(next, ReflectorPhase::Begin);
                Step::Backoff(delay)
            }
            ReflectorPhase::Listing(listing) => {
                let restart = std::mem::take(&mut listing.restart);
                Step::List {
                    options: listing.options(),
                    restart,
                }
            }
            ReflectorPhase::WatchListing(watch) | ReflectorPhase::Watching(watch) => {
                watch.opened = Some(now);
                watch.last_progress.get_or_insert(now);
                watch.events = 0;
                watch.advanced = false;
                self.bookmarks.opened();
                let streaming = matches!(self.phase, ReflectorPhase::WatchListing(_));
                Step::Watch(self.watch_options(streaming))
            }
            ReflectorPhase::Probing => Step::Probe(ListOptions {
                limit: Some(1),
                resource_version: self.last.clone(),
                // Without it, a limit means exactly this version, which may be compacted.
                resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
                ..ListOptions::default()
            }),
            // Unreachable: `begin` never returns `ReflectorPhase::Begin`.
            ReflectorPhase::Begin => Step::Backoff(Duration::ZERO),
        }
    }

    fn begin(&mut self, now: Instant) -> ReflectorPhase {
        self.before.get_or_insert_with(|| self.last.clone());
        if self.list_until.is_some_and(|until| now >= until) {
            self.list_until = None;
        }
        if self.config.watch_list == WatchListMode::Auto && self.list_until.is_none() {
            ReflectorPhase::WatchListing(Watch::default())
        } else {
            self.listing()
        }
    }

    fn listing(&self) -> ReflectorPhase {
        let resource_version = if self.lists_consistently {
            ResourceVersion::UNSET
        } else if self.last.is_unset() {
            ResourceVersion::ANY
        } else {
            self.last.clone()
        };
        let limit = match self.config.page_size {
            Some(page_size) => Some(page_size),
            None if self.lists_are_paged => Some(PAGE_SIZE),
            // The server answers a known version from its watch cache, which does not page.
            None if resource_version.is_exact() => None,
            None => Some(PAGE_SIZE),
        };
        // A limit and a version without a match mean exactly that version. A server whose watch
        // cache has dropped that version would still list it, and then reject the watch from it.
        let not_older = limit.is_some() && resource_version.is_exact();
        let first = ListOptions {
            limit,
            resource_version,
            resource_version_match: not_older.then_some(ResourceVersionMatch::NotOlderThan),
            ..ListOptions::default()
        };
        ReflectorPhase::Listing(Listing::new(first))
    }

    fn watch_options(&mut self, streaming: bool) -> WatchOptions {
        let resource_version = if streaming && self.lists_consistently {
            ResourceVersion::UNSET
        } else {
            self.last.clone()
        };
        if let ReflectorPhase::WatchListing(watch) | ReflectorPhase::Watching(watch) =
            &mut self.phase
        {
            watch.version_is_open = !resource_version.is_exact();
        }
        // Random, so that informers do not reconnect at the same time.
        let timeout = self.config.min_watch_timeout.mul_f64(1.0 + self.rng.f64());
        WatchOptions {
            resource_version,
            send_initial_events: streaming,
            allow_bookmarks: true,
            // Whole seconds, as on the wire.
            timeout: Duration::from_secs(timeout.as_secs()),
            shard_selector: None,
        }
    }

    // --- outcomes of a list ---

    /// Processes a complete page.
    ///
    /// # Errors
    ///
    /// Fails if the list would never end. The caller reports this like any failure of a list.
    pub(super) fn on_page(&mut self, meta: &ListMeta) -> Result<Page, SourceError> {
        let ReflectorPhase::Listing(listing) = &mut self.phase else {
            return Ok(Page::Complete(meta.resource_version.clone()));
        };
        listing.pages += 1;
        let version = listing
            .version
            .get_or_insert_with(|| meta.resource_version.clone())
            .clone();
        if let Some(token) = &meta.continue_token {
            listing.set_next_page(token)?;
            self.lists_are_paged |= listing.first.resource_version == ResourceVersion::ANY;
            return Ok(Page::More);
        }
        Ok(match self.synced(version) {
            Ok(version) => Page::Complete(version),
            Err(failure) => Page::Failed(failure),
        })
    }

    /// Processes a failed list. Returns the failure to report.
    pub(super) fn on_list_error(&mut self, error: SourceError, now: Instant) -> ReflectorError {
        if let ReflectorPhase::Listing(listing) = &self.phase {
            let expired = error.is_expired();
            if expired && listing.continue_token.is_some() {
                // The continue token expired: list without pages, at the version of the first
                // request.
                let first = ListOptions {
                    limit: None,
                    resource_version_match: None,
                    ..listing.first.clone()
                };
                self.phase = ReflectorPhase::Listing(Listing::new(first));
                return ReflectorError::List(error);
            }
            let lost = expired || error.is_too_large_resource_version();
            if lost && !listing.first.resource_version.is_unset() {
                self.lists_consistently = true;
                self.phase = self.listing();
                return ReflectorError::List(error);
            }
        }
        self.is_forbidden = error.is_refused_access();
        self.wait_then(ReflectorPhase::Begin, &error, now);
        ReflectorError::List(error)
    }

    /// Records that the complete list is decoded and on its way into the store. Its versions are the
    /// reference of the next list.
    pub(super) fn on_replaced(&mut self) {
        self.versions = Versions::Comparable;
    }

    /// Lists again, although the watch is healthy.
    pub(super) fn relist(&mut self) {
        self.phase = ReflectorPhase::Begin;
    }

    // --- outcomes of a watch ---

    /// Returns the deadline of a streaming list without progress; `None` if none is being
    /// collected.
    pub(super) fn silent_at(&self) -> Option<Instant> {
        let ReflectorPhase::WatchListing(watch) = &self.phase else {
            return None;
        };
        let deadline = self.config.initial_events_deadline;
        watch.last_progress?.checked_add(deadline)
    }

    /// Returns `true` after the deadline of [`silent_at`](Self::silent_at). Also checked when a
    /// stream ends, because a source that is always ready never lets a timer fire.
    fn is_silent(&self, now: Instant) -> bool {
        self.silent_at().is_some_and(|silent| now >= silent)
    }

    /// Returns how the versions of the current list compare with those in the store.
    pub(super) fn versions(&self) -> Versions {
        self.versions
    }

    /// Returns `true` while initial events are collected.
    pub(super) fn is_collecting(&self) -> bool {
        matches!(self.phase, ReflectorPhase::WatchListing(_))
    }

    /// Processes a watch that could not be opened. Returns the failure to report.
    pub(super) fn on_connect_error(&mut self, error: SourceError, now: Instant) -> ReflectorError {
        if self.is_collecting() {
            return self.on_watch_list_error(error, false, now);
        }
        if self.lists_at_once(&error) {
            return ReflectorError::Connect(error);
        }
        self.resume_after(&error, now);
        ReflectorError::Connect(error)
    }

    /// Gives the next streaming list its whole deadline, after a wait for the `Retry-After` of others.
    pub(super) fn on_overload(&mut self) {
        if let ReflectorPhase::WatchListing(watch) = &mut self.phase {
            watch.last_progress = None;
        }
    }

    pub(super) fn on_event(&mut self, event: &RawEvent, now: Instant) -> Reaction {
        let collecting = self.is_collecting();
        if let RawEvent::Bookmark {
            resource_version,
            initial_events_end: false,
        } = event
            && !collecting
            && self.is_behind(resource_version)
        {
            // Events may arrive in any order of versions. A bookmark is the server's current
            // version.
            let failure = self.went_back(self.last.clone());
            self.pause(ReflectorPhase::Begin);
            return Reaction::Failed(failure);
        }
        if !collecting {
            self.schedule.progress();
        }
        let (ReflectorPhase::WatchListing(watch) | ReflectorPhase::Watching(watch)) =
            &mut self.phase
        else {
            return Reaction::Apply;
        };
        watch.events += 1;
        if !watch.stalls {
            watch.last_progress = Some(now);
        }
        if !collecting && let RawEvent::Bookmark { .. } = event {
            self.bookmarks.arrived(watch.lived(now));
        }
        if let RawEvent::Rejected(_) | RawEvent::Error(_) = event {
            return Reaction::Apply;
        }
        let is_added = matches!(event, RawEvent::Added(_));
        // Initial events are not ordered by version.
        if !is_added {
            // From here on events are no progress towards the end either: a server that does not
            // support streaming lists sends changes forever.
            watch.stalls = true;
            watch.version_is_open = false;
        }
        let is_initial = collecting && is_added;
        let counts = !watch.version_is_open && !is_initial;
        if let Some(version) = event.resource_version()
            && counts
            && self.last != *version
        {
            self.last = version.clone();
            watch.advanced = true;
        }
        self.history = History::Shown;
        if let RawEvent::Bookmark {
            resource_version: version,
            initial_events_end: true,
        } = event
            && collecting
        {
            if let Err(failure) = self.synced(version.clone()) {
                return Reaction::Failed(failure);
            }
            if let ReflectorPhase::Watching(watch) = &mut self.phase {
                watch.opened = Some(now);
                watch.events = 1;
                watch.advanced = true;
                self.bookmarks.forgiven();
            }
            return Reaction::Complete(version.clone());
        }
        Reaction::Apply
    }

    /// Processes a watch that the server closed. Returns a failure to report, if the close is one.
    pub(super) fn on_watch_end(&mut self, now: Instant) -> Option<ReflectorError> {
        let (ReflectorPhase::WatchListing(watch) | ReflectorPhase::Watching(watch)) = &self.phase
        else {
            return None;
        };
        let lived = watch.lived(now);
        let short = lived < VERY_SHORT;
        let is_silent = watch.events == 0;
        let very_short = short && is_silent;
        let repeats = short && !watch.advanced;
        self.schedule.lived(lived);
        if let ReflectorPhase::WatchListing(watch) = &self.phase {
            let watch = watch.restarted();
            if very_short {
                self.fall_back_to_list(now);
                return Some(ReflectorError::VeryShortWatch);
            }
            if self.is_silent(now) {
                return Some(self.on_silence(now));
            }
            self.pause(ReflectorPhase::WatchListing(watch));
            return None;
        }
        if very_short {
            self.pause(ReflectorPhase::Begin);
            return Some(ReflectorError::VeryShortWatch);
        }
        if is_silent {
            self.history.watched_in_vain();
        }
        let mut next = self.resumed();
        if let ReflectorPhase::Watching(watch) = &mut next {
            watch.resumes = Some(lived);
        }
        if repeats || !self.last.is_exact() {
            // The watch delivered nothing new. That is not a failure, but needs a delay.
            self.pause(next);
        } else {
            self.phase = next;
        }
        None
    }

    /// Processes a watch that ended in an error. Returns the failure to report.
    pub(super) fn on_watch_error(&mut self, error: SourceError, now: Instant) -> ReflectorError {
        if let ReflectorPhase::WatchListing(watch) | ReflectorPhase::Watching(watch) = &self.phase {
            self.schedule.lived(watch.lived(now));
        }
        if self.is_collecting() {
            return self.on_watch_list_error(error, true, now);
        }
        if self.lists_at_once(&error) {
            return ReflectorError::Watch(error);
        }
        if error.is_internal_error() && self.retry.permits(now) {
            self.phase = self.resumed();
            return ReflectorError::Watch(error);
        }
        if error.is_connection_lost() {
            self.schedule.answered();
        }
        self.resume_after(&error, now);
        ReflectorError::Watch(error)
    }

    /// Waits, and then resumes the watch after a lost connection or an overload, which do not
    /// invalidate the last version. Lists after any other failure.
    fn resume_after(&mut self, error: &SourceError, now: Instant) {
        if error.is_connection_lost() {
            self.history = History::Doubtful;
        }
        let next = if error.is_connection_lost() || error.is_too_many_requests() {
            self.resumed()
        } else {
            ReflectorPhase::Begin
        };
        self.wait_then(next, error, now);
    }

    /// Processes a panic of the source or of other `code`. After a panic of a streaming list, lists
    /// are used. Returns the failure to report.
    pub(super) fn on_panic(&mut self, code: &'static str, now: Instant) -> ReflectorError {
        let error = SourceError::Panicked(code);
        let report = match &self.phase {
            ReflectorPhase::WatchListing(_) | ReflectorPhase::Watching(_) => ReflectorError::Watch,
            ReflectorPhase::Begin
            | ReflectorPhase::Listing(_)
            | ReflectorPhase::Probing
            | ReflectorPhase::Waiting(..) => ReflectorError::List,
        };
        if self.is_collecting() {
            self.list_until = Some(now + LIST_MEMORY);
        }
        self.wait_then(ReflectorPhase::Begin, &error, now);
        report(error)
    }

    /// Lists at once if the server has forgotten the version of a healthy watch that it closed, as
    /// after a change of the resource's definition. Returns `false` for other errors.
    fn lists_at_once(&mut self, error: &SourceError) -> bool {
        let ReflectorPhase::Watching(watch) = &self.phase else {
            return false;
        };
        let was_healthy = watch.resumes.is_some_and(|lived| lived >= HEALTHY);
        let at_once = was_healthy && watch.events == 0 && error.is_expired();
        if at_once {
            // No delay, but the informers of a server that forgets all versions do not list together.
            self.phase = ReflectorPhase::Waiting(Duration::ZERO, Box::new(ReflectorPhase::Begin));
        }
        at_once
    }

    /// Returns a watch from the last version, or a probe if the server may not have that version.
    /// Without an exact version, a watch would miss deletions.
    fn resumed(&self) -> ReflectorPhase {
        if !self.last.is_exact() {
            return ReflectorPhase::Begin;
        }
        match self.history {
            History::Shown | History::Silent(..SUSPICIONS) => {
                ReflectorPhase::Watching(Watch::default())
            }
            History::Silent(SUSPICIONS..) | History::Doubtful => ReflectorPhase::Probing,
        }
    }

    /// Records that the store will hold the state at `version`, from which it is watched.
    ///
    /// Fails if the server was at a newer version before. The collected list must then be
    /// discarded, because it was compared with the store by version.
    fn synced(&mut self, version: ResourceVersion) -> Result<ResourceVersion, ReflectorError> {
        let before = self.before.take().unwrap_or_default();
        if version.is_older_than(&before) {
            let failure = self.went_back(before);
            self.pause(ReflectorPhase::Begin);
            return Err(failure);
        }
        self.last = version.clone();
        self.lists_consistently = false;
        self.history = History::Shown;
        self.is_forbidden = false;
        self.phase = ReflectorPhase::Watching(Watch::default());
        Ok(version)
    }

    /// Waits as after a refusal, and continues with `next`.
    fn pause(&mut self, next: ReflectorPhase) {
        self.bookmarks.forgiven();
        self.phase = ReflectorPhase::Waiting(self.schedule.after_refusal(), Box::new(next));
    }

    fn wait_then(&mut self, next: ReflectorPhase, error: &SourceError, now: Instant) {
        let delay = self.schedule.after(error, now);
        self.bookmarks.forgiven();
        self.phase = ReflectorPhase::Waiting(delay, Box::new(next));
    }
}

// === impl History ===

impl History {
    /// Records that a watch ended without an event.
    fn watched_in_vain(&mut self) {
        *self = match *self {
            Self::Shown => Self::Silent(1),
            Self::Silent(watches) => Self::Silent(watches.saturating_add(1)),
            Self::Doubtful => Self::Doubtful,
        };
    }
}

//! [`InformerStatus`]: state and health of an informer.

use std::fmt;
use std::sync::Arc;

use derive_where::derive_where;
use futures::stream::{self, Stream, StreamExt as _};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::base::chain::Chain;
use crate::base::sync::Mutex;
use crate::status::{ReflectorError, Refusal, SourceError, StoreFailure};
use crate::storage::Undecodable;
use crate::wire::Encoding;

/// Number of causes that the `Display` form of a status names.
const NAMED_CAUSES: usize = 5;

/// State and health of an informer at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InformerStatus {
    /// Current state.
    pub state: InformerState,
    /// Time since which the informer is in this state, whatever its cause.
    pub since: Instant,
    /// `true` once the first list was processed, with several namespaces that of each namespace
    /// except those that the client may not list. Never becomes `false` again.
    pub has_synced: bool,
    /// Time of the last list, event or bookmark from the server.
    pub last_progress: Option<Instant>,
    /// Encoding of the server's last response. `None` before the first response, and for a custom
    /// source.
    pub encoding: Option<Encoding>,
    /// Failure of the user's [`WriteThroughStore`](crate::shared_informer::WriteThroughStore) to
    /// store the last batch. The informer waits and retries until the store accepts the batch.
    /// `None` if the store works or there is no such store.
    pub store_failure: Option<Arc<StoreFailure>>,
    /// Each namespace, in order, if each has a watch of its own; otherwise one element for all that is
    /// cached. [`state`](Self::state) has the first failure of them.
    pub namespaces: Vec<NamespaceStatus>,
    /// Objects whose latest version did not decode, ordered by key. They affect neither other
    /// objects nor the state.
    pub undecodable: Vec<Undecodable>,
}

/// State of one of an informer's namespaces.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NamespaceStatus {
    /// Name of the namespace; `None` for all that is cached.
    pub namespace: Option<Arc<str>>,
    /// `true` once the first list was processed. Never becomes `false` again.
    pub has_synced: bool,
    /// `true` once the server accepted a watch. Until then the cache is no newer than its last list.
    /// Never becomes `false` again.
    pub has_watched: bool,
    /// Failure of the last attempt; `None` if it did not fail.
    pub failure: Option<Arc<ReflectorError>>,
}

/// State of an informer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum InformerState {
    /// Not started yet.
    Pending,
    /// The initial state is being received.
    Listing,
    /// The cache follows the server.
    Synced,
    /// The last attempt failed. The cache keeps its content, and the informer tries again.
    Degraded {
        /// The failure.
        cause: Arc<ReflectorError>,
    },
    /// The server was silent for longer than a healthy server is, and the informer reconnects; or
    /// something in between [holds events back](ReflectorError::Lagging).
    Stale {
        /// The timeout that was exceeded.
        cause: Arc<ReflectorError>,
    },
    /// Stopped for good: the informer cannot be started again. The cache stays readable.
    Stopped {
        /// Reason of the stop.
        cause: StopCause,
    },
}

/// Reason for which an informer stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopCause {
    /// The user stopped the informer: by [`GenericInformer::stop`](crate::GenericInformer::stop), the
    /// token of its run, its factory, or by dropping its run.
    Requested,
    /// The factory does not allow the informer to run, for this reason.
    Refused(Arc<str>),
    /// A task of the informer panicked. The panic message is on stderr, or where the program's
    /// panic hook writes it.
    Panicked,
}

/// Status of one informer. Changes wake all waiters.
#[derive(Debug)]
pub(crate) struct StatusCell {
    sender: watch::Sender<Facts>,
    last_progress: Mutex<Option<Instant>>,
}

#[derive(Debug, Clone)]
struct Facts {
    since: Instant,
    started: bool,
    synced: bool,
    stopped: Option<StopCause>,
    namespaces: Vec<NamespaceStatus>,
    store_failure: Option<Arc<StoreFailure>>,
    over_budget: Option<Arc<ReflectorError>>,
}

// === impl NamespaceStatus ===

impl NamespaceStatus {
    /// Reports whether this is about a namespace. `None` stands for any.
    pub(crate) fn concerns(&self, namespace: Option<&str>) -> bool {
        let own = self.namespace.as_deref();
        own.is_none() || namespace.is_none() || own == namespace
    }
}

// === impl StatusCell ===

impl StatusCell {
    /// Creates the status of an informer with a watch for each of these namespaces.
    pub(crate) fn of(namespaces: impl IntoIterator<Item = Option<Arc<str>>>) -> Self {
        let namespaces = namespaces.into_iter().map(|namespace| NamespaceStatus {
            namespace,
            has_synced: false,
            has_watched: false,
            failure: None,
        });
        Self {
            sender: watch::Sender::new(Facts {
                since: Instant::now(),
                started: false,
                synced: false,
                stopped: None,
                namespaces: namespaces.collect(),
                store_failure: None,
                over_budget: None,
            }),
            last_progress: Mutex::new(None),
        }
    }

    pub(crate) fn started(&self) {
        self.change(|facts| facts.started = true);
    }

    /// Marks all namespaces as listed but those that are still awaited, and the informer as synced if
    /// that completes its sync. A stopped informer stays unsynced, because waiters have already been
    /// told that it stopped.
    pub(crate) fn listed(&self, awaited: &[Option<Arc<str>>], completes_sync: bool) {
        self.change(|facts| {
            for known in &mut facts.namespaces {
                known.has_synced |= !awaited.contains(&known.namespace);
            }
            facts.synced |= completes_sync && facts.stopped.is_none();
        });
    }

    /// Marks the informer as stopped. The first cause is kept.
    pub(crate) fn stopped(&self, cause: StopCause) {
        self.change(|facts| {
            facts.stopped.get_or_insert(cause);
        });
    }

    /// Sets the failure of a namespace, given by its position.
    pub(crate) fn failed(&self, namespace: usize, error: impl Into<Arc<ReflectorError>>) {
        let error = error.into();
        self.change(|facts| {
            if let Some(namespace) = facts.namespaces.get_mut(namespace) {
                namespace.failure = Some(error);
            }
        });
    }

    /// Returns `true` if the last attempt to list each of these namespaces was forbidden.
    pub(crate) fn forbids(&self, awaited: &[Option<Arc<str>>]) -> bool {
        self.sender.borrow().forbids(awaited)
    }

    /// Waits until [`forbids`](Self::forbids) returns `true`. Cancel safe.
    pub(crate) async fn forbidden(&self, awaited: &[Option<Arc<str>>]) {
        let mut facts = self.sender.subscribe();
        // The sender outlives the wait.
        let _forbids = facts.wait_for(|facts| facts.forbids(awaited)).await;
    }

    /// Sets or clears the cause of a state that lasts as long as the budget is exceeded. A cause that
    /// reads as the last one is no change.
    pub(crate) fn over_budget(&self, cause: Option<ReflectorError>) {
        let text = |cause: &ReflectorError| cause.to_string();
        let last = self.sender.borrow().over_budget.as_deref().map(text);
        if last != cause.as_ref().map(text) {
            self.change(|facts| facts.over_budget = cause.map(Arc::new));
        }
    }

    /// Sets the failure of the user's store; `None` if the store works.
    pub(crate) fn store_failed(&self, failure: Option<Arc<StoreFailure>>) {
        self.sender
            .send_modify(|facts| facts.store_failure = failure);
    }

    /// Records a response of the server.
    pub(crate) fn received(&self, now: Instant) {
        *self.last_progress.lock() = Some(now);
    }

    /// Records that the watch of the namespace at this position works, which clears the last failure
    /// of that namespace. Returns `true` if there was one.
    pub(crate) fn follows(&self, namespace: usize, now: Instant) -> bool {
        self.received(now);
        self.sender.send_if_modified(|facts| {
            let known = facts.namespaces.get_mut(namespace);
            let has_failed = known.is_some_and(|known| {
                known.has_watched = true;
                known.failure.is_some()
            });
            if has_failed {
                facts.change(now, |facts| {
                    let known = facts.namespaces.get_mut(namespace);
                    known.map(|known| known.failure.take());
                });
            }
            has_failed
        })
    }

    fn change(&self, change: impl FnOnce(&mut Facts)) {
        self.sender
            .send_modify(|facts| facts.change(Instant::now(), change));
    }

    /// Returns the status without the undecodable objects, which the store knows, and without the
    /// encoding, which the source knows.
    pub(crate) fn get(&self) -> InformerStatus {
        let facts = self.sender.borrow().clone();
        let last_progress = *self.last_progress.lock();
        facts.into_status(last_progress)
    }

    /// Waits until `select` returns a value for a status. Cancel safe.
    pub(crate) async fn wait_for<R>(
        &self,
        mut select: impl FnMut(&InformerStatus) -> Option<R>,
    ) -> R {
        let mut receiver = self.sender.subscribe();
        loop {
            let status = receiver.borrow_and_update().clone().into_status(None);
            if let Some(result) = select(&status) {
                return result;
            }
            // An error would mean that the sender is gone, but this cell has it.
            let _changed = receiver.changed().await;
        }
    }
}

/// Changes of an informer's status.
///
/// Holds only the latest status. A slow reader misses intermediate statuses, but never the last
/// one. A change is a change of the state, of the cause of a failure, or of `has_synced`.
/// [`last_progress`](InformerStatus::last_progress), [`encoding`](InformerStatus::encoding) and
/// [`undecodable`](InformerStatus::undecodable) are included, but do not count as changes by
/// themselves.
///
/// From [`GenericInformer::status_changes`](crate::GenericInformer::status_changes).
#[derive_where(Debug)]
pub struct StatusChanges {
    receiver: watch::Receiver<Facts>,
    cell: Arc<StatusCell>,
    /// Adds the parts of the status that the store and the source know.
    #[derive_where(skip)]
    complete: Box<dyn Fn(&mut InformerStatus) + Send + Sync>,
    is_over: bool,
}

// === impl StatusChanges ===

impl StatusChanges {
    pub(crate) fn new(
        cell: Arc<StatusCell>,
        complete: impl Fn(&mut InformerStatus) + Send + Sync + 'static,
    ) -> Self {
        let mut receiver = cell.sender.subscribe();
        // The current status counts as the first change.
        receiver.mark_changed();
        Self {
            receiver,
            cell,
            complete: Box::new(complete),
            is_over: false,
        }
    }

    /// Waits for the next change. The first call returns the current status at once. Returns `None`
    /// after [`InformerState::Stopped`], which is the last change.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<InformerStatus> {
        if self.is_over {
            return None;
        }
        self.receiver.changed().await.ok()?;
        self.receiver.mark_unchanged();
        let mut status = self.cell.get();
        (self.complete)(&mut status);
        self.is_over = matches!(status.state, InformerState::Stopped { .. });
        Some(status)
    }

    /// Waits for a status that satisfies `condition`. That can be the current status if it was not
    /// returned yet. Returns `None` if the informer stops before.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the changes that did not satisfy `condition`.
    pub async fn wait_for(
        &mut self,
        mut condition: impl FnMut(&InformerStatus) -> bool,
    ) -> Option<InformerStatus> {
        loop {
            let status = self.next().await?;
            if condition(&status) {
                return Some(status);
            }
        }
    }

    /// Converts the changes into a stream, which ends after [`InformerState::Stopped`].
    pub fn into_stream(self) -> impl Stream<Item = InformerStatus> + Send + Unpin {
        stream::unfold(self, |mut changes| async move {
            let status = changes.next().await?;
            Some((status, changes))
        })
        .boxed()
    }
}

// === impl Facts ===

impl Facts {
    /// Changes the facts, and the time of the state if that is another one.
    fn change(&mut self, now: Instant, change: impl FnOnce(&mut Self)) {
        let before = std::mem::discriminant(&self.state());
        change(self);
        if std::mem::discriminant(&self.state()) != before {
            self.since = now;
        }
    }

    fn forbids(&self, awaited: &[Option<Arc<str>>]) -> bool {
        let is_forbidden = |known: &NamespaceStatus| {
            let failure = known.failure.as_deref();
            failure.and_then(Refusal::of) == Some(Refusal::Forbidden)
        };
        let mut known = self.namespaces.iter();
        known.all(|known| !awaited.contains(&known.namespace) || is_forbidden(known))
    }

    fn state(&self) -> InformerState {
        let mut failures = self.namespaces.iter().map(|known| &known.failure);
        let cause = failures.find_map(Option::clone);
        let cause = cause.or_else(|| self.over_budget.clone());
        match (self.stopped.clone(), cause) {
            (Some(cause), _) => InformerState::Stopped { cause },
            (None, Some(cause)) if is_silence(&cause) => InformerState::Stale { cause },
            (None, Some(cause)) => InformerState::Degraded { cause },
            (None, None) if self.synced => InformerState::Synced,
            (None, None) if self.started => InformerState::Listing,
            (None, None) => InformerState::Pending,
        }
    }

    fn into_status(self, last_progress: Option<Instant>) -> InformerStatus {
        InformerStatus {
            state: self.state(),
            since: self.since,
            has_synced: self.synced,
            last_progress,
            encoding: None,
            store_failure: self.store_failure,
            namespaces: self.namespaces,
            undecodable: Vec::new(),
        }
    }
}

fn is_silence(error: &ReflectorError) -> bool {
    if let ReflectorError::InNamespace { failure, .. } = error {
        return is_silence(failure);
    }
    matches!(error, ReflectorError::Lagging(_))
        || matches!(error.source_error(), Some(SourceError::Timeout { .. }))
}

impl fmt::Display for StopCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Requested => "on request",
            Self::Refused(reason) => reason,
            Self::Panicked => "a task panicked",
        })
    }
}

// === impl InformerState ===

impl InformerState {
    /// Returns the state in a word, as the value of the label `state`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Listing => "listing",
            Self::Synced => "synced",
            Self::Degraded { .. } => "degraded",
            Self::Stale { .. } => "stale",
            Self::Stopped { .. } => "stopped",
        }
    }

    /// Returns the cause of the state, with its remedy if there is one; `None` for a state without a
    /// cause.
    fn cause(&self) -> Option<String> {
        match self {
            Self::Pending | Self::Listing | Self::Synced => None,
            Self::Degraded { cause } | Self::Stale { cause } => Some(cause.explained()),
            Self::Stopped { cause } => Some(cause.to_string()),
        }
    }
}

/// Displays the state with its cause and, if there is one, the remedy.
impl fmt::Display for InformerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match self.cause() {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

// === impl InformerStatus ===

impl InformerStatus {
    /// Returns why the cache does not follow the server: a line for each failure, with the remedy if
    /// there is one. Empty if the cache follows the server.
    #[must_use]
    pub fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        if !matches!(self.state, InformerState::Stopped { .. }) {
            let failures = self
                .namespaces
                .iter()
                .filter_map(|known| known.failure.as_ref());
            causes.extend(failures.map(|failure| failure.explained()));
        }
        if causes.is_empty() {
            causes.extend(self.state.cause());
        }
        let store = self.store_failure.as_deref();
        causes.extend(store.map(|failure| Chain(failure).to_string()));
        causes
    }
}

/// Displays the state, its age and its causes, such as `degraded for 12 s: not served: is its
/// CustomResourceDefinition installed?: list failed: ..`.
impl fmt::Display for InformerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.since.elapsed().as_secs();
        write!(f, "{} for {seconds} s", self.state.as_str())?;
        let causes = self.causes();
        for cause in causes.iter().take(NAMED_CAUSES) {
            write!(f, ": {cause}")?;
        }
        match causes.len().saturating_sub(NAMED_CAUSES) {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}

//! How an informer is doing.

use std::fmt;
use std::sync::Arc;

use futures::stream::{self, Stream, StreamExt as _};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::base::sync::Mutex;
use crate::status::{ReflectorError, SourceError, StoreFailure};
use crate::storage::Undecodable;
use crate::wire::Encoding;

/// How an informer is doing, at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InformerStatus {
    /// What it is doing.
    pub state: InformerState,
    /// The first list was processed. Never becomes false again.
    pub has_synced: bool,
    /// When the server last said anything: a list, an event or a bookmark.
    pub last_progress: Option<Instant>,
    /// How the server encoded its last answer. `None` before there is one, and of sources of
    /// one's own.
    pub encoding: Option<Encoding>,
    /// Why the user's [`WriteThroughStore`](crate::shared_informer::WriteThroughStore) does not take what the cache holds. The
    /// informer waits for it meanwhile; `None` if it takes it, and if there is none.
    pub store_failure: Option<Arc<StoreFailure>>,
    /// The objects whose latest version did not decode, by key. The others are not affected, and
    /// the state does not depend on them.
    pub undecodable: Vec<Undecodable>,
}

/// What an informer is doing.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum InformerState {
    /// It does not run yet.
    Pending,
    /// The first state is on its way.
    Listing,
    /// The cache follows the server.
    Synced,
    /// The last try failed; the cache holds what it held, and the next try comes.
    Degraded {
        /// What failed.
        cause: Arc<ReflectorError>,
    },
    /// The server has been silent for longer than a healthy one is; a new connection comes.
    Stale {
        /// What was waited for.
        cause: Arc<ReflectorError>,
    },
    /// It was stopped, and cannot be started again. The cache stays readable.
    Stopped {
        /// Why it was.
        cause: StopCause,
    },
}

/// Why an informer stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopCause {
    /// It was asked to: by [`SharedInformer::stop`](crate::SharedInformer::stop), the token of its
    /// run, its factory, or by dropping its run.
    Requested,
    /// Its factory does not let it run; this is why.
    Refused(Arc<str>),
    /// One of its tasks panicked, and so ended uncalled for. What the panic said is on stderr, or
    /// where the program's panic hook puts it.
    Panicked,
}

/// The one place that knows an informer's status; whoever waits is woken by it.
#[derive(Debug)]
pub(crate) struct StatusCell {
    sender: watch::Sender<Facts>,
    last_progress: Mutex<Option<Instant>>,
}

#[derive(Debug, Clone, Default)]
struct Facts {
    started: bool,
    synced: bool,
    stopped: Option<StopCause>,
    failure: Option<Arc<ReflectorError>>,
    store_failure: Option<Arc<StoreFailure>>,
}

// === impl StatusCell ===

impl StatusCell {
    pub(crate) fn new() -> Self {
        Self {
            sender: watch::Sender::new(Facts::default()),
            last_progress: Mutex::new(None),
        }
    }

    pub(crate) fn started(&self) {
        self.sender.send_modify(|facts| facts.started = true);
    }

    /// Whoever was stopped first stays unsynced: who waited has been told so.
    pub(crate) fn synced(&self) {
        self.sender
            .send_modify(|facts| facts.synced |= facts.stopped.is_none());
    }

    /// The first cause stays.
    pub(crate) fn stopped(&self, cause: StopCause) {
        self.sender.send_modify(|facts| {
            facts.stopped.get_or_insert(cause);
        });
    }

    pub(crate) fn failed(&self, error: ReflectorError) {
        let error = Arc::new(error);
        self.sender.send_modify(|facts| facts.failure = Some(error));
    }

    /// What the user's store says; `None` that it works.
    pub(crate) fn store_failed(&self, failure: Option<Arc<StoreFailure>>) {
        self.sender
            .send_modify(|facts| facts.store_failure = failure);
    }

    /// The server answers.
    pub(crate) fn progress(&self, now: Instant) {
        *self.last_progress.lock() = Some(now);
        self.sender
            .send_if_modified(|facts| facts.failure.take().is_some());
    }

    /// Without the undecodable objects, which the store knows, and the encoding, which the source
    /// knows.
    pub(crate) fn get(&self) -> InformerStatus {
        let facts = self.sender.borrow().clone();
        let last_progress = *self.last_progress.lock();
        facts.into_status(last_progress)
    }

    pub(crate) fn subscribe(&self) -> StatusWatch {
        StatusWatch {
            receiver: self.sender.subscribe(),
        }
    }
}

/// Waits for a status.
#[derive(Debug)]
pub(crate) struct StatusWatch {
    receiver: watch::Receiver<Facts>,
}

// === impl StatusWatch ===

impl StatusWatch {
    /// Waits until `judge` makes something of the status. Cancel safe.
    ///
    /// `None` if the informer is gone.
    pub(crate) async fn wait_for<R>(
        &mut self,
        mut judge: impl FnMut(&InformerStatus) -> Option<R>,
    ) -> Option<R> {
        loop {
            let status = self.receiver.borrow_and_update().clone().into_status(None);
            if let Some(answer) = judge(&status) {
                return Some(answer);
            }
            self.receiver.changed().await.ok()?;
        }
    }
}

/// The status of an informer, each time that it changes.
///
/// Holds the latest status only, however slow its reader is: of changes in a row the reader sees
/// where they led. What changes is the state, the cause of a failure and `has_synced`;
/// [`last_progress`](InformerStatus::last_progress), [`encoding`](InformerStatus::encoding) and
/// [`undecodable`](InformerStatus::undecodable) are told with it, and are no changes by themselves.
///
/// From [`SharedInformer::status_changes`](crate::SharedInformer::status_changes).
pub struct StatusChanges {
    receiver: watch::Receiver<Facts>,
    cell: Arc<StatusCell>,
    /// Adds what others know.
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
        // What holds at the beginning is news, too.
        receiver.mark_changed();
        Self {
            receiver,
            cell,
            complete: Box::new(complete),
            is_over: false,
        }
    }

    /// Waits for the next change. The first call gives the present status at once; after
    /// [`InformerState::Stopped`], which is the last change, there is none.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<InformerStatus> {
        if self.is_over {
            return None;
        }
        self.receiver.changed().await.ok()?;
        let facts = self.receiver.borrow_and_update().clone();
        let last_progress = *self.cell.last_progress.lock();
        let mut status = facts.into_status(last_progress);
        (self.complete)(&mut status);
        self.is_over = matches!(status.state, InformerState::Stopped { .. });
        Some(status)
    }

    /// Waits for a status that `is_it`, which may be the present one if that was not given yet;
    /// `None` if the informer is stopped without it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the changes that were not it.
    pub async fn wait_for(
        &mut self,
        mut is_it: impl FnMut(&InformerStatus) -> bool,
    ) -> Option<InformerStatus> {
        loop {
            let status = self.next().await?;
            if is_it(&status) {
                return Some(status);
            }
        }
    }

    /// The changes as a stream, which ends after [`InformerState::Stopped`].
    pub fn into_stream(self) -> impl Stream<Item = InformerStatus> + Send + Unpin {
        stream::unfold(self, |mut changes| async move {
            let status = changes.next().await?;
            Some((status, changes))
        })
        .boxed()
    }
}

impl fmt::Debug for StatusChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusChanges")
            .field("state", &self.cell.get().state)
            .finish_non_exhaustive()
    }
}

// === impl Facts ===

impl Facts {
    fn into_status(self, last_progress: Option<Instant>) -> InformerStatus {
        let state = match (self.stopped, self.failure) {
            (Some(cause), _) => InformerState::Stopped { cause },
            (None, Some(cause)) if is_silence(&cause) => InformerState::Stale { cause },
            (None, Some(cause)) => InformerState::Degraded { cause },
            (None, None) if self.synced => InformerState::Synced,
            (None, None) if self.started => InformerState::Listing,
            (None, None) => InformerState::Pending,
        };
        InformerStatus {
            state,
            has_synced: self.synced,
            last_progress,
            encoding: None,
            store_failure: self.store_failure,
            undecodable: Vec::new(),
        }
    }
}

fn is_silence(error: &ReflectorError) -> bool {
    matches!(error.source_error(), Some(SourceError::Timeout { .. }))
}

impl fmt::Display for InformerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pending => "pending",
            Self::Listing => "listing",
            Self::Synced => "synced",
            Self::Degraded { .. } => "degraded",
            Self::Stale { .. } => "stale",
            Self::Stopped { .. } => "stopped",
        })
    }
}

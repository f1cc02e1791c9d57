//! [`ReconcileReason`]: one cause for which an item waits. [`Reasons`]: all causes of one call.

use std::fmt;
use std::sync::Arc;

use informer_runtime::{Event, ObjectKey, Origin};

/// Reason for which an item waits for a worker: the first cause since the item was last in work.
///
/// Prints as a phrase, such as `updated`, `owned ConfigMap a/b updated`, `resync`, `requeue
/// requested` or `retry after error`. The counterpart is kube-runtime's `ReconcileReason`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReconcileReason(Cause);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Cause {
    /// Added by the program.
    #[default]
    Added,
    /// Event of the object itself.
    Object(EventKind),
    /// Event of a related object.
    Related(RelationName, ObjectKey, EventKind),
    Requeue,
    Retry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventKind {
    Listed,
    Added,
    Updated,
    Deleted,
    Resynced,
}

/// Relation of an item to the objects of one informer, such as `owned ConfigMap`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelationName(pub(super) Arc<str>);

/// Reasons for which an item was queued since it was last in work, the first one first.
///
/// Prints as a phrase, such as `owned ConfigMap a/b updated (3 times), resync`. Without a
/// [recorder](super::WorkQueue::record), only the first reason is kept.
///
/// # Examples
///
/// ```
/// # use std::sync::Arc;
/// # use informer_controller::workqueue::Reasons;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// async fn reconcile(object: Arc<ConfigMap>, _: Arc<()>) -> Result<(), kube::Error> {
///     tracing::info!(why = %Reasons::current(), "reconciling");
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reasons {
    first: Option<ReconcileReason>,
    /// Number of later adds for the first reason.
    again: u64,
    /// Other reasons, with their numbers of adds.
    merged: Vec<(ReconcileReason, u64)>,
    /// Number of adds for further reasons: at most eight are kept beside the first.
    pub beyond: u64,
}

/// Number of different reasons that are kept for the later adds of an item. Others are counted.
const MOST_MERGED: usize = 8;

tokio::task_local! {
    /// Reasons of the call that the current task makes.
    static CURRENT: Reasons;
}

// === impl ReconcileReason ===

impl ReconcileReason {
    pub(super) const REQUEUE: Self = Self(Cause::Requeue);
    pub(super) const RETRY: Self = Self(Cause::Retry);

    /// Returns the reason of an item whose own object has changed.
    pub(super) fn object<T>(event: &Event<T>) -> Self {
        Self(Cause::Object(EventKind::of(event)))
    }

    /// Returns the reason of an item that the change of another object concerns.
    pub(super) fn related<T>(related: RelationName, event: &Event<T>) -> Self {
        Self(Cause::Related(
            related,
            event.key().clone(),
            EventKind::of(event),
        ))
    }

    /// Returns the class of the reason, the value of a metric's label: `added`, `object`, `related`,
    /// `resync`, `requeue` or `retry`.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self.0 {
            Cause::Added => "added",
            Cause::Object(EventKind::Resynced) | Cause::Related(_, _, EventKind::Resynced) => {
                "resync"
            }
            Cause::Object(_) => "object",
            Cause::Related(..) => "related",
            Cause::Requeue => "requeue",
            Cause::Retry => "retry",
        }
    }
}

impl fmt::Display for ReconcileReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::Added => f.write_str("added by the program"),
            Cause::Object(EventKind::Resynced) => f.write_str("resync"),
            Cause::Object(change) => write!(f, "{change}"),
            Cause::Related(RelationName(related), key, change) => {
                write!(f, "{related} {key} {change}")
            }
            Cause::Requeue => f.write_str("requeue requested"),
            Cause::Retry => f.write_str("retry after error"),
        }
    }
}

// === impl Reasons ===

impl Reasons {
    /// Returns the reasons of the call of `reconcile` that runs in the current task; none elsewhere,
    /// such as in a task that `reconcile` has spawned.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.try_with(Clone::clone).unwrap_or_default()
    }

    /// Runs a call for these reasons.
    pub(super) fn during<F: Future>(&self, call: F) -> impl Future<Output = F::Output> + use<F> {
        CURRENT.scope(self.clone(), call)
    }

    /// Returns the first reason.
    pub(super) fn first(&self) -> &ReconcileReason {
        static ADDED: ReconcileReason = ReconcileReason(Cause::Added);
        self.first.as_ref().unwrap_or(&ADDED)
    }

    /// Returns each reason with its number of adds, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = (&ReconcileReason, u64)> {
        let first = self.first.iter().map(|first| (first, 1 + self.again));
        let merged = self.merged.iter().map(|(reason, adds)| (reason, *adds));
        first.chain(merged)
    }

    /// Adds the reasons of other adds, or counts those that are known.
    pub(super) fn extend(&mut self, other: Self) {
        let first = other.first.map(|first| (first, 1 + other.again));
        for (reason, adds) in first.into_iter().chain(other.merged) {
            if self.first.as_ref() == Some(&reason) {
                self.again += adds;
            } else if let Some(known) = self.merged.iter_mut().find(|known| known.0 == reason) {
                known.1 += adds;
            } else if self.merged.len() < MOST_MERGED {
                self.merged.push((reason, adds));
            } else {
                self.beyond += adds;
            }
        }
        self.beyond += other.beyond;
    }
}

impl From<ReconcileReason> for Reasons {
    fn from(first: ReconcileReason) -> Self {
        Self {
            first: Some(first),
            ..Self::default()
        }
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first.is_none() {
            return f.write_str("no reason is known");
        }
        for (position, (reason, adds)) in self.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{reason}")?;
            if adds > 1 {
                write!(f, " ({adds} times)")?;
            }
        }
        match self.beyond {
            0 => Ok(()),
            beyond => write!(f, ", and {beyond} more"),
        }
    }
}

// === impl RelationName ===

impl RelationName {
    pub(crate) fn new(relation: &str, kind: &str) -> Self {
        Self(format!("{relation} {kind}").into())
    }
}

// === impl EventKind ===

impl EventKind {
    fn of<T>(event: &Event<T>) -> Self {
        let origin = event.origin();
        match origin {
            Origin::Initial => return Self::Listed,
            Origin::Resync => return Self::Resynced,
            Origin::Live | Origin::Relist | Origin::Filter | Origin::Reshard => {}
        }
        match event {
            Event::Added(_) if origin == Origin::Reshard => Self::Listed,
            Event::Added(_) => Self::Added,
            Event::Updated(_) => Self::Updated,
            Event::Deleted(_) => Self::Deleted,
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Listed => "listed",
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::Resynced => "resynced",
        })
    }
}

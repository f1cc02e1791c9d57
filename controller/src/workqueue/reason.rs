//! [`ReconcileReason`]: the first cause for which an item waits.

use std::fmt;
use std::sync::Arc;

use crate::event::{Event, Origin};
use crate::object::ObjectKey;

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
    Related(Related, ObjectKey, EventKind),
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
pub(crate) struct Related(Arc<str>);

/// Number of different [labels](ReconcileReason::label).
pub(super) const LABELS: usize = 6;

// === impl ReconcileReason ===

impl ReconcileReason {
    pub(super) const REQUEUE: Self = Self(Cause::Requeue);
    pub(super) const RETRY: Self = Self(Cause::Retry);

    /// Returns the reason of an item whose own object has changed.
    pub(super) fn object<T>(event: &Event<T>) -> Self {
        Self(Cause::Object(EventKind::of(event)))
    }

    /// Returns the reason of an item that the change of another object concerns.
    pub(super) fn related<T>(related: Related, event: &Event<T>) -> Self {
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
        self.class().0
    }

    /// Returns the number of the label, which is less than [`LABELS`].
    pub(super) fn number(&self) -> usize {
        self.class().1
    }

    fn class(&self) -> (&'static str, usize) {
        match self.0 {
            Cause::Added => ("added", 0),
            Cause::Object(EventKind::Resynced) | Cause::Related(_, _, EventKind::Resynced) => {
                ("resync", 1)
            }
            Cause::Object(_) => ("object", 2),
            Cause::Related(..) => ("related", 3),
            Cause::Requeue => ("requeue", 4),
            Cause::Retry => ("retry", 5),
        }
    }
}

impl fmt::Display for ReconcileReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::Added => f.write_str("added by the program"),
            Cause::Object(EventKind::Resynced) => f.write_str("resync"),
            Cause::Object(change) => write!(f, "{change}"),
            Cause::Related(Related(related), key, change) => {
                write!(f, "{related} {key} {change}")
            }
            Cause::Requeue => f.write_str("requeue requested"),
            Cause::Retry => f.write_str("retry after error"),
        }
    }
}

// === impl Related ===

impl Related {
    pub(crate) fn new(relation: &str, kind: &str) -> Self {
        Self(format!("{relation} {kind}").into())
    }
}

// === impl EventKind ===

impl EventKind {
    fn of<T>(event: &Event<T>) -> Self {
        match (event.origin(), event) {
            (Origin::Initial, _) | (Origin::Reshard, Event::Added(_)) => Self::Listed,
            (Origin::Resync, _) => Self::Resynced,
            (Origin::Live | Origin::Relist, Event::Added(_)) => Self::Added,
            (_, Event::Updated(_)) => Self::Updated,
            (_, Event::Deleted(_)) => Self::Deleted,
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

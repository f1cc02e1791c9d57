//! [`Event`]: one notification to a handler.

use std::fmt;

use crate::object::{Footprint, ObjectKey};

/// Number of a handler within its informer, in the order in which handlers were added. Numbers are
/// never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HandlerId(u64);

/// One notification to one handler.
///
/// `H` is the storage's handle: `Arc<K>` unless the informer was built with another storage.
/// client-go's counterparts are the three methods of `ResourceEventHandler`.
#[derive(Debug, Clone)]
pub enum Event<H> {
    /// An object that this handler has not seen yet, or not since the object's deletion.
    Added(Added<H>),
    /// A new version of an object, or the same version again after a resync.
    Updated(Updated<H>),
    /// A deleted object.
    Deleted(Deleted<H>),
}

/// Notification of an object that appeared.
#[derive(Debug, Clone)]
pub struct Added<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The object.
    pub object: H,
    /// Cause of the notification.
    pub origin: Origin,
}

/// Notification of an object that changed.
#[derive(Debug, Clone)]
pub struct Updated<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The object as this handler last saw it.
    pub old: H,
    /// Memory of `old`, which the event keeps while it waits. The bound of a mailbox counts it.
    pub old_footprint: Footprint,
    /// The object's current state.
    pub new: H,
    /// Cause of the notification. With [`Origin::Resync`], `old` and `new` are the same handle.
    pub origin: Origin,
}

/// Notification of a deleted object. client-go's counterparts are `DeletedObject` and
/// `DeletedFinalStateUnknown`.
#[derive(Debug, Clone)]
pub struct Deleted<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The final state, or the last known state if `final_state_unknown` is `true`.
    pub object: H,
    /// Memory of `object`. The bound of a mailbox counts it.
    pub footprint: Footprint,
    /// `true` if the informer missed the deletion event: `object` may be older than the object's
    /// final state.
    pub final_state_unknown: bool,
    /// Cause of the notification.
    pub origin: Origin,
}

/// Cause of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Initial state of the handler: the first list, or the content of the cache at the moment when
    /// the handler was added. client-go's counterpart is `isInInitialList`.
    Initial,
    /// A watch event.
    Live,
    /// Difference that a later list found.
    Relist,
    /// No change: the handler's resync period elapsed, or a list or a watch event repeated the
    /// stored version. Only handlers with a resync period receive such notifications.
    Resync,
}

// === impl HandlerId ===

impl HandlerId {
    pub(crate) fn new(number: u64) -> Self {
        Self(number)
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

// === impl Event ===

impl<H> Event<H> {
    /// Returns the key of the object.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        match self {
            Self::Added(added) => &added.key,
            Self::Updated(updated) => &updated.key,
            Self::Deleted(deleted) => &deleted.key,
        }
    }

    /// Returns the object's most recent state: the new one of an update, the last one of a
    /// deletion.
    #[must_use]
    pub fn object(&self) -> &H {
        match self {
            Self::Added(added) => &added.object,
            Self::Updated(updated) => &updated.new,
            Self::Deleted(deleted) => &deleted.object,
        }
    }

    /// Returns the same notification with other handles.
    pub(crate) fn map<T>(self, to: impl Fn(H) -> T) -> Event<T> {
        match self {
            Self::Added(added) => Event::Added(Added {
                key: added.key,
                object: to(added.object),
                origin: added.origin,
            }),
            Self::Updated(updated) => Event::Updated(Updated {
                key: updated.key,
                old: to(updated.old),
                old_footprint: updated.old_footprint,
                new: to(updated.new),
                origin: updated.origin,
            }),
            Self::Deleted(deleted) => Event::Deleted(Deleted {
                key: deleted.key,
                object: to(deleted.object),
                footprint: deleted.footprint,
                final_state_unknown: deleted.final_state_unknown,
                origin: deleted.origin,
            }),
        }
    }

    /// Returns the size of the object that left the store by this event, in bytes; 0 for an add and
    /// for a resync.
    pub(crate) fn bytes(&self) -> usize {
        self.replaced()
            .map_or(0, |(_, footprint)| footprint.bytes())
    }

    /// Returns the object that left the store by this event, and its memory. For a resync the
    /// memory is unknown, because the object stays.
    pub(crate) fn replaced(&self) -> Option<(&H, Footprint)> {
        match self {
            Self::Added(_) => None,
            Self::Updated(updated) => Some((&updated.old, updated.old_footprint)),
            Self::Deleted(deleted) => Some((&deleted.object, deleted.footprint)),
        }
    }

    /// Returns the cause of the notification.
    #[must_use]
    pub fn origin(&self) -> Origin {
        match self {
            Self::Added(added) => added.origin,
            Self::Updated(updated) => updated.origin,
            Self::Deleted(deleted) => deleted.origin,
        }
    }
}

impl<H> Added<H> {
    /// Returns `true` if the object is part of the handler's initial state.
    #[must_use]
    pub fn is_in_initial_list(&self) -> bool {
        self.origin == Origin::Initial
    }
}

impl<H> Updated<H> {
    /// Returns `true` if this is a resync: the object has not changed.
    #[must_use]
    pub fn is_resync(&self) -> bool {
        self.origin == Origin::Resync
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Initial => "initial",
            Self::Live => "live",
            Self::Relist => "relist",
            Self::Resync => "resync",
        })
    }
}

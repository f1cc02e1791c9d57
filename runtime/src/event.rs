//! [`Event`]: one notification to a handler.

use std::fmt;
use std::sync::Arc;

use derive_where::derive_where;

use crate::object::ObjectKey;
use crate::storage::Entry;

/// Number of a handler within its informer, in the order in which handlers were added. Numbers are
/// never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HandlerId(u64);

/// One notification to one handler.
///
/// `T` is the form of the objects in the cache: the type of the informer, unless it was built with
/// another storage than [`Typed`](crate::Typed). client-go's counterparts are the three methods of
/// `ResourceEventHandler`.
#[derive(Debug)]
#[derive_where(Clone)]
pub enum Event<T> {
    /// An object that this handler has not seen yet, or not since the object's deletion.
    Added(Added<T>),
    /// A new version of an object, or the same version again after a resync.
    Updated(Updated<T>),
    /// A deleted object.
    Deleted(Deleted<T>),
}

/// Notification of an object that appeared.
#[derive(Debug)]
#[derive_where(Clone)]
pub struct Added<T> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The object.
    pub object: Arc<T>,
    /// Cause of the notification.
    pub origin: Origin,
}

/// Notification of an object that changed.
#[derive(Debug)]
#[derive_where(Clone)]
pub struct Updated<T> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The object as this handler last saw it.
    pub old: Arc<T>,
    /// The object's current state.
    pub new: Arc<T>,
    /// Cause of the notification. With [`Origin::Resync`], `old` and `new` are the same object.
    pub origin: Origin,
}

/// Notification of a deleted object, or of one that the informer no longer caches.
///
/// With [`Origin::Filter`], the object left the filter of the informer, and exists. A watch reports an
/// object that left the selector like a deleted one. If the informer saw the final state, which has a
/// finalizer and no deletion timestamp, the object has left, because the API server deletes none such. In
/// other cases only the API server can tell; a controller with a finalizer calls
/// `finalizer::release`. client-go's counterparts are `DeletedObject` and `DeletedFinalStateUnknown`.
#[derive(Debug)]
#[derive_where(Clone)]
pub struct Deleted<T> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The final state, or the last known state if `final_state_unknown` is `true`.
    pub object: Arc<T>,
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
    /// The object exists, and no longer passes the informer's
    /// [`filter`](crate::InformerOptions::filter). Deletions alone have this origin. Their `object`
    /// is the version that did not pass.
    Filter,
    /// The object entered or left what this replica caches: [`Shards`] handed its part over.
    ///
    /// [`Shards`]: https://docs.rs/informer/latest/informer/shards/struct.Shards.html
    Reshard,
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

impl<T> Event<T> {
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
    pub fn object(&self) -> &Arc<T> {
        match self {
            Self::Added(added) => &added.object,
            Self::Updated(updated) => &updated.new,
            Self::Deleted(deleted) => &deleted.object,
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

/// Notifications of the engine, before a handler's end gives them their type.
impl Event<Entry> {
    /// Returns the notification of the entries' objects, which must be `T`s.
    pub(crate) fn typed<T: Send + Sync + 'static>(self) -> Event<T> {
        match self {
            Self::Added(added) => Event::Added(Added {
                key: added.key,
                object: added.object.shared(),
                origin: added.origin,
            }),
            Self::Updated(updated) => Event::Updated(Updated {
                key: updated.key,
                old: updated.old.shared(),
                new: updated.new.shared(),
                origin: updated.origin,
            }),
            Self::Deleted(deleted) => Event::Deleted(Deleted {
                key: deleted.key,
                object: deleted.object.shared(),
                final_state_unknown: deleted.final_state_unknown,
                origin: deleted.origin,
            }),
        }
    }

    /// Returns the object that left the store by this event; `None` for an add and for a resync.
    pub(crate) fn replaced(&self) -> Option<&Arc<Entry>> {
        match self {
            Self::Added(_) => None,
            Self::Updated(updated) => Some(&updated.old).filter(|_| !updated.is_resync()),
            Self::Deleted(deleted) => Some(&deleted.object),
        }
    }

    /// Returns the size of the object that left the store by this event, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.replaced().map_or(0, |entry| entry.footprint.bytes())
    }
}

impl<T> Added<T> {
    /// Returns `true` if the object is part of the handler's initial state.
    #[must_use]
    pub fn is_in_initial_list(&self) -> bool {
        self.origin == Origin::Initial
    }
}

impl<T> Updated<T> {
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
            Self::Filter => "filter",
            Self::Reshard => "reshard",
            Self::Resync => "resync",
        })
    }
}

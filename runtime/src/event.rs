//! [`Event`]: what handlers are told.

use std::fmt;

use crate::object::ObjectKey;

/// The number of a handler within its informer, in the order of adding; never given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HandlerId(u64);

/// One notification to one handler.
///
/// `H` is the storage's handle: `Arc<K>` unless the informer was built with another storage.
/// client-go's counterparts are the three methods of `ResourceEventHandler`.
#[derive(Debug, Clone)]
pub enum Event<H> {
    /// An object that this handler has not seen, or not since its deletion.
    Added(Added<H>),
    /// A new version of an object; or, from a resync, the same one again.
    Updated(Updated<H>),
    /// An object that is gone.
    Deleted(Deleted<H>),
}

/// An object that appeared.
#[derive(Debug, Clone)]
pub struct Added<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The object.
    pub object: H,
    /// What brought the news.
    pub origin: Origin,
}

/// An object that changed.
#[derive(Debug, Clone)]
pub struct Updated<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The object as this handler saw it last.
    pub old: H,
    /// The object now.
    pub new: H,
    /// What brought the news. With [`Origin::Resync`], `old` and `new` are the same handle.
    pub origin: Origin,
}

/// An object that is gone. client-go's counterparts are `DeletedObject` and
/// `DeletedFinalStateUnknown`.
#[derive(Debug, Clone)]
pub struct Deleted<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The final state, or the last one known if `final_state_unknown`.
    pub object: H,
    /// The deletion was not seen happen: `object` may be older than its last version.
    pub final_state_unknown: bool,
    /// What brought the news.
    pub origin: Origin,
}

/// What brought a notification about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The state that the handler starts from: the first list, or what the cache held when the
    /// handler was added. client-go's `isInInitialList`.
    Initial,
    /// A watch event.
    Live,
    /// The difference that a later list found.
    Relist,
    /// Nothing has changed: the handler's resync period is over, or a list or a watch event brought
    /// the stored version again, which handlers with a resync period are told of.
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
    /// The key of the object.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        match self {
            Self::Added(added) => &added.key,
            Self::Updated(updated) => &updated.key,
            Self::Deleted(deleted) => &deleted.key,
        }
    }

    /// The object's most recent state: the new one of an update, the last one of a deletion.
    #[must_use]
    pub fn object(&self) -> &H {
        match self {
            Self::Added(added) => &added.object,
            Self::Updated(updated) => &updated.new,
            Self::Deleted(deleted) => &deleted.object,
        }
    }

    /// What brought the notification about.
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
    /// Whether this is part of the state that the handler starts from.
    #[must_use]
    pub fn is_in_initial_list(&self) -> bool {
        self.origin == Origin::Initial
    }
}

impl<H> Updated<H> {
    /// Whether a resync shows the object again, and nothing has changed.
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

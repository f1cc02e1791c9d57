//! [`RawEvent`]: one event of a watch.

use super::raw::{RawObject, Rejected};
use super::status::ApiStatus;
use crate::object::ResourceVersion;

/// One event of a watch.
#[derive(Debug, Clone)]
pub enum RawEvent {
    /// `ADDED`.
    Added(RawObject),
    /// `MODIFIED`.
    Modified(RawObject),
    /// `DELETED`, with the object's final state.
    Deleted(RawObject),
    /// `BOOKMARK`: every change up to `resource_version` was sent.
    Bookmark {
        /// Version that the watch has reached.
        resource_version: ResourceVersion,
        /// `true` at the end of a streaming list: the annotation `k8s.io/initial-events-end` is
        /// `"true"`.
        initial_events_end: bool,
    },
    /// `ERROR`: the last event of the watch.
    Error(ApiStatus),
    /// An event of an unknown type. Its version still advances the watch.
    Unknown {
        /// Type as sent, truncated to 64 bytes.
        event_type: String,
        /// Version of the event's object.
        resource_version: ResourceVersion,
    },
    /// An event whose object is not of the requested resource, or is unreadable.
    Rejected(Rejected),
}

// === impl RawEvent ===

impl RawEvent {
    /// Creates a periodic bookmark.
    #[must_use]
    pub fn bookmark(resource_version: impl Into<ResourceVersion>) -> Self {
        Self::Bookmark {
            resource_version: resource_version.into(),
            initial_events_end: false,
        }
    }

    /// Creates the bookmark that ends the initial events of a streaming list.
    #[must_use]
    pub fn initial_events_end(resource_version: impl Into<ResourceVersion>) -> Self {
        Self::Bookmark {
            resource_version: resource_version.into(),
            initial_events_end: true,
        }
    }

    /// Returns the object of an event of type `ADDED`, `MODIFIED` or `DELETED`.
    #[must_use]
    pub fn object(&self) -> Option<&RawObject> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => Some(object),
            Self::Bookmark { .. } | Self::Error(_) | Self::Unknown { .. } | Self::Rejected(_) => {
                None
            }
        }
    }

    /// Returns the version that a watch has reached with this event.
    ///
    /// Returns `None` for errors and rejected events, which do not advance the watch, and for
    /// objects without a version.
    #[must_use]
    pub fn resource_version(&self) -> Option<&ResourceVersion> {
        let version = match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => {
                object.resource_version()
            }
            Self::Bookmark {
                resource_version, ..
            }
            | Self::Unknown {
                resource_version, ..
            } => resource_version,
            Self::Error(_) | Self::Rejected(_) => return None,
        };
        (!version.is_unset()).then_some(version)
    }
}

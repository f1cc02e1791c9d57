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
        /// The version that the watch has reached.
        resource_version: ResourceVersion,
        /// The annotation `k8s.io/initial-events-end` is `"true"`: the end of a streaming list.
        initial_events_end: bool,
    },
    /// `ERROR`: the watch ends with this.
    Error(ApiStatus),
    /// An event of a type that is not known; its version counts all the same.
    Unknown {
        /// The type as sent, at most 64 characters of it.
        event_type: String,
        /// The version of its object.
        resource_version: ResourceVersion,
    },
    /// An event that is not of the resource that was asked for.
    Rejected(Rejected),
}

// === impl RawEvent ===

impl RawEvent {
    /// A bookmark as a watch sends it now and then.
    #[must_use]
    pub fn bookmark(resource_version: impl Into<ResourceVersion>) -> Self {
        Self::Bookmark {
            resource_version: resource_version.into(),
            initial_events_end: false,
        }
    }

    /// The bookmark that ends the initial events of a streaming list.
    #[must_use]
    pub fn initial_events_end(resource_version: impl Into<ResourceVersion>) -> Self {
        Self::Bookmark {
            resource_version: resource_version.into(),
            initial_events_end: true,
        }
    }

    /// The version that a watch has reached with this event.
    ///
    /// `None` for errors and rejected events, which do not advance it, and for objects that have
    /// none.
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

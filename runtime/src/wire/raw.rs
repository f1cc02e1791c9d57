//! Objects as bytes, with the header that was read of them.

use bytes::Bytes;

use super::status::ApiStatus;
use crate::{ObjectKey, ResourceVersion, Uid};

/// An object as it came over the wire, its header read, its body not decoded.
#[derive(Debug, Clone)]
pub struct RawObject {
    header: Header,
    bytes: Bytes,
}

/// What is known of an object without decoding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid`.
    pub uid: Option<Uid>,
    /// `metadata.resourceVersion`.
    pub resource_version: ResourceVersion,
}

/// What a list says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListMeta {
    /// The version that the list is of.
    pub resource_version: ResourceVersion,
    /// Where the next page starts; `None` on the last one.
    pub continue_token: Option<String>,
    /// How many objects follow on later pages, if the server says so.
    pub remaining_item_count: Option<u64>,
}

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

/// An item or event that was refused without being decoded; the others are not affected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("object {} rejected: {reason}", key.as_ref().map_or("without a key", ObjectKey::as_str))]
pub struct Rejected {
    /// The object's key, if it could be read.
    pub key: Option<ObjectKey>,
    /// Why; holds no content of the object.
    pub reason: String,
}

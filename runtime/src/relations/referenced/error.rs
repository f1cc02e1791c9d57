//! [`ReferencedError`]: reasons why a cache of referenced objects has no object.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::object::{ObjectKey, ResourceVersion};
use crate::status::ReflectorError;
use crate::storage::ObjectError;

/// Error of [`ReferencedCache::try_get`](super::ReferencedCache::try_get).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ReferencedError {
    /// No cached referrer mentions the object.
    NotReferenced {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
    },
    /// The referrers or the object have not been listed yet. The source is the last failure, if one
    /// occurred.
    NotSynced {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
        /// Failure of the latest attempt. Attempts continue.
        cause: Option<Arc<ReflectorError>>,
    },
    /// The API server forbids this client to list or watch the object. Attempts continue.
    Forbidden {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
        /// Refusal of the API server.
        cause: Arc<ReflectorError>,
    },
    /// The object does not exist.
    NotFound {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
    },
    /// The object is not watched, because all single watches are in use.
    TooMany {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
        /// Maximum number of single watches.
        limit: usize,
    },
    /// The object's latest version did not decode. `get` returns the last good version, if one
    /// exists.
    Undecodable {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
        /// resourceVersion that did not decode.
        resource_version: ResourceVersion,
        /// Reason of the failure.
        error: Arc<ObjectError>,
    },
}

// === impl ReferencedError ===

impl fmt::Display for ReferencedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReferenced { resource, key } => {
                write!(
                    f,
                    "{resource} \"{key}\" is not referenced by a cached object"
                )
            }
            Self::NotSynced { resource, key, .. } => write!(
                f,
                "{resource} \"{key}\" is not known yet: the cache has not synced"
            ),
            Self::Forbidden { resource, key, .. } => write!(
                f,
                "{resource} \"{key}\" is forbidden: grant `list` and `watch` on it"
            ),
            Self::NotFound { resource, key } => write!(f, "{resource} \"{key}\" not found"),
            Self::TooMany {
                resource,
                key,
                limit,
            } => write!(
                f,
                "{resource} \"{key}\" is not watched: all {limit} single watches are in use; \
                 raise `max_single_watches`, or grant `list` and `watch` on the namespace"
            ),
            Self::Undecodable {
                resource,
                key,
                resource_version,
                ..
            } => write!(
                f,
                "{resource} \"{key}\" does not decode at resourceVersion \"{resource_version}\""
            ),
        }
    }
}

/// Not derived, because a derived `source` would return the `Arc` instead of the error in it.
impl Error for ReferencedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotSynced {
                cause: Some(cause), ..
            }
            | Self::Forbidden { cause, .. } => Some(&**cause),
            Self::Undecodable { error, .. } => Some(&**error),
            Self::NotReferenced { .. }
            | Self::NotSynced { cause: None, .. }
            | Self::NotFound { .. }
            | Self::TooMany { .. } => None,
        }
    }
}

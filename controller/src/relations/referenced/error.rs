//! [`ReferencedError`]: reasons why a cache of referenced objects has no object.

use informer_runtime::ObjectKey;

use crate::relations::RelatedError;

/// Error of [`ReferencedCache::try_get`](super::ReferencedCache::try_get).
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ReferencedError {
    /// No cached referrer mentions the object.
    #[error("{resource} \"{key}\" is not referenced by a cached object")]
    NotReferenced {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
    },
    /// The object is not watched, because all single watches are in use.
    #[error(
        "{resource} \"{key}\" is not watched: all {limit} single watches are in use; raise \
         `max_single_watches`, or grant `list` and `watch` on the namespace"
    )]
    TooMany {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
        /// Maximum number of single watches.
        limit: usize,
    },
    /// The object does not exist, is not known yet, is forbidden, or its latest version did not
    /// decode. `get` returns the last good version, if one exists.
    #[error(transparent)]
    Related(#[from] RelatedError),
}

//! [`RelatedError`]: reason for which a related object is not available.

use std::sync::Arc;

use crate::lister::GetError;
use crate::object::ObjectKey;
use crate::status::ReflectorError;

/// Reason for which a related object is not available.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RelatedError {
    /// The cache does not have the object, for the reason given: it does not exist, it is out of
    /// scope, it does not decode, or the cache has not synced.
    #[error(transparent)]
    Get(#[from] GetError),
    /// The cache has not synced, because the API server refuses to list the resource.
    #[error("{resource} \"{key}\" is not known: the API server refuses to list {resource}")]
    Forbidden {
        /// Plural name of the resource.
        resource: String,
        /// Key of the object.
        key: ObjectKey,
        /// Failure of the informer.
        #[source]
        error: Arc<ReflectorError>,
    },
}

// === impl RelatedError ===

impl RelatedError {
    /// Returns `true` if the cache has synced, and the object does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Get(GetError::NotFound { .. }))
    }

    /// Returns `true` if the cache has not synced.
    #[must_use]
    pub fn is_not_synced(&self) -> bool {
        matches!(self, Self::Get(GetError::NotSynced { .. }))
    }
}

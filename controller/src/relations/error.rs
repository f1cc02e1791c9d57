//! [`RelatedError`]: reason for which a related object is not available.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use informer_runtime::{GenericInformer, GetError, ObjectKey, ReflectorError, SyncError};

/// Reason for which a related object is not available.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RelatedError {
    /// The cache does not have the object: it does not exist, is outside the cached namespace, is in
    /// the shard of another replica, did not decode, or is not known yet.
    Get(GetError),
    /// The object is not known, because the API server forbids this client to list or watch it.
    /// Attempts continue.
    Forbidden {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
        /// Refusal of the API server.
        error: Arc<ReflectorError>,
    },
    /// The object is not known yet, because the latest attempt to list or watch it has failed.
    /// Attempts continue.
    Failed {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
        /// Failure of the latest attempt.
        error: Arc<ReflectorError>,
    },
}

// === impl RelatedError ===

impl RelatedError {
    /// Returns the reason for which an informer does not have an object.
    pub(super) fn of(error: GetError, informer: &GenericInformer) -> Self {
        let GetError::NotSynced { resource, key } = &error else {
            return Self::Get(error);
        };
        match informer.last_failure(key.namespace()) {
            None => Self::Get(error),
            Some(failure) if is_forbidden(&failure) => Self::Forbidden {
                resource: resource.clone(),
                key: key.clone(),
                error: failure,
            },
            Some(failure) => Self::Failed {
                resource: resource.clone(),
                key: key.clone(),
                error: failure,
            },
        }
    }

    /// Returns `true` if the object does not exist, according to a synced cache.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Get(GetError::NotFound { .. }))
    }
}

/// Reports whether the API server refused to list or watch.
pub(super) fn is_forbidden(failure: &Arc<ReflectorError>) -> bool {
    matches!(SyncError::definite(failure), Some(SyncError::Forbidden(_)))
}

impl fmt::Display for RelatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Get(error) => fmt::Display::fmt(error, f),
            Self::Forbidden { resource, key, .. } => write!(
                f,
                "{resource} \"{key}\" is forbidden: grant `list` and `watch` on it"
            ),
            Self::Failed { resource, key, .. } => write!(
                f,
                "{resource} \"{key}\" is not known yet: the cache has not synced"
            ),
        }
    }
}

/// Not derived, because a derived `source` would return the `Arc` instead of the error in it.
impl Error for RelatedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Get(error) => error.source(),
            Self::Forbidden { error, .. } | Self::Failed { error, .. } => Some(&**error),
        }
    }
}

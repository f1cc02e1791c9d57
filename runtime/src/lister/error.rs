//! Why a lister has no object to give.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::ObjectError;

/// Why [`try_get`](super::Lister::try_get) gives no object.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum GetError {
    /// The cache is in step, and there is no such object.
    NotFound {
        /// The resource's plural name.
        resource: String,
        /// What was asked for.
        key: ObjectKey,
    },
    /// The informer does not cache that namespace.
    OutOfScope {
        /// The resource's plural name.
        resource: String,
        /// What was asked for.
        key: ObjectKey,
        /// What is cached.
        namespace: Arc<str>,
    },
    /// The first list was not processed yet.
    NotSynced {
        /// The resource's plural name.
        resource: String,
        /// What was asked for.
        key: ObjectKey,
    },
    /// The object's latest version does not decode. `get` gives the last good one, if there is one.
    Undecodable {
        /// The resource's plural name.
        resource: String,
        /// What was asked for.
        key: ObjectKey,
        /// The version that does not decode.
        resource_version: ResourceVersion,
        /// Why.
        error: Arc<ObjectError>,
    },
}

/// A dynamic type was read in the wrong scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// A namespace was named.
    #[error("{0} is cluster-scoped: it has no namespaces")]
    ClusterScoped(String),
    /// No namespace was named.
    #[error("{0} is namespaced: name a namespace")]
    Namespaced(String),
}

// === impl GetError ===

impl fmt::Display for GetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { resource, key } => write!(f, "{resource} \"{key}\" not found"),
            Self::OutOfScope {
                resource,
                key,
                namespace,
            } => write!(
                f,
                "{resource} \"{key}\" is out of scope: only namespace `{namespace}` is cached"
            ),
            Self::NotSynced { resource, key } => write!(
                f,
                "{resource} \"{key}\" is not known yet: the cache has not synced"
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

/// By hand, because a derived one would give the `Arc` and not what is in it.
impl Error for GetError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Undecodable { error, .. } => Some(&**error),
            Self::NotFound { .. } | Self::OutOfScope { .. } | Self::NotSynced { .. } => None,
        }
    }
}

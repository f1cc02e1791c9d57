//! Errors of a lister.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::ObjectError;

/// Error of [`try_get`](super::Lister::try_get).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum GetError {
    /// The cache has synced, and the object does not exist.
    NotFound {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
    },
    /// The object is not cached, and if it exists, another replica has its shard. If uids decide
    /// (`ShardBy::Uid`), each missing object may be one of another replica. An
    /// [`unsharded`](crate::InformerOptions::unsharded) informer caches all objects.
    NotInShard {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
    },
    /// The informer does not cache the requested namespace.
    OutOfScope {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
        /// Namespaces that are cached, in order.
        namespaces: Arc<[Arc<str>]>,
    },
    /// The first list, or that of the object's namespace, has not been processed yet.
    NotSynced {
        /// Plural name of the resource.
        resource: String,
        /// Requested key.
        key: ObjectKey,
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

/// Error of a read of a dynamic type in the wrong scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// A namespace was given for a cluster-scoped resource.
    #[error("{0} is cluster-scoped: it has no namespaces")]
    ClusterScoped(String),
    /// No namespace was given for a namespaced resource.
    #[error("{0} is namespaced: name a namespace")]
    Namespaced(String),
}

// === impl GetError ===

impl fmt::Display for GetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { resource, key } => write!(f, "{resource} \"{key}\" not found"),
            Self::NotInShard { resource, key } => write!(
                f,
                "{resource} \"{key}\" is not in the shard of this replica: make the informer of \
                 {resource} `unsharded`, or shard by namespace"
            ),
            Self::OutOfScope {
                resource,
                key,
                namespaces,
            } => write!(
                f,
                "{resource} \"{key}\" is out of scope: only namespace `{}` is cached",
                namespaces.join(",")
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

/// Not derived, because a derived `source` would return the `Arc` instead of the error in it.
impl Error for GetError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let Self::Undecodable { error, .. } = self else {
            return None;
        };
        Some(&**error)
    }
}

//! Why a lister has no object to give.

use std::sync::Arc;

use crate::storage::ObjectError;
use crate::{ObjectKey, ResourceVersion};

/// Why [`try_get`](super::Lister::try_get) gives no object.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GetError {
    /// The cache is in step, and there is no such object.
    #[error("{resource} \"{key}\" not found")]
    NotFound {
        /// The resource's plural name.
        resource: String,
        /// What was asked for.
        key: ObjectKey,
    },
    /// The informer does not cache that namespace.
    #[error("{resource} \"{key}\" is out of scope: only namespace `{namespace}` is cached")]
    OutOfScope {
        /// The resource's plural name.
        resource: String,
        /// What was asked for.
        key: ObjectKey,
        /// What is cached.
        namespace: Arc<str>,
    },
    /// The first list was not processed yet.
    #[error("{resource} \"{key}\" is not known yet: the cache has not synced")]
    NotSynced {
        /// The resource's plural name.
        resource: String,
        /// What was asked for.
        key: ObjectKey,
    },
    /// The object's latest version does not decode. `get` gives the last good one, if there is one.
    #[error("{resource} \"{key}\" does not decode at resourceVersion \"{resource_version}\"")]
    Undecodable {
        /// The resource's plural name.
        resource: String,
        /// What was asked for.
        key: ObjectKey,
        /// The version that does not decode.
        resource_version: ResourceVersion,
        /// Why.
        #[source]
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

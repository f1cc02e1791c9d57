//! Errors of a cache of many types.

use std::sync::Arc;

use crate::indexer::{AddIndexError, IndexLookupError};
use crate::lister::GetError;
use crate::shared_informer::SyncError;

/// Error of a cache's settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheBuildError {
    /// A type was given settings twice.
    #[error("settings for `{0}` were given twice: merge them into one `InformerOptions`")]
    TypeTwice(String),
}

/// Error of a read from a cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The cache is not started, so nothing is cached yet.
    #[error("`{resource}` cannot be read: the cache is not started; call `start` first")]
    NotStarted {
        /// Resource of the read.
        resource: String,
    },
    /// The type has no informer, and reads must not start one.
    #[error(
        "`{resource}` has no informer, and this cache does not start one for a read: call \
         `informer` first, or build the cache with `MissingInformer::Start`"
    )]
    MissingInformer {
        /// Resource of the read.
        resource: String,
    },
    /// The informer has not synced. It keeps retrying.
    #[error("`{informer}` has not synced")]
    NotSynced {
        /// Name of the informer: resource, form, namespace and selectors.
        informer: String,
        /// Reason of the failure.
        #[source]
        cause: SyncError,
    },
    /// The namespace of the read is not cached.
    #[error(
        "`{resource}` in namespace `{namespace}` is out of scope: the cache holds only {}",
        cached.join(", ")
    )]
    OutOfScope {
        /// Resource of the read.
        resource: String,
        /// Namespace of the read.
        namespace: String,
        /// Namespaces that are cached, sorted.
        cached: Vec<Arc<str>>,
    },
    /// The current state of the object is unknown, for example because its latest version did not
    /// decode.
    #[error(transparent)]
    Get(#[from] GetError),
    /// The index does not exist, or cannot be searched.
    #[error("`{resource}` cannot be read by index")]
    Index {
        /// Resource of the read.
        resource: String,
        /// Reason of the failure.
        #[source]
        cause: IndexLookupError,
    },
    /// An index that was declared for the type could not be added, because the informer has another
    /// index of this name.
    #[error("an index that the cache declares for `{resource}` conflicts with one of its informer")]
    AddIndex {
        /// Resource of the read.
        resource: String,
        /// Reason of the failure.
        #[source]
        cause: AddIndexError,
    },
}

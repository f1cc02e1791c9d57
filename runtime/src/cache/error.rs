//! What can go wrong with a cache of many types.

use std::sync::Arc;

use crate::indexer::{AddIndexError, IndexLookupError};
use crate::lister::GetError;
use crate::shared_informer::SyncError;

/// Settings of a cache that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheBuildError {
    /// A type was given settings twice; which ones shall hold?
    #[error("settings for `{0}` were given twice: merge them into one `TypeOptions`")]
    TypeTwice(String),
    /// Namespaces were named for a resource that has none.
    #[error("namespaces were given for `{0}`, which is cluster-scoped")]
    NamespacesOfClusterScoped(String),
    /// The empty namespace would mean all, beside others.
    #[error("an empty namespace was given for `{0}`: name one, or leave namespaces out for all")]
    EmptyNamespace(String),
}

/// Why a cache does not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// Nothing is cached before the start.
    #[error("`{resource}` cannot be read: the cache is not started; call `start` before")]
    NotStarted {
        /// What was to be read.
        resource: String,
    },
    /// There is no informer, and reads are not to start one.
    #[error(
        "there is no informer of `{resource}`, and this cache starts none for a read: ask for \
         `informers` of it first, or build the cache with `MissingInformer::Start`"
    )]
    MissingInformer {
        /// What was to be read.
        resource: String,
    },
    /// The informer has not synced, and why. It goes on trying.
    #[error("`{informer}` has not synced")]
    NotSynced {
        /// The informer's name: resource, form, namespace and selectors.
        informer: String,
        /// Why.
        #[source]
        cause: SyncError,
    },
    /// The cache does not hold that namespace.
    #[error(
        "`{resource}` in namespace `{namespace}` is out of scope: cached is only {}",
        cached.join(", ")
    )]
    OutOfScope {
        /// What was to be read.
        resource: String,
        /// The namespace that was asked for.
        namespace: String,
        /// The namespaces that are cached, sorted.
        cached: Vec<Arc<str>>,
    },
    /// It cannot be known what the object is like: its latest version does not decode, for one.
    #[error(transparent)]
    Get(#[from] GetError),
    /// An index cannot answer.
    #[error("`{resource}` cannot be read by index")]
    Index {
        /// What was to be read.
        resource: String,
        /// Why.
        #[source]
        cause: IndexLookupError,
    },
    /// An index that was declared for the type could not be added to its informer: somebody has
    /// given the informer another one of this name.
    #[error("an index that the cache declares for `{resource}` is in conflict with its informer")]
    AddIndex {
        /// What was to be read.
        resource: String,
        /// Why.
        #[source]
        cause: AddIndexError,
    },
}

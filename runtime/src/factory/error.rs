//! What can go wrong with a factory.

use std::fmt;

use super::sync::SyncResult;
use crate::object::GroupVersionResource;
use crate::status::SourceError;

/// Settings of a factory that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FactoryBuildError {
    /// Informers run on the tokio runtime in which the factory was built.
    #[error("no tokio runtime here: build the factory inside one")]
    NoRuntime,
    /// A type was given settings twice; which ones shall hold?
    #[error("settings for `{0}` were given twice: merge them into one `with_type`")]
    TypeTwice(&'static str),
    /// A strict namespace was asked for, and none was named.
    #[error("`strict_namespace` needs a `namespace`")]
    StrictWithoutNamespace,
    /// A queue that holds nothing would never move.
    #[error("a queue capacity of 0 would never let a delta through: give at least 1")]
    EmptyQueue,
    /// A type was given a compression, and its queue is not of keys.
    #[error("a compression was given, but `Order::Global` merges nothing: set `Order::PerKey`")]
    CompressionWithoutKeys,
}

/// Why a factory does not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// It was shut down; informers run once. Make a new one.
    #[error("the factory was shut down: build a new one")]
    ShutDown,
}

/// Some caches did not sync. Says which, and why.
#[derive(Debug, Clone)]
pub struct CacheSyncError(pub(super) SyncResult);

/// Why a resource could not be looked up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoverError {
    /// The API server does not serve it.
    #[error("the server does not serve `{0}`: is its CustomResourceDefinition installed?")]
    NotServed(GroupVersionResource),
    /// It cannot be listed or watched.
    #[error("`{resource}` cannot be watched: the server allows only {}", verbs.join(", "))]
    NotWatchable {
        /// The resource.
        resource: GroupVersionResource,
        /// What the server allows.
        verbs: Vec<String>,
    },
    /// The server could not be asked, or did not answer with resources.
    #[error("discovery failed")]
    Request(#[source] SourceError),
}

// === impl CacheSyncError ===

impl CacheSyncError {
    /// The outcome per informer.
    #[must_use]
    pub fn result(&self) -> &SyncResult {
        &self.0
    }
}

impl fmt::Display for CacheSyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed to sync all caches")?;
        for (informer, error) in self.0.failures() {
            write!(f, "; {informer}: {}", crate::base::chain::Chain(error))?;
        }
        Ok(())
    }
}

impl std::error::Error for CacheSyncError {}

//! Errors of a factory.

use std::fmt;

use super::sync::SyncResult;
use crate::object::GroupVersionResource;
use crate::status::SourceError;

/// Error of a factory that does not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The factory was shut down. Informers run only once, so a new factory is needed.
    #[error("the factory was shut down: build a new one")]
    ShutDown,
}

/// Error of a wait in which at least one cache did not sync. Contains the outcome of all informers.
#[derive(Debug, Clone)]
pub struct CacheSyncError(pub(super) SyncResult);

/// Error of a resource lookup.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoverError {
    /// The API server does not serve the resource.
    #[error("the server does not serve `{0}`: is its CustomResourceDefinition installed?")]
    NotServed(GroupVersionResource),
    /// The resource cannot be listed or watched.
    #[error("`{resource}` cannot be watched: the server allows only {}", verbs.join(", "))]
    NotWatchable {
        /// Resource that was looked up.
        resource: GroupVersionResource,
        /// Verbs that the API server allows.
        verbs: Vec<String>,
    },
    /// The request failed, or its answer is not a list of resources.
    #[error("discovery failed")]
    Request(#[source] SourceError),
}

// === impl CacheSyncError ===

impl CacheSyncError {
    /// Returns the outcome of each informer.
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

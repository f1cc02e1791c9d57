//! What can go wrong with a factory.

use std::fmt;

use super::sync::SyncResult;
use crate::object::GroupVersionResource;
use crate::status::SourceError;

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

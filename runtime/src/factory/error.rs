//! Errors of a factory.

use std::fmt;
use std::time::Duration;

use super::sync::SyncResult;
use crate::object::GroupVersionResource;
use crate::status::{InformerStatus, SourceError};

/// Error of a factory that does not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The factory was shut down. Informers run only once, so a new factory is needed.
    #[error("the factory was shut down: build a new one")]
    ShutDown,
}

/// Error of a shutdown that did not end within its limit. Names what still ran. The calls of these
/// handlers were dropped at their next `.await`; a call that never reaches one runs on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("still running after {} s: {}", limit.as_secs_f64(), running.join(", "))]
#[non_exhaustive]
pub struct ShutdownError {
    /// The limit.
    pub limit: Duration,
    /// Handlers with their informers, or tasks of the factory.
    pub running: Vec<String>,
}

/// Error of a wait in which at least one cache did not sync. Contains the outcome of all informers.
#[derive(Debug, Clone)]
pub struct CacheSyncError(pub(super) SyncResult);

/// Error of a factory that is not ready: it does not run, or some caches have not synced. Displays a
/// line for each of them.
#[derive(Debug, Clone)]
pub struct NotReady(pub(super) Vec<(String, InformerStatus)>);

/// Error of a resource lookup.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoverError {
    /// The API server does not serve the resource.
    #[error("the server does not serve `{0}`: is its CustomResourceDefinition installed?")]
    NotServed(String),
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

// === impl NotReady ===

impl NotReady {
    /// Returns the name and status of each informer whose cache has not synced; empty if the factory
    /// does not run.
    #[must_use]
    pub fn informers(&self) -> &[(String, InformerStatus)] {
        &self.0
    }
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the factory does not run: it was not started, or was shut down");
        }
        for (position, (informer, status)) in self.0.iter().enumerate() {
            let line = if position > 0 { "\n" } else { "" };
            write!(f, "{line}{informer}: {status}")?;
        }
        Ok(())
    }
}

impl std::error::Error for NotReady {}

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
            write!(f, "; {informer}: {error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CacheSyncError {}

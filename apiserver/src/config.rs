//! Settings that requests depend on.

use std::time::Duration;

/// Maximum duration of a watch, and of the interval of its bookmarks: a year. Adding it to the
/// current time cannot overflow any clock.
pub(crate) const MAX_WATCH: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Duration of a watch without `timeoutSeconds`.
pub(crate) const WATCH_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Resolved settings that requests depend on.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) bookmark_interval: Duration,
    pub(crate) sharding: bool,
    /// `true` if managed fields are kept of every object that a client creates.
    pub(crate) managed_fields: bool,
    /// Host names that a server on loopback accepts, besides those of loopback; `None` if the
    /// server listens on another address and accepts all hosts.
    pub(crate) hosts: Option<Vec<String>>,
    /// `true` if a write to a missing namespace creates the namespace.
    pub(crate) create_namespaces: bool,
}

//! The settings that requests look at.

use std::time::Duration;

/// The longest time that a watch, or the interval of its bookmarks, takes: a year. The sum of it and
/// the present is a moment that every clock can tell.
pub(crate) const MAX_WATCH: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The resolved settings that requests look at.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is set by itself")]
pub(crate) struct Config {
    pub(crate) bookmark_interval: Duration,
    pub(crate) watch_timeout: Duration,
    pub(crate) max_page: Option<usize>,
    pub(crate) limit_at_zero: bool,
    pub(crate) sharding: bool,
    /// Every object that a client creates is followed.
    pub(crate) managed_fields: bool,
    pub(crate) request_log: usize,
    /// The names that a server on loopback answers to beside those of loopback; nothing if it
    /// answers to all, because it is on no loopback address.
    pub(crate) hosts: Option<Vec<String>>,
    /// Namespaces that writes to them create, instead of failing.
    pub(crate) create_namespaces: bool,
}

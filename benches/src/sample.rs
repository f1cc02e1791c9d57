//! What one measurement gives.

use serde::{Deserialize, Serialize};

/// One peer, measured once, in a process of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// From nothing to a cache that is complete and handlers that know it.
    pub(crate) sync: Phase,
    /// From the request to the end of the list that follows a 410; nothing has changed.
    pub(crate) relist: Phase,
    /// From the order to send events to the last notification.
    pub(crate) events: Phase,
    /// Resident bytes that the sync added.
    pub(crate) resident: u64,
    /// The most that was resident during the sync, less what was before it.
    pub(crate) sync_peak: u64,
    /// The same during sync and relist.
    pub(crate) relist_peak: u64,
    /// Objects shown to the consumer by the relist.
    pub(crate) relist_notifications: u64,
}

/// A stretch of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Phase {
    /// On the wall, in seconds.
    pub(crate) elapsed: f64,
    /// Processor seconds, user and system, of the process that is measured.
    pub(crate) processor: f64,
    /// Processor seconds of the replay server.
    pub(crate) server: f64,
}

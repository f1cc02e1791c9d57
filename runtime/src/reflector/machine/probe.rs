//! Servers that went back to an older version, after a restore of etcd.
//!
//! A watch from a version that such a server has not reached yet stays silent until the server
//! reaches it. So the server is probed after a lost connection, and after two watches in a row
//! without events, and no watch is opened before a probe or a list has succeeded. A bookmark or a
//! complete list with an older version needs no probe. Such a list is repeated, because its
//! unchanged objects were recognised by versions that are no longer valid.
//!
//! A history that has grown past `last` again is not detected.

use tokio::time::Instant;

use super::{History, Machine};
use crate::object::ResourceVersion;
use crate::reflector::collect::Versions;
use crate::reflector::phase::ReflectorPhase;
use crate::status::{ReflectorError, SourceError};

// === impl Machine ===

impl Machine {
    /// Processes the server's version, or the failure of the request for it. Returns a failure to
    /// report, if there is one.
    ///
    /// Only a version that is not older than the last one permits a watch. After any other answer
    /// the server is probed again, or listed.
    pub(in crate::reflector) fn on_probe(
        &mut self,
        answer: Result<ResourceVersion, SourceError>,
        now: Instant,
    ) -> Option<ReflectorError> {
        let is_too_large = SourceError::is_too_large_resource_version;
        match answer {
            Ok(version) if self.is_behind(&version) => Some(self.went_back(self.last.clone())),
            Ok(version) if version == self.last || version.compare(&self.last).is_some() => {
                self.history = History::Shown;
                self.phase = self.resumed();
                None
            }
            Ok(_incomparable) => {
                self.phase = ReflectorPhase::Begin;
                None
            }
            Err(error) if is_too_large(&error) => Some(self.went_back(self.last.clone())),
            Err(error) => {
                self.wait_then(after_refused_probe(&error), &error, now);
                Some(ReflectorError::List(error))
            }
        }
    }

    /// Returns `true` if `version` is older than the last one. Versions that do not compare are not
    /// older.
    pub(super) fn is_behind(&self, version: &ResourceVersion) -> bool {
        version.is_older_than(&self.last)
    }

    /// Handles a server that lost part of its history after it had reached `last`. The next list
    /// requests the server's current state at any version, and replaces all stored objects whatever
    /// their versions: the server may reuse the same versions for other content.
    pub(super) fn went_back(&mut self, last: ResourceVersion) -> ReflectorError {
        self.lists_consistently = true;
        self.versions = Versions::Restarted;
        // The next list must not be rejected as older.
        self.before = Some(ResourceVersion::UNSET);
        self.phase = ReflectorPhase::Begin;
        ReflectorError::WentBack { last }
    }
}

/// Returns a list if the server will never answer a probe; otherwise the same probe again.
fn after_refused_probe(error: &SourceError) -> ReflectorPhase {
    match error.status().map(|status| status.code) {
        Some(400 | 404 | 405 | 406 | 410 | 415 | 422 | 501) => ReflectorPhase::Begin,
        _ => ReflectorPhase::Probing,
    }
}

//! Servers that went back to an older version, after a restore of etcd.
//!
//! A watch from a version that such a server has not reached yet stays silent until the server
//! reaches it. So the server is probed after a lost connection, and after two watches in a row
//! without events. A bookmark or a complete list with an older version needs no probe. Such a list
//! is repeated, because its unchanged objects were recognised by versions that are no longer valid.
//!
//! A history that has grown past `last` again is not detected.

use tokio::time::Instant;

use super::{Machine, SUSPICIONS};
use crate::object::ResourceVersion;
use crate::reflector::collect::Versions;
use crate::reflector::phase::Phase;
use crate::status::{ReflectorError, SourceError};

// === impl Machine ===

impl Machine {
    /// Processes the server's version, or the failure of the request for it. `is_own` is `false` for
    /// the answer to another informer. Returns a failure to report, if there is one.
    pub(in crate::reflector) fn on_probe(
        &mut self,
        answer: Result<ResourceVersion, SourceError>,
        is_own: bool,
        now: Instant,
    ) -> Option<ReflectorError> {
        self.suspicions = 0;
        self.lost = None;
        let error = match answer {
            Ok(version) if !self.is_behind(&version) => {
                self.phase = self.resumed();
                return None;
            }
            Err(error) if error.is_connection_lost() => {
                self.lost = Some(now);
                error
            }
            _ if !is_own => {
                // Another resource may have another history, or other permissions.
                self.suspicions = SUSPICIONS;
                return None;
            }
            Err(error) if !error.is_too_large_resource_version() => {
                // No conclusion: the next silent watch leads to another probe.
                self.suspicions = SUSPICIONS - 1;
                error
            }
            Ok(_) | Err(_) => return Some(self.went_back(self.last.clone())),
        };
        self.wait_then(self.resumed(), &error, now);
        Some(ReflectorError::List(error))
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
        self.phase = Phase::Begin;
        ReflectorError::WentBack { last }
    }
}

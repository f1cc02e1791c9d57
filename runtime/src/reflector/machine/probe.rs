//! Servers that have gone back: whose versions start over, after a restore of their storage.
//!
//! A watch from a version that such a server has yet to reach is silent up to there. So one that
//! showed nothing is a suspicion, and the second in a row a question. A bookmark, or a whole list,
//! of an older version needs no question. Such a list is asked for once more, because unchanged
//! objects of the first one were recognised by versions that mean nothing any more.

use tokio::time::Instant;

use super::{Machine, SUSPICIONS};
use crate::object::ResourceVersion;
use crate::reflector::collect::Versions;
use crate::reflector::phase::Phase;
use crate::status::{ReflectorError, SourceError};
use crate::wire::ListMeta;

// === impl Machine ===

impl Machine {
    /// The server was asked whether it has the last version. A failure to be reported, if it is one.
    pub(in crate::reflector) fn on_probe(
        &mut self,
        answer: Result<ListMeta, SourceError>,
        now: Instant,
    ) -> Option<ReflectorError> {
        self.suspicions = 0;
        let error = match answer {
            Ok(meta) if self.is_behind(&meta.resource_version) => {
                return Some(self.went_back(self.last.clone()));
            }
            Ok(_) => {
                self.phase = self.resumed();
                return None;
            }
            Err(error) => error,
        };
        if error.is_too_large_resource_version() {
            return Some(self.went_back(self.last.clone()));
        }
        // Nothing is decided: the next silent watch is reason enough to ask again.
        self.suspicions = SUSPICIONS - 1;
        self.wait_then(self.resumed(), &error, now);
        Some(ReflectorError::List(error))
    }

    /// Whether this is older than what was seen. Versions that cannot be compared are not.
    pub(super) fn is_behind(&self, version: &ResourceVersion) -> bool {
        version.is_older_than(&self.last)
    }

    /// The server lost part of its history and had been at `last`. What it has now is asked for,
    /// whatever its version, and replaces what is stored, whatever *its* versions: they may be given
    /// a second time, to other contents.
    pub(super) fn went_back(&mut self, last: ResourceVersion) -> ReflectorError {
        self.last_is_unavailable = true;
        self.versions = Versions::Restarted;
        // The list that follows is not older than anything that counts.
        self.before = Some(ResourceVersion::UNSET);
        let delay = self.schedule.after_refusal();
        self.phase = Phase::Waiting(delay, Box::new(Phase::Begin));
        ReflectorError::WentBack { last }
    }
}

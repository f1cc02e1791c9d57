//! Servers that have gone back: whose versions start over, after a restore of their storage.
//!
//! A watch from a version that such a server has yet to reach is silent up to there. So one that
//! showed nothing is a suspicion, and the second in a row a question. A bookmark, or a whole list,
//! of an older version needs no question.

use std::cmp::Ordering;

use super::{Machine, SUSPICIONS};
use crate::ResourceVersion;
use crate::reflector::error::ReflectorError;
use crate::reflector::phase::Phase;
use crate::source::SourceError;
use crate::wire::ListMeta;

// === impl Machine ===

impl Machine {
    /// The server was asked whether it has the last version. A failure to be reported, if it is one.
    pub(in crate::reflector) fn on_probe(
        &mut self,
        answer: Result<ListMeta, SourceError>,
    ) -> Option<ReflectorError> {
        self.suspicions = 0;
        let error = match answer {
            Ok(meta) if self.is_behind(&meta.resource_version) => return Some(self.went_back()),
            Ok(_) => {
                self.phase = self.resumed();
                return None;
            }
            Err(error) => error,
        };
        if error.is_too_large_resource_version() {
            return Some(self.went_back());
        }
        // Nothing is decided: the next silent watch is reason enough to ask again.
        self.suspicions = SUSPICIONS - 1;
        self.wait_then(self.resumed(), &error);
        Some(ReflectorError::List(error))
    }

    /// Whether this is older than what was seen. Versions that cannot be compared are not.
    pub(super) fn is_behind(&self, version: &ResourceVersion) -> bool {
        is_older(version, &self.last)
    }

    /// The server lost part of its history: what it has now is asked for, whatever its version.
    pub(super) fn went_back(&mut self) -> ReflectorError {
        let last = self.last.clone();
        self.last_is_unavailable = true;
        // It is said here: the list that follows has nothing to add.
        self.before = Some(ResourceVersion::UNSET);
        let delay = self.backoff.next_delay();
        self.phase = Phase::Waiting(delay, Box::new(Phase::Begin));
        ReflectorError::WentBack { last }
    }
}

/// Whether `version` is older than `other`. Versions that cannot be compared are not.
pub(super) fn is_older(version: &ResourceVersion, other: &ResourceVersion) -> bool {
    version.compare(other) == Some(Ordering::Less)
}

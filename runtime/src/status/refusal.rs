//! [`Refusal`]: failures that retries alone are unlikely to cure.

use super::{ReflectorError, SourceError};
use crate::base::chain::Chain;

/// Failure that lasts until somebody changes the cluster, the client's rights or the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Forbidden,
    NotServed,
    Unauthorized,
    Invalid,
    Malformed,
}

// === impl Refusal ===

impl Refusal {
    /// Returns the refusal that a failure is; `None` for a transient failure.
    pub(crate) fn of(failure: &ReflectorError) -> Option<Self> {
        if let ReflectorError::InNamespace { failure, .. } = failure {
            return Self::of(failure);
        }
        if matches!(failure, ReflectorError::WatchListRefused(_)) {
            // A server that rejects a streaming list may still accept a plain list.
            return None;
        }
        Self::of_source(failure.source_error()?)
    }

    /// Returns the refusal whose remedy a failure needs: also that of a streaming list that the
    /// server does not permit or not serve, because the watch after the plain list needs the same.
    pub(crate) fn remedied(failure: &ReflectorError) -> Option<Self> {
        if let ReflectorError::InNamespace { failure, .. } = failure {
            return Self::remedied(failure);
        }
        if let ReflectorError::WatchListRefused(error) = failure
            && error.is_refused_watch()
        {
            return Self::of_source(error);
        }
        Self::of(failure)
    }

    fn of_source(error: &SourceError) -> Option<Self> {
        let Some(status) = error.status() else {
            let is_malformed = matches!(error, SourceError::Malformed(_));
            return is_malformed.then_some(Self::Malformed);
        };
        match status.code {
            401 => Some(Self::Unauthorized),
            403 => Some(Self::Forbidden),
            404 => Some(Self::NotServed),
            400 | 405 | 406 | 415 | 422 => Some(Self::Invalid),
            _ => None,
        }
    }

    /// Returns the failure in a few words, with what to do about it.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden: grant `list` and `watch` on it",
            Self::NotServed => "not served: is its CustomResourceDefinition installed?",
            Self::Unauthorized => "unauthorized: check the client's credentials",
            Self::Invalid => {
                "rejected as invalid: check the selectors, and that the resource supports list and watch"
            }
            Self::Malformed => "malformed answer",
        }
    }
}

// === impl ReflectorError ===

impl ReflectorError {
    /// Returns the failure and its causes in one line, with the remedy first if retries alone are
    /// unlikely to cure it. `Display` has the failure alone, and its causes are its sources.
    #[must_use]
    pub fn explained(&self) -> String {
        let failure = Chain(self);
        match Refusal::remedied(self) {
            Some(refusal) => format!("{}: {failure}", refusal.advice()),
            None => failure.to_string(),
        }
    }
}

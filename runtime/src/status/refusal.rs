//! [`Refusal`]: failures that retries alone are unlikely to cure.

use super::{ReflectorError, SourceError};

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
        if let Some(status) = failure.status() {
            return match status.code {
                401 => Some(Self::Unauthorized),
                403 => Some(Self::Forbidden),
                404 => Some(Self::NotServed),
                400 | 405 | 406 | 415 | 422 => Some(Self::Invalid),
                _ => None,
            };
        }
        let is_malformed = matches!(failure.source_error(), Some(SourceError::Malformed(_)));
        is_malformed.then_some(Self::Malformed)
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

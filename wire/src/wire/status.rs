//! Errors that the API server reports as a `Status`.

mod parse;

use std::time::Duration;

/// Error that the API server reported: the `Status` of a failed request or of an ERROR event.
///
/// The `is_…` methods classify the error by the reason, or by the code if there is no reason.
/// apimachinery's counterparts are the functions of `api/errors`.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{message} (HTTP {code}{}{reason})", if reason.is_empty() { "" } else { ", " })]
pub struct ApiStatus {
    /// HTTP status code.
    pub code: u16,
    /// `reason`, such as `Forbidden` or `Expired`; empty if missing.
    pub reason: String,
    /// `message`, truncated to 1 KiB; derived from the code if the response is not a `Status`.
    pub message: String,
    /// `details.causes`, at most 16.
    pub causes: Vec<StatusCause>,
    /// Delay before the next attempt: `details.retryAfterSeconds`, or the header `Retry-After`.
    /// Limited to one hour.
    pub retry_after: Option<Duration>,
}

/// A cause of a status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusCause {
    /// `reason`, such as `ResourceVersionTooLarge`.
    pub reason: String,
    /// `message`, truncated to 1 KiB.
    pub message: String,
}

/// Message of API servers before 1.17; later versions use it as the message of a cause.
const TOO_LARGE_MESSAGE: &str = "Too large resource version";
/// Reason of a cause in later versions.
const TOO_LARGE_CAUSE: &str = "ResourceVersionTooLarge";

// === impl ApiStatus ===

impl ApiStatus {
    /// Creates a status with a code and a reason, as API servers combine them.
    #[must_use]
    pub fn new(code: u16, reason: &str, message: &str) -> Self {
        Self {
            code,
            reason: reason.to_owned(),
            message: message.to_owned(),
            ..Self::default()
        }
    }

    /// Returns `true` if the resourceVersion, or the continue token, is too old.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        matches!(self.reason.as_str(), "Expired" | "Gone") || self.code == 410
    }

    /// Returns `true` if the resourceVersion is newer than the state of the server.
    ///
    /// Servers have reported this error in three ways: by the reason of a cause, by a Timeout with
    /// the message of a cause, and by the message of a Timeout.
    #[must_use]
    pub fn is_too_large_resource_version(&self) -> bool {
        if self.causes.iter().any(|c| c.reason == TOO_LARGE_CAUSE) {
            return true;
        }
        self.is_timeout()
            && (self.message.contains(TOO_LARGE_MESSAGE)
                || self.causes.iter().any(|c| c.message == TOO_LARGE_MESSAGE))
    }

    /// Returns `true` if the server is overloaded (429).
    #[must_use]
    pub fn is_too_many_requests(&self) -> bool {
        self.reason == "TooManyRequests" || self.code == 429
    }

    /// Returns `true` if the server failed (500).
    #[must_use]
    pub fn is_internal_error(&self) -> bool {
        self.is("InternalError", 500)
    }

    /// Returns `true` if the request is well formed but not acceptable (422). A server without
    /// WatchList returns this error.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.is("Invalid", 422)
    }

    /// Returns `true` if the credentials do not permit the request (403).
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.is("Forbidden", 403)
    }

    /// Returns `true` if the resource is not served, or the object does not exist (404).
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.is("NotFound", 404)
    }

    /// Returns `true` if the server exceeded its time limit (504).
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.is("Timeout", 504)
    }

    fn is(&self, reason: &str, code: u16) -> bool {
        self.reason == reason || (self.reason.is_empty() && self.code == code)
    }
}

#[cfg(test)]
mod tests;

//! Errors as the API server words them.

mod parse;

use std::time::Duration;

/// An error that the API server reported: the `Status` of a failed request or of an ERROR event.
///
/// The `is_…` methods say what it means. They go by the reason, and by the code where the answer
/// names none; apimachinery's counterparts are the functions of `api/errors`.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{message} (HTTP {code}{}{reason})", if reason.is_empty() { "" } else { ", " })]
pub struct ApiStatus {
    /// The HTTP status code.
    pub code: u16,
    /// `reason`, as in `Forbidden` or `Expired`; empty if the answer names none.
    pub reason: String,
    /// `message`, at most 1 KiB of it; worded after the code if the answer is no `Status`.
    pub message: String,
    /// `details.causes`, at most 16 of them.
    pub causes: Vec<StatusCause>,
    /// How long to wait before the next try: `details.retryAfterSeconds`, or the header. At most
    /// an hour, whatever the server says.
    pub retry_after: Option<Duration>,
}

/// One of a status's causes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusCause {
    /// `reason`, as in `ResourceVersionTooLarge`.
    pub reason: String,
    /// `message`, at most 1 KiB of it.
    pub message: String,
}

/// What API servers before 1.17 say in the message, and later ones in a cause's message.
const TOO_LARGE_MESSAGE: &str = "Too large resource version";
/// What later ones say in a cause's reason.
const TOO_LARGE_CAUSE: &str = "ResourceVersionTooLarge";

// === impl ApiStatus ===

impl ApiStatus {
    /// A status with code and reason, as API servers pair them.
    #[must_use]
    pub fn new(code: u16, reason: &str, message: &str) -> Self {
        Self {
            code,
            reason: reason.to_owned(),
            message: message.to_owned(),
            ..Self::default()
        }
    }

    /// The resourceVersion, or the continue token, is too old.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        matches!(self.reason.as_str(), "Expired" | "Gone") || self.code == 410
    }

    /// The resourceVersion is one that the server has not seen yet.
    ///
    /// Servers said so in three ways: by a cause, by a Timeout with a cause's message, and by a
    /// Timeout's message.
    #[must_use]
    pub fn is_too_large_resource_version(&self) -> bool {
        if self.causes.iter().any(|c| c.reason == TOO_LARGE_CAUSE) {
            return true;
        }
        self.is_timeout()
            && (self.message.contains(TOO_LARGE_MESSAGE)
                || self.causes.iter().any(|c| c.message == TOO_LARGE_MESSAGE))
    }

    /// The server has too much to do (429).
    #[must_use]
    pub fn is_too_many_requests(&self) -> bool {
        self.reason == "TooManyRequests" || self.code == 429
    }

    /// The server failed (500).
    #[must_use]
    pub fn is_internal_error(&self) -> bool {
        self.is("InternalError", 500)
    }

    /// The request is understood and not acceptable (422); a server without WatchList answers so.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.is("Invalid", 422)
    }

    /// The credentials do not permit the request (403).
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.is("Forbidden", 403)
    }

    /// The credentials are missing or not accepted (401).
    #[must_use]
    pub fn is_unauthorized(&self) -> bool {
        self.is("Unauthorized", 401)
    }

    /// The resource is not served, or not there (404).
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.is("NotFound", 404)
    }

    /// The server could not answer in time (504).
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.is("Timeout", 504)
    }

    /// The server could not read an object from its storage: it is corrupt, or cannot be decrypted.
    #[must_use]
    pub fn is_store_read_error(&self) -> bool {
        self.reason == "StorageReadError"
    }

    fn is(&self, reason: &str, code: u16) -> bool {
        self.reason == reason || (self.reason.is_empty() && self.code == code)
    }
}

#[cfg(test)]
mod tests;

//! Errors as the API server words them.

use std::time::Duration;

/// An error that the API server reported: the `Status` of a failed request or of an ERROR event.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{message} (HTTP {code}{}{reason})", if reason.is_empty() { "" } else { ", " })]
pub struct ApiStatus {
    /// The HTTP status code.
    pub code: u16,
    /// `reason`, as in `Forbidden` or `Expired`; empty if the answer names none.
    pub reason: String,
    /// `message`, at most 1 KiB of it.
    pub message: String,
    /// `details.causes`.
    pub causes: Vec<StatusCause>,
    /// How long to wait before the next try: `details.retryAfterSeconds`, or the header.
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

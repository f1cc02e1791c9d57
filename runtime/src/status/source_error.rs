//! [`SourceError`]: failures of a list or a watch.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use crate::base::panic::HINT;
use crate::wire::{ApiStatus, SplitError};

/// Name of a source in [`SourceError::Panicked`].
pub(crate) const LISTER_WATCHER: &str = "the ListerWatcher";

/// Error text of a list that would never end.
pub(crate) const REPEATED_TOKEN: &str =
    "a page repeats the continue token of its request, so the list would never end";

/// Failure of a list or a watch. Cheap to clone, because every waiter of the informer receives it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SourceError {
    /// The API server answered with an error.
    Status(Arc<ApiStatus>),
    /// The connection was refused: no process listens at the address.
    ConnectionRefused(Arc<dyn Error + Send + Sync>),
    /// The connection failed, or the client rejected the request.
    Transport(Arc<dyn Error + Send + Sync>),
    /// The body ended in the middle of an object.
    Truncated {
        /// Number of bytes that had arrived.
        bytes: u64,
    },
    /// The response is not of the expected form. Names the position, without quoting the response.
    Malformed(String),
    /// The response is in a protobuf form that cannot be read. A source that can request JSON does
    /// so from then on. Names the reason, without quoting the response.
    Protobuf(String),
    /// The server was silent for too long.
    Timeout {
        /// Awaited part of the response.
        phase: TimeoutPhase,
        /// Timeout that was exceeded.
        after: Duration,
    },
    /// The `ListerWatcher`, or other user code that this names, panicked. The panic message is
    /// omitted, because it may quote an object.
    Panicked(&'static str),
}

/// Part of a response that did not arrive in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// Response headers.
    Headers,
    /// Next part of the body.
    Progress,
}

// === impl SourceError ===

impl SourceError {
    /// Returns the `Status` that the API server answered, if it did.
    #[must_use]
    pub fn status(&self) -> Option<&ApiStatus> {
        if let Self::Status(status) = self {
            return Some(status);
        }
        None
    }

    /// Returns `true` if the connection failed, as opposed to an error response of the server.
    #[must_use]
    pub fn is_connection_lost(&self) -> bool {
        matches!(
            self,
            Self::ConnectionRefused(_)
                | Self::Transport(_)
                | Self::Truncated { .. }
                | Self::Timeout { .. }
        )
    }

    /// Returns `true` if the connection ended before the response was complete (an unexpected end
    /// of file).
    #[must_use]
    pub fn is_unexpected_eof(&self) -> bool {
        let is_eof = |cause: &(dyn Error + 'static)| {
            let hyper = cause.downcast_ref::<hyper::Error>();
            is_io(cause, ErrorKind::UnexpectedEof)
                || hyper.is_some_and(hyper::Error::is_incomplete_message)
        };
        matches!(self, Self::Truncated { .. })
            || self
                .source()
                .is_some_and(|cause| is_caused_by(cause, is_eof))
    }

    /// Returns `true` if no process listens, or if the connection ended.
    pub(crate) fn is_disconnected(&self) -> bool {
        let kinds = [
            ErrorKind::ConnectionRefused,
            ErrorKind::ConnectionReset,
            ErrorKind::ConnectionAborted,
            ErrorKind::NotConnected,
            ErrorKind::BrokenPipe,
        ];
        let ended = |cause: &(dyn Error + 'static)| kinds.iter().any(|kind| is_io(cause, *kind));
        self.is_unexpected_eof()
            || self
                .source()
                .is_some_and(|cause| is_caused_by(cause, ended))
    }

    /// See [`ApiStatus::is_expired`].
    #[must_use]
    pub fn is_expired(&self) -> bool {
        self.status().is_some_and(ApiStatus::is_expired)
    }

    /// See [`ApiStatus::is_too_large_resource_version`].
    #[must_use]
    pub fn is_too_large_resource_version(&self) -> bool {
        self.status()
            .is_some_and(ApiStatus::is_too_large_resource_version)
    }

    /// See [`ApiStatus::is_too_many_requests`].
    #[must_use]
    pub fn is_too_many_requests(&self) -> bool {
        self.status().is_some_and(ApiStatus::is_too_many_requests)
    }

    /// See [`ApiStatus::is_internal_error`].
    #[must_use]
    pub fn is_internal_error(&self) -> bool {
        self.status().is_some_and(ApiStatus::is_internal_error)
    }

    /// See [`ApiStatus::is_invalid`].
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.status().is_some_and(ApiStatus::is_invalid)
    }

    /// Returns `true` if the resource is not served (404).
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.status().is_some_and(ApiStatus::is_not_found)
    }

    /// Returns `true` if the server does not permit or not serve the resource: 401, 403, 404.
    pub(crate) fn is_refused_access(&self) -> bool {
        let status = self.status();
        status.is_some_and(|status| matches!(status.code, 401 | 403 | 404))
    }

    /// Returns `true` if a watch that fails so fails without a streaming list too: 401, 403, 404, and
    /// 405 of a resource that cannot be watched.
    pub(crate) fn is_refused_watch(&self) -> bool {
        let is_unsupported = self.status().is_some_and(|status| status.code == 405);
        self.is_refused_access() || is_unsupported
    }

    /// Returns the delay that the server requests before the next attempt.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.status()?.retry_after
    }

    /// Wraps a transport error, and detects refused connections among its causes.
    pub fn from_transport(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let error: Arc<dyn Error + Send + Sync> = error.into().into();
        if is_caused_by(error.as_ref(), |cause| {
            is_io(cause, ErrorKind::ConnectionRefused)
        }) {
            Self::ConnectionRefused(error)
        } else {
            Self::Transport(error)
        }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => fmt::Display::fmt(status, f),
            Self::ConnectionRefused(_) => f.write_str("connection refused"),
            Self::Transport(_) => f.write_str("request failed"),
            Self::Truncated { bytes } => {
                write!(
                    f,
                    "the connection ended inside an object, after {bytes} bytes"
                )
            }
            Self::Malformed(detail) => write!(f, "malformed answer: {detail}"),
            Self::Protobuf(detail) => {
                write!(
                    f,
                    "unreadable protobuf: {detail}; requesting JSON from now on"
                )
            }
            Self::Timeout { phase, after } => {
                write!(f, "no {phase} within {} s", after.as_secs_f64())
            }
            Self::Panicked(code) => write!(f, "{code} panicked; {HINT}"),
        }
    }
}

/// Implemented by hand: `thiserror` would return the `Arc` as the source, instead of its content.
impl Error for SourceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        if let Self::ConnectionRefused(cause) | Self::Transport(cause) = self {
            return Some(&**cause);
        }
        None
    }
}

impl From<ApiStatus> for SourceError {
    fn from(status: ApiStatus) -> Self {
        Self::Status(Arc::new(status))
    }
}

impl From<SplitError> for SourceError {
    fn from(error: SplitError) -> Self {
        if let SplitError::Truncated { bytes } = error {
            Self::Truncated { bytes }
        } else if let SplitError::Unusual(reason) = error {
            Self::Protobuf(reason)
        } else {
            Self::Malformed(error.to_string())
        }
    }
}

/// Returns `true` if `error`, or one of its causes, `matches`.
fn is_caused_by(
    error: &(dyn Error + 'static),
    matches: impl Fn(&(dyn Error + 'static)) -> bool,
) -> bool {
    let mut next = Some(error);
    while let Some(cause) = next {
        if matches(cause) {
            return true;
        }
        // The `source` of an I/O error skips the error that it wraps.
        let wrapped = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .map(|wrapped| wrapped as &(dyn Error + 'static));
        next = wrapped.or_else(|| cause.source());
    }
    false
}

fn is_io(error: &(dyn Error + 'static), kind: ErrorKind) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|io| io.kind() == kind)
}

impl fmt::Display for TimeoutPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Headers => "response headers",
            Self::Progress => "progress",
        })
    }
}

#[cfg(test)]
mod tests;

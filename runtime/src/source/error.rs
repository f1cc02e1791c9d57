//! Why a list or a watch failed.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::wire::ApiStatus;

/// Why a list or a watch failed. Cheap to clone: it is shown to whoever waits for the informer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The API server answered with an error.
    #[error(transparent)]
    Status(Arc<ApiStatus>),
    /// No connection: nobody listens there.
    #[error("connection refused")]
    ConnectionRefused(#[source] Arc<dyn Error + Send + Sync>),
    /// The connection failed, or the client refused the request.
    #[error("request failed")]
    Transport(#[source] Arc<dyn Error + Send + Sync>),
    /// The body ended in the middle of an object.
    #[error("the connection ended inside an object, after {bytes} bytes")]
    Truncated {
        /// How much of the body had arrived.
        bytes: u64,
    },
    /// The body is not what was asked for. Says where, and quotes nothing.
    #[error("malformed answer: {0}")]
    Malformed(String),
    /// The server was silent for too long.
    #[error("no {phase} within {} s", after.as_secs_f64())]
    Timeout {
        /// What was waited for.
        phase: TimeoutPhase,
        /// For how long.
        after: Duration,
    },
    /// The implementation of `ListerWatcher` panicked.
    #[error("the ListerWatcher panicked: {0}")]
    Panicked(String),
}

/// What a server was silent about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// The head of the answer.
    Headers,
    /// The next part of the body.
    Progress,
}

impl fmt::Display for TimeoutPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Headers => "response headers",
            Self::Progress => "progress",
        })
    }
}

//! What can go wrong with an informer as a whole.

use std::sync::Arc;
use std::time::Duration;

use crate::reflector::ReflectorError;

/// Settings that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The type does not know its resource.
    #[error("the resource of a dynamic type is not known: give it with `resource(..)`")]
    ResourceUnknown,
    /// A queue that holds nothing would never move.
    #[error("a queue capacity of 0 would never let a delta through: give at least 1")]
    EmptyQueue,
    /// A namespace was named for a resource that has none.
    #[error("a namespace was given for a cluster-scoped resource")]
    NamespaceOfClusterScoped,
    /// The storage keeps bytes, and what the transform makes cannot be made bytes of.
    #[error("the storage cannot keep what transform `{0}` makes: add `.serializable()` to it")]
    TransformNotAccepted(Arc<str>),
}

/// Why an informer does not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It runs, or ran: an informer runs once. A new one can be made.
    #[error("informer `{0}` has been started before: an informer runs once")]
    AlreadyStarted(Arc<str>),
    /// Its factory does not let it run.
    #[error("informer `{informer}` does not run: {reason}")]
    Refused {
        /// Its name.
        informer: Arc<str>,
        /// Why.
        reason: &'static str,
    },
    /// One of its tasks panicked, so that it ended uncalled for. The log has more.
    #[error("informer `{0}` ended because one of its tasks panicked")]
    Panicked(Arc<str>),
}

/// Why an informer has not synced.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The API server does not let this client list or watch the resource. Retries go on.
    #[error("forbidden: grant `list` and `watch` on it")]
    Forbidden(#[source] Arc<ReflectorError>),
    /// The API server does not serve the resource: is its `CustomResourceDefinition` installed?
    /// Retries go on.
    #[error("not served: is its CustomResourceDefinition installed?")]
    NotServed(#[source] Arc<ReflectorError>),
    /// The API server does not know who asks. Retries go on.
    #[error("unauthorized: check the client's credentials")]
    Unauthorized(#[source] Arc<ReflectorError>),
    /// The API server finds fault with the request. Retries go on.
    #[error("refused as invalid: check selectors, and whether it can be listed and watched")]
    Invalid(#[source] Arc<ReflectorError>),
    /// The answer is not a list of the resource. Retries go on.
    #[error("malformed answer")]
    Malformed(#[source] Arc<ReflectorError>),
    /// Not within the time allowed; the last failure, if there was one, is the source.
    #[error("not within {} s", after.as_secs_f64())]
    Timeout {
        /// The time allowed.
        after: Duration,
        /// The last failure.
        #[source]
        cause: Option<Arc<ReflectorError>>,
    },
    /// Nobody started it within the time allowed.
    #[error("not started within {} s: call `start`", after.as_secs_f64())]
    NotStarted {
        /// The time allowed.
        after: Duration,
    },
    /// It was stopped before.
    #[error("stopped before it had synced")]
    Stopped,
    /// Its factory does not let it run.
    #[error("not run: {0}")]
    Refused(&'static str),
}

// === impl SyncError ===

impl SyncError {
    /// What waiting is unlikely to cure; `None` for what comes and goes.
    pub(crate) fn definite(cause: &Arc<ReflectorError>) -> Option<Self> {
        if matches!(**cause, ReflectorError::WatchListRefused(_)) {
            // Who does not stream may list: that has yet to be answered.
            return None;
        }
        let cause = Arc::clone(cause);
        if let Some(status) = cause.status() {
            return match status.code {
                401 => Some(Self::Unauthorized(cause)),
                403 => Some(Self::Forbidden(cause)),
                404 => Some(Self::NotServed(cause)),
                400 | 405 | 406 | 415 | 422 => Some(Self::Invalid(cause)),
                _ => None,
            };
        }
        let malformed = matches!(
            cause.source_error(),
            Some(crate::source::SourceError::Malformed(_))
        );
        malformed.then_some(Self::Malformed(cause))
    }
}

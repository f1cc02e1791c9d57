//! Errors of an informer as a whole.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::status::{ReflectorError, Refusal};

/// Error of an informer's or a factory's settings: they contradict each other, or cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A dynamic type does not know its resource, and no resource was set.
    #[error("the resource of a dynamic type is unknown: set it with `resource(..)`")]
    ResourceUnknown,
    /// The queue's capacity is 0, in deltas or in bytes.
    #[error("a queue with capacity 0 accepts no delta: set a capacity of at least 1")]
    EmptyQueue,
    /// An empty list of namespaces was set.
    #[error("an empty list of namespaces is set: name one, or set none to cache all")]
    NoNamespace,
    /// The empty namespace, which means all, was set beside others.
    #[error("an empty namespace is set beside others: name namespaces, or set none to cache all")]
    EmptyNamespace,
    /// A namespace was set for a cluster-scoped resource.
    #[error("a namespace is set, but the resource is cluster-scoped: remove the namespace")]
    NamespaceOfClusterScoped,
    /// The storage keeps bytes, but the transform's output cannot be serialized.
    #[error(
        "the storage cannot keep the output of transform `{0}`: add `.serializable()` to the transform"
    )]
    TransformNotAccepted(Arc<str>),
    /// A setting of the source was set on an informer over a source that the user supplies.
    #[error("`{0}` is a setting of the source: set it on the `KubeListerWatcher`")]
    SettingOfSource(&'static str),
    /// The factory was built outside a tokio runtime. Informers run on the runtime in which their
    /// factory is built.
    #[error("no tokio runtime here: build the factory inside one")]
    NoRuntime,
    /// The same type was given settings twice.
    #[error("settings for `{0}` were given twice: merge them into one `with_type`")]
    TypeTwice(&'static str),
    /// A strict namespace was requested without a namespace.
    #[error("`strict_namespace` needs a `namespace`")]
    StrictWithoutNamespace,
    /// A cluster-scoped resource was requested from a factory with a strict namespace.
    #[error("the resource is cluster-scoped, but the factory is strict about its namespace")]
    ClusterScoped,
}

/// Error of an informer that does not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The informer runs, or has run. An informer runs only once; create a new one to run again.
    #[error("informer `{0}` has been started before: an informer runs once")]
    AlreadyStarted(Arc<str>),
    /// The informer's factory does not let it run.
    #[error("informer `{informer}` cannot run: {reason}")]
    Refused {
        /// Name of the informer.
        informer: Arc<str>,
        /// Reason why the informer cannot run.
        reason: Arc<str>,
    },
    /// One of the informer's tasks panicked, which ended the informer. The panic's message is on
    /// stderr, or where the program's panic hook puts it.
    #[error("informer `{0}` ended because one of its tasks panicked")]
    Panicked(Arc<str>),
}

/// Error of an informer that has not synced.
///
/// Displays the remedy, if there is one, and the underlying failure with its causes. That failure is
/// also the [`source`](Error::source): a [`ReflectorError`], to which it can be downcast.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SyncError {
    /// The API server forbids this client to list or watch the resource. Retries continue.
    Forbidden(Arc<ReflectorError>),
    /// The API server does not serve the resource. The usual cause is a `CustomResourceDefinition`
    /// that is not installed. Retries continue.
    NotServed(Arc<ReflectorError>),
    /// The API server does not accept the client's credentials. Retries continue.
    Unauthorized(Arc<ReflectorError>),
    /// The API server rejects the request as invalid. Retries continue.
    Invalid(Arc<ReflectorError>),
    /// The answer is not a list of the resource. Retries continue.
    Malformed(Arc<ReflectorError>),
    /// The informer did not sync within the time limit. The source is the last failure, if one
    /// occurred.
    Timeout {
        /// Time limit of the wait.
        after: Duration,
        /// Last failure of the informer.
        cause: Option<Arc<ReflectorError>>,
    },
    /// The informer was not started within the time limit.
    NotStarted {
        /// Time limit of the wait.
        after: Duration,
    },
    /// The caller stopped waiting. The source is the last failure, if one occurred.
    Cancelled {
        /// Reason that the caller gave.
        reason: Arc<str>,
        /// Last failure of the informer.
        cause: Option<Arc<ReflectorError>>,
    },
    /// The informer was stopped, before or after it had synced. A later request to its factory makes
    /// a new one.
    Stopped,
    /// The informer's factory does not let it run.
    Refused(Arc<str>),
}

// === impl SyncError ===

impl SyncError {
    /// Returns the error of a failure that retries are unlikely to cure; `None` for a transient
    /// failure.
    #[doc(hidden)]
    #[must_use]
    pub fn definite(cause: &Arc<ReflectorError>) -> Option<Self> {
        let refusal = Refusal::of(cause)?;
        let cause = Arc::clone(cause);
        Some(match refusal {
            Refusal::Forbidden => Self::Forbidden(cause),
            Refusal::NotServed => Self::NotServed(cause),
            Refusal::Unauthorized => Self::Unauthorized(cause),
            Refusal::Invalid => Self::Invalid(cause),
            Refusal::Malformed => Self::Malformed(cause),
        })
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden(cause)
            | Self::NotServed(cause)
            | Self::Unauthorized(cause)
            | Self::Invalid(cause)
            | Self::Malformed(cause) => return f.write_str(&cause.explained()),
            Self::Timeout { after, .. } => {
                write!(f, "not synced within {} s", after.as_secs_f64())?;
            }
            Self::NotStarted { after } => {
                let seconds = after.as_secs_f64();
                write!(f, "not started within {seconds} s: call `start`")?;
            }
            Self::Cancelled { reason, .. } => write!(f, "stopped waiting: {reason}")?,
            Self::Stopped => f.write_str("stopped: it does not follow the server any more")?,
            Self::Refused(reason) => write!(f, "cannot run: {reason}")?,
        }
        if let Self::Timeout { cause, .. } | Self::Cancelled { cause, .. } = self
            && let Some(cause) = cause
        {
            write!(f, ": {}", cause.explained())?;
        }
        Ok(())
    }
}

/// Not derived, because a derived `source` would return the `Arc` instead of the error in it.
impl Error for SyncError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        if let Self::Forbidden(cause)
        | Self::NotServed(cause)
        | Self::Unauthorized(cause)
        | Self::Invalid(cause)
        | Self::Malformed(cause)
        | Self::Timeout {
            cause: Some(cause), ..
        }
        | Self::Cancelled {
            cause: Some(cause), ..
        } = self
        {
            return Some(&**cause);
        }
        None
    }
}

#[cfg(test)]
mod tests;

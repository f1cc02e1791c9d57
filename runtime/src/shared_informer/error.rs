//! What can go wrong with an informer as a whole.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::status::ReflectorError;

/// Settings of an informer or a factory that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The type does not know its resource.
    #[error("the resource of a dynamic type is not known: give it with `resource(..)`")]
    ResourceUnknown,
    /// A queue that holds nothing would never move.
    #[error("a queue capacity of 0 would never let a delta through: give at least 1")]
    EmptyQueue,
    /// A compression was given for a queue that is not of keys.
    #[error("a compression was given, but `Order::Global` merges nothing: set `Order::PerKey`")]
    CompressionWithoutKeys,
    /// A namespace was named for a resource that has none.
    #[error("a namespace was given for a cluster-scoped resource")]
    NamespaceOfClusterScoped,
    /// The storage keeps bytes, and what the transform makes cannot be made bytes of.
    #[error("the storage cannot keep what transform `{0}` makes: add `.serializable()` to it")]
    TransformNotAccepted(Arc<str>),
    /// An informer over a source of one's own was given a setting that only its source can follow.
    #[error("`{0}` is a setting of the source: give it to the `KubeListerWatcher`")]
    SettingOfSource(&'static str),
    /// Informers run on the tokio runtime in which their factory was built.
    #[error("no tokio runtime here: build the factory inside one")]
    NoRuntime,
    /// A type was given settings twice.
    #[error("settings for `{0}` were given twice: merge them into one `with_type`")]
    TypeTwice(&'static str),
    /// A strict namespace was asked for, and none was named.
    #[error("`strict_namespace` needs a `namespace`")]
    StrictWithoutNamespace,
    /// A cluster-scoped resource was asked of a factory with a strict namespace.
    #[error("it is cluster-scoped, and the factory is strict about its namespace")]
    ClusterScoped,
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
        reason: Arc<str>,
    },
    /// One of its tasks panicked, so that it ended uncalled for. What the panic said is on stderr, or
    /// where the program's panic hook puts it.
    #[error("informer `{0}` ended because one of its tasks panicked")]
    Panicked(Arc<str>),
}

/// Why an informer has not synced.
///
/// The failure behind it is its [`source`](Error::source): a [`ReflectorError`], to which it can be
/// downcast.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SyncError {
    /// The API server does not let this client list or watch the resource. Retries go on.
    Forbidden(Arc<ReflectorError>),
    /// The API server does not serve the resource: is its `CustomResourceDefinition` installed?
    /// Retries go on.
    NotServed(Arc<ReflectorError>),
    /// The API server does not know who asks. Retries go on.
    Unauthorized(Arc<ReflectorError>),
    /// The API server finds fault with the request. Retries go on.
    Invalid(Arc<ReflectorError>),
    /// The answer is not a list of the resource. Retries go on.
    Malformed(Arc<ReflectorError>),
    /// Not within the time allowed; the last failure, if there was one, is the source.
    Timeout {
        /// The time allowed.
        after: Duration,
        /// The last failure.
        cause: Option<Arc<ReflectorError>>,
    },
    /// Nobody started it within the time allowed.
    NotStarted {
        /// The time allowed.
        after: Duration,
    },
    /// Whoever waited gave up; the last failure, if there was one, is the source.
    Cancelled {
        /// Why, as told by who gave up.
        reason: Arc<str>,
        /// The last failure.
        cause: Option<Arc<ReflectorError>>,
    },
    /// It was stopped before.
    Stopped,
    /// Its factory does not let it run.
    Refused(Arc<str>),
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
            Some(crate::status::SourceError::Malformed(_))
        );
        malformed.then_some(Self::Malformed(cause))
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden(_) => f.write_str("forbidden: grant `list` and `watch` on it"),
            Self::NotServed(_) => {
                f.write_str("not served: is its CustomResourceDefinition installed?")
            }
            Self::Unauthorized(_) => f.write_str("unauthorized: check the client's credentials"),
            Self::Invalid(_) => f.write_str(
                "refused as invalid: check selectors, and whether it can be listed and watched",
            ),
            Self::Malformed(_) => f.write_str("malformed answer"),
            Self::Timeout { after, .. } => write!(f, "not within {} s", after.as_secs_f64()),
            Self::NotStarted { after } => {
                write!(
                    f,
                    "not started within {} s: call `start`",
                    after.as_secs_f64()
                )
            }
            Self::Cancelled { reason, .. } => write!(f, "waited for no longer: {reason}"),
            Self::Stopped => f.write_str("stopped before it had synced"),
            Self::Refused(reason) => write!(f, "not run: {reason}"),
        }
    }
}

/// By hand, because a derived one would give the `Arc` and not what is in it.
impl Error for SyncError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Forbidden(cause)
            | Self::NotServed(cause)
            | Self::Unauthorized(cause)
            | Self::Invalid(cause)
            | Self::Malformed(cause)
            | Self::Timeout {
                cause: Some(cause), ..
            }
            | Self::Cancelled {
                cause: Some(cause), ..
            } => Some(&**cause),
            Self::Timeout { cause: None, .. }
            | Self::Cancelled { cause: None, .. }
            | Self::NotStarted { .. }
            | Self::Stopped
            | Self::Refused(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::status::SourceError;
    use crate::wire::ApiStatus;

    /// E-14: each cause can be downcast to what it is, down to the one below ours.
    #[test]
    fn e14_causes_are_themselves_and_not_what_holds_them() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let failure = ReflectorError::List(SourceError::from_transport(refused));
        let cause = Arc::new(failure);
        let reason = Arc::from("enough");
        for error in [
            SyncError::Forbidden(Arc::clone(&cause)),
            SyncError::NotServed(Arc::clone(&cause)),
            SyncError::Unauthorized(Arc::clone(&cause)),
            SyncError::Invalid(Arc::clone(&cause)),
            SyncError::Malformed(Arc::clone(&cause)),
            SyncError::Timeout {
                after: Duration::ZERO,
                cause: Some(Arc::clone(&cause)),
            },
            SyncError::Cancelled {
                reason,
                cause: Some(cause),
            },
        ] {
            let failure = error.source().unwrap();
            assert!(
                failure.downcast_ref::<ReflectorError>().is_some(),
                "{error:?}"
            );
            let source = failure.source().unwrap();
            assert!(source.downcast_ref::<SourceError>().is_some());
            let io = source.source().unwrap().downcast_ref::<io::Error>();
            assert_eq!(io.unwrap().kind(), io::ErrorKind::ConnectionRefused);
        }
        assert!(SyncError::Stopped.source().is_none());
    }

    /// E-14: what the API server says is not said twice.
    #[test]
    fn e14_a_status_is_one_line_of_the_chain() {
        let status = ApiStatus::new(403, "Forbidden", "no");
        let cause = Arc::new(ReflectorError::List(status.into()));
        let error = SyncError::Forbidden(cause);
        assert_eq!(
            crate::base::chain::Chain(&error).to_string(),
            "forbidden: grant `list` and `watch` on it: list failed: no (HTTP 403, Forbidden)"
        );
    }
}

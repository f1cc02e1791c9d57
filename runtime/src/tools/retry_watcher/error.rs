//! Errors of a retry watcher.

use crate::object::{ObjectKey, ResourceVersion};
use crate::status::SourceError;

/// Error of a watch from a version that does not identify a state: `""` and `"0"` mean the state at
/// the time of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot watch from resourceVersion \"{0}\": this version identifies no state")]
pub struct NoResourceVersion(pub ResourceVersion);

/// Error that ended a [`RetryWatcher`](super::RetryWatcher). The stream yields it as its last item.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RetryWatchError {
    /// The API server has expired the version, so later changes are lost. List again, and start a
    /// new watcher.
    #[error("the resourceVersion has expired")]
    Expired(#[source] SourceError),
    /// The API server does not accept the credentials, or they do not permit the watch.
    #[error("the watch is not permitted")]
    Denied(#[source] SourceError),
    /// An object without a resourceVersion was received, from which no watch can be resumed.
    #[error("object {0} has no resourceVersion")]
    MissingResourceVersion(ObjectKey),
}

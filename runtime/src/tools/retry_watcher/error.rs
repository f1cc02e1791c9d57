//! Why a retry watcher does not start, and why it ends.

use crate::object::{ObjectKey, ResourceVersion};
use crate::status::SourceError;

/// A watch cannot be resumed from this version: `""` and `"0"` mean "the current state", whatever
/// that is at the time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot watch from resourceVersion \"{0}\": it names no state")]
pub struct NoResourceVersion(pub ResourceVersion);

/// Why a [`RetryWatcher`](super::RetryWatcher) has ended. It is the last thing that it yields.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RetryWatchError {
    /// The server has forgotten the version: what happened since is lost. List, and start anew.
    #[error("the resourceVersion has expired")]
    Expired(#[source] SourceError),
    /// The credentials are not accepted, or do not permit the watch.
    #[error("the watch is not permitted")]
    Denied(#[source] SourceError),
    /// An object came without a version, from which nothing could be resumed.
    #[error("object {0} has no resourceVersion")]
    MissingResourceVersion(ObjectKey),
}

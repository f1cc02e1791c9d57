//! [`SessionError`]: the reasons for which a cache does not show a write.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::write::OwnWrite;
use crate::object::ResourceVersion;

/// Number of writes that an error names.
const NAMED: usize = 5;

/// Error of a read of a [`Session`](super::Session), and of a key that the gate of a controller
/// holds back.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// Caches do not show writes of the session within the time limit.
    #[error("{}", unseen(after, missing))]
    Unseen {
        /// Time limit.
        after: Duration,
        /// Missing writes, oldest first. Each with the name of the informer that lacks the write, and
        /// with the resourceVersion that the informer has reached.
        missing: Vec<(OwnWrite, Arc<str>, ResourceVersion)>,
    },
    /// A write had no answer, and the server's version could not be asked for.
    #[error("the outcome is unknown: {write}")]
    Unknown {
        /// Write without an answer.
        write: Box<OwnWrite>,
        /// Error of the question.
        source: Arc<kube::Error>,
    },
    /// The resourceVersions cannot be compared.
    #[error(
        "informer \"{informer}\" is at resourceVersion \"{stored}\", which cannot be compared: {write}"
    )]
    Incomparable {
        /// Write that was waited for.
        write: Box<OwnWrite>,
        /// Name of the informer.
        informer: Arc<str>,
        /// resourceVersion of the cache.
        stored: ResourceVersion,
    },
    /// The informer was stopped before it showed all writes.
    #[error("informer \"{informer}\" was stopped before it showed all writes of the session")]
    Stopped {
        /// Name of the informer.
        informer: Arc<str>,
    },
    /// The cache belongs to an informer that the session does not know.
    #[error(
        "the cache is of no informer of the session's factory: add its informer to the session"
    )]
    Foreign,
}

fn unseen(after: &Duration, missing: &[(OwnWrite, Arc<str>, ResourceVersion)]) -> String {
    let mut text = if after.is_zero() {
        "writes of the session are not in the cache yet".to_owned()
    } else {
        format!(
            "writes of the session are not in the cache after {} s",
            after.as_secs_f64()
        )
    };
    for (position, (write, informer, stored)) in missing.iter().take(NAMED).enumerate() {
        let separator = if position == 0 { ": " } else { "; " };
        // Writing to a `String` cannot fail.
        _ = write!(
            text,
            "{separator}{write} (informer \"{informer}\" is at \"{stored}\")"
        );
    }
    if let Some(more) = missing.len().checked_sub(NAMED).filter(|more| *more > 0) {
        _ = write!(text, "; and {more} more");
    }
    text
}

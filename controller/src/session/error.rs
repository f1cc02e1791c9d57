//! [`SessionError`]: the reasons for which a cache does not show a write.

use std::sync::Arc;
use std::time::Duration;

use informer_runtime::ResourceVersion;

use super::write::OwnWrite;

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
    /// The cache has no first list within the time limit, so what exists seems to be missing.
    #[error("informer \"{informer}\" has no first list {}: {status}", when(after))]
    NotListed {
        /// Name of the informer.
        informer: Arc<str>,
        /// Time limit.
        after: Duration,
        /// State of the informer, with the cause.
        status: String,
    },
    /// The cache belongs to an informer that the session does not know.
    #[error(
        "the cache is of no informer of the session's factory: add its informer to the session"
    )]
    Foreign,
}

fn unseen(after: &Duration, missing: &[(OwnWrite, Arc<str>, ResourceVersion)]) -> String {
    let mut list: Vec<String> = missing
        .iter()
        .take(NAMED)
        .map(|(write, informer, stored)| {
            format!("{write} (informer \"{informer}\" is at \"{stored}\")")
        })
        .collect();
    if missing.len() > NAMED {
        list.push(format!("and {} more", missing.len() - NAMED));
    }
    let separator = if list.is_empty() { "" } else { ": " };
    let wait = when(after);
    let names = list.join("; ");
    format!("writes of the session are not in the cache {wait}{separator}{names}")
}

fn when(after: &Duration) -> String {
    if after.is_zero() {
        return "yet".to_owned();
    }
    format!("after {} s", after.as_secs_f64())
}

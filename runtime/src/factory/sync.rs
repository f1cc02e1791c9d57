//! Outcome of a wait for caches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tracing::debug;

use crate::shared_informer::{GenericInformer, SyncError};

/// Outcome of a wait for caches: one result per informer, sorted by name.
///
/// client-go's counterpart is `cache.SyncResult`.
#[derive(Debug, Clone, Default)]
pub struct SyncResult {
    informers: BTreeMap<String, Result<(), SyncError>>,
}

/// Reason to stop waiting.
#[derive(Debug, Clone)]
pub(super) enum WaitEnd {
    Timeout(Duration),
    Cancelled(Arc<str>),
}

// === impl WaitEnd ===

impl WaitEnd {
    fn for_informer(self, informer: &GenericInformer) -> SyncError {
        let cause = informer.last_failure(None);
        match self {
            Self::Timeout(after) if !informer.has_started() => SyncError::NotStarted { after },
            Self::Timeout(after) => SyncError::Timeout { after, cause },
            Self::Cancelled(reason) => SyncError::Cancelled { reason, cause },
        }
    }
}

// === impl SyncResult ===

impl SyncResult {
    /// Waits for all informers concurrently, so that none delays another. When `end` is ready,
    /// every informer that has not synced fails for that reason.
    pub(super) async fn wait(
        informers: Vec<GenericInformer>,
        end: impl Future<Output = WaitEnd>,
    ) -> Self {
        debug!(informers = informers.len(), "waiting for caches");
        let shared_end = end.shared();
        let waits = informers.iter().map(|informer| {
            let ended = shared_end.clone();
            async move {
                let outcome = tokio::select! {
                    biased;
                    outcome = informer.wait_for_sync() => outcome,
                    reason = ended => Err(reason.for_informer(informer)),
                };
                let name = informer.name();
                match &outcome {
                    Ok(()) => debug!(informer = name, "cache synced"),
                    Err(error) => {
                        debug!(informer = name, %error, "cache not synced");
                    }
                }
                (name.to_owned(), outcome)
            }
        });
        Self {
            informers: futures::future::join_all(waits).await.into_iter().collect(),
        }
    }

    /// Reports whether all informers have synced.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.informers.values().all(Result::is_ok)
    }

    /// Returns the outcome of each informer, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Result<(), &SyncError>)> {
        self.informers
            .iter()
            .map(|(name, outcome)| (name.as_str(), outcome.as_ref().copied()))
    }

    /// Returns the outcome of one informer, or `None` if no informer has this name.
    #[must_use]
    pub fn get(&self, informer: &str) -> Option<Result<(), &SyncError>> {
        self.informers
            .get(informer)
            .map(|outcome| outcome.as_ref().copied())
    }

    /// Returns the informers that have not synced, with their errors.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &SyncError)> {
        self.informers
            .iter()
            .filter_map(|(name, outcome)| Some((&**name, outcome.as_ref().err()?)))
    }
}

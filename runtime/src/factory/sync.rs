//! The outcome of waiting for caches.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::timeout;

use super::registry::Registered;
use crate::shared_informer::SyncError;

/// Which informers have synced, and why the others have not. By name, sorted.
///
/// client-go's counterpart is `cache.SyncResult`.
#[derive(Debug, Clone, Default)]
pub struct SyncResult {
    informers: BTreeMap<String, Result<(), SyncError>>,
}

// === impl SyncResult ===

impl SyncResult {
    /// Waits for all at once; none hides or delays another.
    pub(super) async fn wait(informers: Vec<Registered>, limit: Duration) -> Self {
        let waits = informers.iter().map(|informer| async move {
            let outcome = match timeout(limit, informer.wait_for_sync()).await {
                Ok(outcome) => outcome,
                Err(_) if !informer.has_started() => Err(SyncError::NotStarted { after: limit }),
                Err(_) => Err(SyncError::Timeout {
                    after: limit,
                    cause: informer.last_failure(),
                }),
            };
            (informer.name().to_owned(), outcome)
        });
        Self {
            informers: futures::future::join_all(waits).await.into_iter().collect(),
        }
    }

    /// Whether all have synced.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.informers.values().all(Result::is_ok)
    }

    /// The outcome per informer, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Result<(), &SyncError>)> {
        self.informers
            .iter()
            .map(|(name, outcome)| (name.as_str(), outcome.as_ref().copied()))
    }

    /// The outcome of one informer, by name; `None` if there is none of this name.
    #[must_use]
    pub fn get(&self, informer: &str) -> Option<Result<(), &SyncError>> {
        self.informers
            .get(informer)
            .map(|outcome| outcome.as_ref().copied())
    }

    /// Those that have not synced, and why.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &SyncError)> {
        self.informers
            .iter()
            .filter_map(|(name, outcome)| Some((&**name, outcome.as_ref().err()?)))
    }
}

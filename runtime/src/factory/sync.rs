//! The outcome of waiting for caches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tracing::debug;

use super::registry::Registered;
use crate::base::chain::Chain;
use crate::shared_informer::SyncError;

/// Which informers have synced, and why the others have not. By name, sorted.
///
/// client-go's counterpart is `cache.SyncResult`.
#[derive(Debug, Clone, Default)]
pub struct SyncResult {
    informers: BTreeMap<String, Result<(), SyncError>>,
}

/// Why it is waited for no longer.
#[derive(Debug, Clone)]
pub(super) enum GivenUp {
    Timeout(Duration),
    Cancelled(Arc<str>),
}

// === impl GivenUp ===

impl GivenUp {
    fn for_informer(self, informer: &Registered) -> SyncError {
        let cause = informer.last_failure();
        match self {
            Self::Timeout(after) if !informer.has_started() => SyncError::NotStarted { after },
            Self::Timeout(after) => SyncError::Timeout { after, cause },
            Self::Cancelled(reason) => SyncError::Cancelled { reason, cause },
        }
    }
}

// === impl SyncResult ===

impl SyncResult {
    /// Waits for all at once; none hides or delays another. Who has not synced when `given_up` is
    /// ready has failed for that reason.
    pub(super) async fn wait(
        informers: Vec<Registered>,
        given_up: impl Future<Output = GivenUp>,
    ) -> Self {
        debug!(informers = informers.len(), "waiting for caches");
        let given_up = given_up.shared();
        let waits = informers.iter().map(|informer| {
            let given_up = given_up.clone();
            async move {
                let outcome = tokio::select! {
                    biased;
                    outcome = informer.wait_for_sync() => outcome,
                    reason = given_up => Err(reason.for_informer(informer)),
                };
                let name = informer.name();
                match &outcome {
                    Ok(()) => debug!(informer = name, "cache synced"),
                    Err(error) => {
                        debug!(informer = name, error = %Chain(error), "cache not synced");
                    }
                }
                (name.to_owned(), outcome)
            }
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

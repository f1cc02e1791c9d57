//! [`Mirror`]: brings the user's store up to date with the cache.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::store::{DynStore, MakeStore, States};
use crate::base::chain::Chain;
use crate::base::panic::{Panicked, catch_async};
use crate::indexer::{State, Store};
use crate::object::Scope;
use crate::reflector::{Backoff, ExponentialBackoff};
use crate::status::{Metrics, StatusCell, StoreFailure};

/// Time after which a batch that is not stored yet is logged. The interval doubles with each log
/// line.
const SLOW_STORE: Duration = Duration::from_secs(10);

/// User's store, and the last snapshot that it accepted.
///
/// The difference between two snapshots replaces a write log, so the cost of a store that lags
/// behind is bounded by the number of differing objects.
pub(crate) struct Mirror {
    make: MakeStore,
    /// Created when there is a first batch to write.
    store: Option<Box<dyn DynStore>>,
    /// Last snapshot that the store accepted; `None` if the store's content is unknown.
    taken: Option<Arc<State>>,
    scope: Scope,
    backoff: ExponentialBackoff,
}

// === impl Mirror ===

impl Mirror {
    pub(crate) fn new(make: MakeStore, scope: Scope) -> Self {
        Self {
            make,
            store: None,
            taken: None,
            scope,
            backoff: ExponentialBackoff::default(),
        }
    }

    /// Returns when the store reflects `snapshot`.
    pub(super) async fn follow(
        &mut self,
        snapshot: &Arc<State>,
        informer: &str,
        status: &StatusCell,
        metrics: &Metrics,
    ) {
        let mut attempts = 0_u32;
        while let Err(failure) = self.apply(snapshot, informer).await {
            attempts += 1;
            metrics.store_failures.increment();
            if matches!(failure, StoreFailure::Panicked) {
                self.taken = None;
            }
            // The delay between two attempts bounds the rate of this log line.
            let error = Chain(&failure).to_string();
            warn!(
                informer,
                error, attempts, "store failed; the informer waits and retries"
            );
            status.store_failed(Some(Arc::new(failure)));
            sleep(self.backoff.next_delay()).await;
        }
        if attempts > 0 {
            info!(informer, attempts, "store recovered");
            status.store_failed(None);
            self.backoff.reset();
        }
        self.taken = Some(Arc::clone(snapshot));
    }

    async fn apply(&mut self, snapshot: &Arc<State>, informer: &str) -> Result<(), StoreFailure> {
        let since = self.taken.clone();
        let batch = States {
            is_replace: since.is_none(),
            since: since.unwrap_or_else(|| Store::new(self.scope).state()),
            snapshot: Arc::clone(snapshot),
        };
        let applied = catch_async(async {
            let store = self.store.get_or_insert_with(|| (self.make)());
            store.apply(batch).await
        });
        let mut applied = pin!(applied);
        let (mut patience, mut waited) = (SLOW_STORE, Duration::ZERO);
        let applied = loop {
            if let Ok(applied) = timeout(patience, &mut applied).await {
                break applied;
            }
            waited += patience;
            patience = waited;
            let seconds = waited.as_secs();
            warn!(
                informer,
                seconds, "store has not finished a batch yet; the informer waits"
            );
        };
        match applied {
            Ok(applied) => applied.map_err(StoreFailure::Failed),
            Err(Panicked) => Err(StoreFailure::Panicked),
        }
    }
}

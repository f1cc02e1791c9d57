//! [`Mirror`]: brings the user's store to where the cache is.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::store::{DynStore, MakeStore, StoreBatch};
use crate::base::chain::Chain;
use crate::base::panic::{Panicked, catch_async};
use crate::indexer::{Indexer, Snapshot};
use crate::object::Scope;
use crate::processor::Handle;
use crate::reflector::{Backoff, ExponentialBackoff};
use crate::status::{Metrics, StatusCell, StoreFailure};

/// A store that has not taken a batch for so long is logged; and again after twice that, and so on.
const SLOW_STORE: Duration = Duration::from_secs(10);

/// A store of the user's, and what it holds.
///
/// There is no log of what is to be written: the difference between two snapshots is it, so that a
/// store which is behind costs no more than the objects that differ.
pub(crate) struct Mirror<H> {
    make: MakeStore<H>,
    /// Made when there is something to write.
    store: Option<Box<dyn DynStore<H>>>,
    /// What the store has taken; `None` if nobody knows.
    taken: Option<Snapshot<H>>,
    scope: Scope,
    backoff: ExponentialBackoff,
}

// === impl Mirror ===

impl<H: Handle> Mirror<H> {
    pub(crate) fn new(make: MakeStore<H>, scope: Scope) -> Self {
        Self {
            make,
            store: None,
            taken: None,
            scope,
            backoff: ExponentialBackoff::default(),
        }
    }

    /// Returns once the store holds what `snapshot` does.
    pub(super) async fn follow(
        &mut self,
        snapshot: &Snapshot<H>,
        informer: &str,
        status: &StatusCell,
        metrics: &Metrics,
    ) {
        let mut tries = 0_u32;
        while let Err(failure) = self.apply(snapshot, informer).await {
            tries += 1;
            metrics.store_failures.increment();
            if matches!(failure, StoreFailure::Panicked) {
                self.taken = None;
            }
            // At a bounded rate: there is a delay between any two.
            let error = Chain(&failure).to_string();
            warn!(informer, error, tries, "store failed, the informer waits");
            status.store_failed(Some(Arc::new(failure)));
            sleep(self.backoff.next_delay()).await;
        }
        if tries > 0 {
            info!(informer, tries, "store works again");
            status.store_failed(None);
            self.backoff.reset();
        }
        self.taken = Some(snapshot.clone());
    }

    async fn apply(&mut self, snapshot: &Snapshot<H>, informer: &str) -> Result<(), StoreFailure> {
        let since = self.taken.clone();
        let batch = StoreBatch {
            is_replace: since.is_none(),
            since: since.unwrap_or_else(|| Indexer::new(self.scope).snapshot()),
            snapshot: snapshot.clone(),
        };
        let applied = catch_async(async {
            let store = self.store.get_or_insert_with(|| (self.make)());
            store.apply(&batch).await
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
                seconds, "store has not taken a batch yet, the informer waits"
            );
        };
        match applied {
            Ok(applied) => applied.map_err(StoreFailure::Failed),
            Err(Panicked) => Err(StoreFailure::Panicked),
        }
    }
}

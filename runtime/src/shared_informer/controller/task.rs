//! Loop of the controller: applies batches, notifies handlers, and triggers resyncs.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::apply::Apply;
use super::first_lists::FirstLists;
use super::replay::SnapshotReplay;
use super::store::Mirror;
use crate::base::text::seconds;
use crate::base::time::deadline;
use crate::coverage::Coverage;
use crate::delta_fifo::{Batch, Delta, DeltaFifo};
use crate::event::{Event, HandlerId, Origin};
use crate::indexer::Store;
use crate::processor::Processor;
use crate::status::{Metrics, StatusCell};
use crate::storage::Entry;

/// Task that is the only writer of an informer's store.
pub(crate) struct Controller {
    pub(crate) name: Arc<str>,
    pub(crate) fifo: DeltaFifo,
    pub(crate) store: Store,
    pub(crate) mirror: Option<Mirror>,
    pub(crate) processor: Processor,
    pub(crate) status: Arc<StatusCell>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) first_lists: FirstLists,
    pub(crate) coverage: Arc<Coverage>,
    /// Start of the informer.
    pub(crate) began: Instant,
}

/// Arrival of the batch's oldest delta, and time at which the batch left the queue.
#[derive(Debug, Clone, Copy)]
struct Times {
    arrived: Instant,
    popped: Instant,
}

// === impl Controller ===

impl Controller {
    /// Runs until cancelled or until the queue is closed. Each batch is applied completely or not
    /// at all.
    pub(crate) async fn run(mut self, cancel: CancellationToken) {
        loop {
            let due = self.processor.next_resync();
            let awaited = self.first_lists.awaited_after_others();
            let (batch, arrived) = tokio::select! {
                biased;
                () = cancel.cancelled() => return,
                () = deadline(due) => {
                    let due = self.processor.take_due(Instant::now());
                    // A resync goes through the queue, so that it never overtakes a change. The
                    // queue accepts it even when full, because only this task makes room.
                    if !due.is_empty() && self.fifo.push(Delta::Sync(due)).await.is_err() {
                        return;
                    }
                    continue;
                }
                () = self.processor.resync_changed() => continue,
                () = deadline(self.store.expires()) => {
                    self.store.transaction(|store| store.expire(Instant::now()));
                    continue;
                }
                // Completes the first sync without a delta.
                () = self.status.forbidden(awaited), if !awaited.is_empty() => {
                    (Batch::default(), None)
                }
                popped = self.fifo.pop_with_arrival() => match popped {
                    Some(popped) => popped,
                    None => return,
                },
            };
            let times = Times::of(arrived, Instant::now());
            let processed = cancel.run_until_cancelled(self.process(batch, times)).await;
            if processed.is_none() {
                return;
            }
        }
    }

    /// Applies a batch: writes the store, then notifies. A handler that reads the store sees the
    /// state of its event, or a newer state.
    async fn process(&mut self, batch: Batch, times: Times) {
        self.metrics.batches.increment();
        if let [Delta::Sync(handlers)] = batch.deltas.as_slice() {
            self.resync(handlers);
            return;
        }
        let first_lists = &mut self.first_lists;
        let status = &self.status;
        let awaited = first_lists.awaited().len();
        let tell_unchanged = self.processor.has_resyncs();
        let parts = batch.deltas.iter().filter_map(Delta::part);
        let signals: Vec<_> = parts.map(|part| Arc::clone(&part.signal)).collect();
        let (generation, events, completes_initial) =
            self.store.write(batch, Batch::compute, |store, batch| {
                let mut apply = Apply::new(store, first_lists, tell_unchanged, &self.coverage);
                for delta in batch.deltas {
                    apply.delta(delta);
                }
                let events = apply.finish(batch.reached);
                let completes_initial =
                    first_lists.complete_sync(|awaited| status.forbids(awaited));
                if completes_initial {
                    store.mark_synced();
                }
                (store.next_generation(), events, completes_initial)
            });
        self.metrics.publish_latency.record(times.since_arrival());
        if let Some(mirror) = &mut self.mirror {
            let snapshot = self.store.state();
            mirror
                .follow(&snapshot, &self.name, &self.status, &self.metrics)
                .await;
        }
        let still_awaited = self.first_lists.awaited();
        if completes_initial || still_awaited.len() < awaited {
            self.status.listed(still_awaited, completes_initial);
        }
        if completes_initial {
            let objects = self.store.state().keys().len();
            let seconds = seconds(self.began.elapsed());
            info!(informer = %self.name, objects, seconds, "cache synced");
        }
        let is_change = |event: &&Event<Entry>| event.origin() != Origin::Resync;
        let changes = events.iter().filter(is_change).count();
        self.metrics
            .notifications
            .add(changes.try_into().unwrap_or(u64::MAX));
        drop(signals);
        if !events.is_empty() {
            self.processor.distribute(generation, events).await;
        }
        if completes_initial {
            self.processor.mark_synced();
        }
        let now = Instant::now();
        let metrics = &self.metrics;
        metrics
            .processing_latency
            .record(now.saturating_duration_since(times.popped));
        metrics
            .delivery_latency
            .record(now.saturating_duration_since(times.arrived));
    }

    fn resync(&self, handlers: &[HandlerId]) {
        let snapshot = self.store.state();
        self.processor.resync(handlers, || {
            Box::new(SnapshotReplay::new(Arc::clone(&snapshot)))
        });
    }
}

// === impl Times ===

impl Times {
    fn of(arrived: Option<Instant>, popped: Instant) -> Self {
        Self {
            arrived: arrived.unwrap_or(popped),
            popped,
        }
    }

    fn since_arrival(&self) -> Duration {
        self.arrived.elapsed()
    }
}

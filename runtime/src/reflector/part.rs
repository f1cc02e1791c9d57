//! [`Parts`]: the way of parts of the objects into the store, beside lists and watch.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use super::collect::{Collector, Versions, without_metadata};
use super::entry_maker::EntryMaker;
use super::report::Reporter;
use super::room::Room;
use crate::coverage::Coverage;
use crate::delta_fifo::{Delta, DeltaFifo, Listed, Part, Replacement};
use crate::indexer::Store;
use crate::object::ResourceVersion;
use crate::processor::Processor;
use crate::source::{ListPart, ListStream, PartWriter};
use crate::status::{ReflectorError, SourceError};
use crate::wire::ListMeta;

/// Lists parts for one reflector.
pub(super) struct Parts {
    pub(super) make: Arc<EntryMaker>,
    pub(super) room: Room,
    pub(super) store: Store,
    pub(super) tasks: TaskTracker,
    pub(super) reporter: Arc<Reporter>,
    pub(super) fifo: DeltaFifo,
    pub(super) processor: Processor,
    /// Takes parts to the reflector, which queues them behind the events that it has received.
    pub(super) listed: mpsc::Sender<Replacement>,
}

// === impl Parts ===

impl Parts {
    /// Returns a part, and a signal that completes when the store has its changes.
    fn part(&self, coverage: Coverage, items: Vec<Listed>) -> (Replacement, oneshot::Receiver<()>) {
        let (sender, stored) = oneshot::channel();
        let signal = Arc::new(sender);
        let replacement = Replacement {
            namespace: self.reporter.namespace().map(Arc::from),
            items,
            // The rest of the store is at another version.
            resource_version: ResourceVersion::UNSET,
            part: Some(Part { coverage, signal }),
        };
        (replacement, stored)
    }
}

impl PartWriter for Parts {
    fn replace<'a>(
        &'a self,
        list: BoxFuture<'a, Result<ListStream, SourceError>>,
        coverage: Coverage,
    ) -> BoxFuture<'a, Result<ListMeta, SourceError>> {
        async move {
            self.reporter.metrics().list_requests.increment();
            let mut collector = Collector::new(
                Arc::clone(&self.make),
                self.room.share(),
                0,
                &self.store,
                Versions::Comparable,
                self.tasks.clone(),
            );
            let mut parts = list.await?;
            let meta = loop {
                let items = match parts.next().await.ok_or_else(without_metadata)?? {
                    ListPart::Items(items) => items,
                    ListPart::End(meta) => break meta,
                };
                for item in items {
                    match item {
                        Ok(raw) if coverage.covers(raw.key(), raw.uid()) => {
                            collector.insert(raw).await?;
                        }
                        // The watch follows the others.
                        Ok(_) => {}
                        Err(bad) => self.reporter.report(ReflectorError::Rejected(bad)),
                    }
                }
            };
            let (items, counts) = collector.finish().await?;
            counts.record(self.reporter.metrics());
            let (part, stored) = self.part(coverage, items);
            if self.listed.send(part).await.is_ok() {
                let _stored_or_stopped = stored.await;
            }
            Ok(meta)
        }
        .boxed()
    }

    fn remove(&self, coverage: Coverage) -> BoxFuture<'_, ()> {
        let (part, stored) = self.part(coverage, Vec::new());
        async move {
            if self.fifo.push(Delta::ReplacedAll(part)).await.is_ok() {
                let _stored_or_stopped = stored.await;
            }
        }
        .boxed()
    }

    fn waits_for(&self) -> Option<String> {
        self.processor.waits_for()
    }

    fn stopped(&self) -> BoxFuture<'_, ()> {
        self.listed.closed().boxed()
    }

    fn watched(&self) {
        self.reporter.metrics().watch_requests.increment();
    }
}

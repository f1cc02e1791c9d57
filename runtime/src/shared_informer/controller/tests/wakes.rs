//! Wake-ups of the controller, and the cost of a burst.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::delta_fifo::tests::support::delta;
use crate::delta_fifo::{Delta, DeltaFifo, Order};
use crate::indexer::Store;
use crate::object::{Footprint, ObjectKey, ResourceVersion, Scope};
use crate::processor::Processor;
use crate::processor::tests::support::{PollCount, settle, spawn};
use crate::shared_informer::controller::Controller;
use crate::shared_informer::controller::FirstLists;
use crate::status::{Metrics, StatusCell};
use crate::storage::Entry;

fn added(number: usize, version: u64) -> Delta {
    let entry = Entry {
        key: ObjectKey::cluster(&format!("o{number}")),
        uid: None,
        resource_version: ResourceVersion::new(&version.to_string()),
        footprint: Footprint::default(),
        object: Arc::new(version.to_string()),
    };
    Delta::Added(entry.into())
}

/// a waiting burst costs one wake-up, and one publication per batch.
#[tokio::test(start_paused = true)]
async fn q15_a_burst_wakes_the_controller_once_and_is_published_once_per_batch() {
    let store = Store::of::<()>(Scope::Cluster);
    let fifo = DeltaFifo::new(Order::Global, 4096, Arc::new(store.clone()));
    let metrics = Arc::new(Metrics::default());
    let controller = Controller {
        first_lists: FirstLists::new(vec![None]),
        began: tokio::time::Instant::now(),
        name: "things".into(),
        mirror: None,
        coverage: Arc::default(),
        fifo: fifo.clone(),
        store: store.clone(),
        processor: Processor::new("things", Duration::ZERO),
        status: Arc::new(StatusCell::of([None])),
        metrics: Arc::clone(&metrics),
    };
    let cancel = CancellationToken::new();
    let polls = Arc::new(AtomicUsize::new(0));
    let run = spawn(PollCount::new(controller.run(cancel.clone()), &polls));
    let done = || (polls.load(Ordering::Relaxed), store.state().generation);
    settle().await;
    assert_eq!(done(), (1, 0));

    fifo.push(delta("[1]")).await.unwrap();
    settle().await;
    assert_eq!(done(), (2, 1));

    // First one full batch, then two and a half batches.
    for (count, batches) in [(1_000, 1), (2_500, 3)] {
        let (polls_before, published_before) = done();
        for number in 0..count {
            fifo.push(added(number, 10 + count as u64)).await.unwrap();
        }
        settle().await;
        assert_eq!(
            done(),
            (polls_before + 1, published_before + batches),
            "{count} deltas"
        );
    }

    // One at a time: a wake-up and a publication each.
    let (polls_before, published_before) = done();
    for version in 0..50 {
        fifo.push(added(7, 9_000 + version)).await.unwrap();
        settle().await;
    }
    assert_eq!(done(), (polls_before + 50, published_before + 50));
    cancel.cancel();
    run.await.unwrap();
}

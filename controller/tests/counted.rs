//! Costs of a call as counts. All measured code runs on the test's thread.

#![cfg(test)]

use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use allocation_counter::{AllocationInfo, measure};
use informer_controller::Controller;
use informer_controller::workqueue::{Action, WorkQueue};
use informer_runtime::SharedInformer;
use informer_runtime::source::FakeControllerSource;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

const CALLS: u64 = 1000;
const LARGE: usize = 16 << 10;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Awaits with this many bytes in the future.
async fn holding<const BYTES: usize>() {
    let held = black_box([1_u8; BYTES]);
    tokio::task::yield_now().await;
    black_box(&held);
}

/// Runs one worker of a queue until it has no more items.
fn work<const BYTES: usize>() -> AllocationInfo {
    let runtime = runtime();
    measure(|| {
        let queue: WorkQueue<u64> = WorkQueue::rate_limited("items");
        for item in 0..CALLS {
            queue.add(item);
        }
        queue.shut_down();
        let call = |_| async {
            holding::<BYTES>().await;
            Ok::<_, Infallible>(Action::Done)
        };
        runtime.block_on(queue.run_workers(1, call));
    })
}

/// Runs a controller until it has reconciled all objects.
fn reconcile<const BYTES: usize>() -> AllocationInfo {
    let source = FakeControllerSource::new();
    for number in 0..CALLS {
        let name = format!("map-{number}");
        source
            .add(&json!({ "metadata": { "namespace": "a", "name": name } }))
            .unwrap();
    }
    let runtime = runtime();
    let informer = SharedInformer::<ConfigMap>::builder(source)
        .build()
        .unwrap();
    let cancel = CancellationToken::new();
    let running = {
        let informer = informer.clone();
        let cancel = cancel.clone();
        runtime.spawn(async move { informer.run(cancel).await })
    };
    runtime.block_on(informer.wait_for_sync()).unwrap();
    let info = measure(|| {
        let controller = Controller::<_, Infallible>::new("maps", &informer);
        let queue = controller.handle().queue().clone();
        let left = Arc::new(AtomicU64::new(CALLS));
        let call = move |_, left: Arc<AtomicU64>| {
            let queue = queue.clone();
            async move {
                holding::<BYTES>().await;
                if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                    queue.shut_down();
                }
                Ok(Action::Done)
            }
        };
        runtime.block_on(controller.run(left, call)).unwrap();
    });
    cancel.cancel();
    runtime.block_on(running).unwrap().unwrap();
    info
}

/// A call allocates its future once, whatever its size: it is moved on the heap, and copied nowhere.
#[test]
fn a_call_allocates_its_future_once() {
    for (name, small, large) in [
        ("run_workers", work::<8>(), work::<LARGE>()),
        ("Controller::run", reconcile::<8>(), reconcile::<LARGE>()),
    ] {
        let more = large.count_total.abs_diff(small.count_total);
        assert!(more < CALLS / 10, "{name}: {more} more allocations");
        let bytes = large.bytes_total - small.bytes_total;
        let futures = CALLS * LARGE as u64;
        assert!(bytes >= futures - futures / 100, "{name}: {bytes} bytes");
        assert!(bytes <= futures + futures / 10, "{name}: {bytes} bytes");
    }
}

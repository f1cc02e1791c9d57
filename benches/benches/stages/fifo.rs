//! Pushes and pops a thousand deltas in one task.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use informer_runtime::Scope;
use informer_runtime::delta_fifo::{Delta, DeltaFifo, Order};
use informer_runtime::indexer::Indexer;
use tokio::sync::mpsc;

use super::{PODS, RAW, entry};

fn deltas() -> Vec<Delta> {
    let entries = RAW.iter().enumerate();
    entries
        .map(|(at, raw)| Delta::Added(entry(raw, at).into()))
        .collect()
}

fn queue(order: Order) -> DeltaFifo {
    DeltaFifo::new(
        order,
        2 * PODS,
        Arc::new(Indexer::<usize>::new(Scope::Namespaced)),
    )
}

#[divan::bench(args = [Order::Global, Order::PerKey])]
fn push_and_pop(bencher: Bencher<'_, '_>, order: Order) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let bencher = bencher.counter(ItemsCount::new(PODS));
    bencher.with_inputs(deltas).bench_local_values(|deltas| {
        runtime.block_on(async {
            let fifo = queue(order);
            for delta in deltas {
                fifo.push(delta).await.unwrap();
            }
            while !fifo.is_empty() {
                drop(fifo.pop().await);
            }
        });
    });
}

#[divan::bench]
fn naive_channel(bencher: Bencher<'_, '_>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let bencher = bencher.counter(ItemsCount::new(PODS));
    bencher.with_inputs(deltas).bench_local_values(|deltas| {
        runtime.block_on(async {
            let (sender, mut receiver) = mpsc::channel(2 * PODS);
            for delta in deltas {
                sender.send(delta).await.unwrap();
            }
            while receiver.try_recv().is_ok() {}
        });
    });
}

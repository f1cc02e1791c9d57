//! Writes, snapshots and reads of the store.

use std::collections::HashMap;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use informer_runtime::indexer::Indexer;
use informer_runtime::{Entry, ObjectKey, Scope};
use k8s_openapi::api::core::v1::Pod;
use parking_lot::RwLock;

use super::{PODS, RAW, entry};

type Handle = Arc<Pod>;

fn entries() -> Vec<Entry<Handle>> {
    let entries = RAW.iter().map(|raw| entry(raw, Arc::new(Pod::default())));
    entries.collect()
}

fn filled() -> Indexer<Handle> {
    let indexer = Indexer::new(Scope::Namespaced);
    indexer.replace(entries(), "9".into());
    indexer
}

#[divan::bench]
fn replace_all(bencher: Bencher<'_, '_>) {
    let bencher = bencher.counter(ItemsCount::new(PODS));
    let indexer = filled();
    bencher
        .with_inputs(entries)
        .bench_local_values(|entries| indexer.replace(entries, "10".into()));
}

#[divan::bench(args = [1, 64, PODS])]
fn update_in_transactions_of(bencher: Bencher<'_, '_>, size: usize) {
    let bencher = bencher.counter(ItemsCount::new(PODS));
    let indexer = filled();
    bencher
        .with_inputs(entries)
        .bench_local_values(|mut entries| {
            while !entries.is_empty() {
                let rest = entries.split_off(size.min(entries.len()));
                indexer.transaction(|writer| {
                    for entry in entries.drain(..) {
                        writer.insert(entry);
                    }
                });
                entries = rest;
            }
        });
}

#[divan::bench]
fn naive_update_of_a_locked_map(bencher: Bencher<'_, '_>) {
    let map: RwLock<HashMap<ObjectKey, Entry<Handle>>> = RwLock::default();
    let bencher = bencher.counter(ItemsCount::new(PODS));
    bencher.with_inputs(entries).bench_local_values(|entries| {
        for entry in entries {
            map.write().insert(entry.key.clone(), entry);
        }
    });
}

#[divan::bench]
fn snapshot(bencher: Bencher<'_, '_>) {
    let indexer = filled();
    bencher.bench_local(|| indexer.snapshot());
}

#[divan::bench]
fn naive_snapshot_by_clone(bencher: Bencher<'_, '_>) {
    let map: HashMap<ObjectKey, Handle> = entries()
        .into_iter()
        .map(|entry| (entry.key, entry.handle))
        .collect();
    bencher.bench_local(|| map.clone());
}

#[divan::bench]
fn get(bencher: Bencher<'_, '_>) {
    let indexer = filled();
    let key = RAW[PODS / 2].key();
    bencher.bench_local(|| indexer.get(key));
}

#[divan::bench]
fn naive_get_of_a_locked_map(bencher: Bencher<'_, '_>) {
    let entries = entries().into_iter();
    let map: RwLock<HashMap<ObjectKey, Handle>> =
        RwLock::new(entries.map(|entry| (entry.key, entry.handle)).collect());
    let key = RAW[PODS / 2].key();
    bencher.bench_local(|| map.read().get(key).cloned());
}

//! Stages with an implementation of our own, each next to what it replaces.
//!
//! ```console
//! $ cargo bench -p informer-benches
//! ```
//!
//! The objects are the uniform Pods of the comparison. A `naive_..` row is what a library or a
//! straightforward implementation takes; a stage that is not clearly better has to go.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a benchmark may panic on broken input, and its name documents it"
)]

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use divan::Bencher;
use divan::counter::ItemsCount;
use informer_runtime::indexer::Indexer;
use informer_runtime::wire::{Encoding, RawObject, SplitOptions};
use informer_runtime::{Entry, ObjectKey, Packed, PackedObject, Scope, Storage};
use k8s_openapi::api::core::v1::Pod;
use kube::core::ObjectList;
use parking_lot::RwLock;

/// Number of Pods in a list, and in a store.
const PODS: usize = 1_000;
/// Size of the frames in which bodies arrive.
const FRAME: usize = 16 << 10;

/// Body of a list of the Pods.
static BODY: LazyLock<Bytes> = LazyLock::new(|| {
    let pods = informer_benches::pods_json(PODS).unwrap();
    let items = pods.join(&b',');
    let head =
        br#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":["#;
    [&head[..], &items, b"]}\n"].concat().into()
});

/// The Pods without managedFields, as storage receives them.
static RAW: LazyLock<Vec<RawObject>> = LazyLock::new(split);

fn main() {
    divan::main();
}

fn split() -> Vec<RawObject> {
    let mut splitter = Encoding::Json.list_splitter(&SplitOptions::default());
    let mut items = Vec::new();
    for start in (0..BODY.len()).step_by(FRAME) {
        let end = BODY.len().min(start + FRAME);
        let frame = BODY.slice(start..end);
        splitter.push(&frame, &mut items).unwrap();
    }
    items.into_iter().map(Result::unwrap).collect()
}

fn entry(raw: &RawObject) -> Entry {
    let version = raw.header().resource_version.clone();
    let pod = Arc::new(Pod::default());
    let mut entry = Entry::new(raw.key().clone(), version, pod);
    entry.uid.clone_from(&raw.header().uid);
    entry
}

fn entries() -> Vec<Entry> {
    RAW.iter().map(entry).collect()
}

/// Decides on the JSON decoder, with the splitter.
#[divan::bench]
fn list(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(PODS)).bench(|| {
        split()
            .into_iter()
            .map(|raw| raw.decode().unwrap())
            .collect::<Vec<Pod>>()
    });
}

#[divan::bench]
fn naive_list(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(PODS))
        .bench(|| serde_json::from_slice::<ObjectList<Pod>>(&BODY).unwrap());
}

/// Decides on the store: a snapshot with a concurrent map in front.
#[divan::bench]
fn get(bencher: Bencher<'_, '_>) {
    let indexer = Indexer::<Pod>::new(Scope::Namespaced);
    indexer.replace(entries(), "9".into());
    bencher.bench_local(|| indexer.get(RAW[PODS / 2].key()));
}

#[divan::bench]
fn naive_get(bencher: Bencher<'_, '_>) {
    let mut pods: HashMap<ObjectKey, Arc<Pod>> = HashMap::new();
    for entry in entries() {
        let pod = entry.object().unwrap();
        pods.insert(entry.key, pod);
    }
    let map = RwLock::new(pods);
    bencher.bench_local(|| map.read().get(RAW[PODS / 2].key()).cloned());
}

fn pack(packed: &Packed, at: usize) -> Arc<PackedObject<Pod>> {
    let raw = &RAW[at % PODS];
    let object = Storage::<Pod>::make(packed, raw, None).unwrap();
    Arc::new(object)
}

/// Decides on `Packed`: what memory costs in time.
#[divan::bench]
fn packed_pod(bencher: Bencher<'_, '_>) {
    let packed = Packed::new();
    let held: Vec<_> = (0..PODS).map(|at| pack(&packed, at)).collect();
    // No other owner keeps the decoded Pod, so each call decodes again.
    bencher.bench_local(|| pack(&packed, 7).decode().unwrap());
    drop(held);
}

#[divan::bench]
fn naive_pod() -> Pod {
    serde_json::from_slice(RAW[7].bytes()).unwrap()
}

//! Cost of each stage of the pipeline, next to a naive baseline.
//!
//! ```console
//! $ cargo bench -p informer-benches
//! $ cargo bench -p informer-benches -- indexer
//! ```
//!
//! All groups use the Pods of the comparison, 7.8 KB each with their managedFields. A `naive_..`
//! row is the straightforward implementation.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a benchmark may panic on broken input, and its name documents it"
)]

mod decode;
mod fifo;
mod header;
mod indexer;
mod json;
mod packed;
mod projection;
mod protobuf;
mod select;
mod split;

use std::sync::LazyLock;

use bytes::Bytes;
use informer_runtime::Entry;
use informer_runtime::object::Footprint;
use informer_runtime::wire::{Encoding, RawObject, SplitOptions};

/// Number of Pods in a list, and in a store.
const PODS: usize = 1_000;
/// Size of the frames in which bodies arrive.
const FRAME: usize = 16 << 10;

static OBJECTS: LazyLock<Vec<Bytes>> = LazyLock::new(|| {
    (0..PODS)
        .map(|at| informer_benches::pod_json(at).into())
        .collect()
});

/// Body of a list of the Pods.
static BODY: LazyLock<Bytes> = LazyLock::new(|| {
    let mut body =
        br#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":["#
            .to_vec();
    body.extend(OBJECTS.join(&b','));
    body.extend_from_slice(b"]}\n");
    body.into()
});

/// The Pods without managedFields, as storage receives them.
static RAW: LazyLock<Vec<RawObject>> = LazyLock::new(|| {
    let mut splitter = Encoding::Json.list_splitter(&SplitOptions::default());
    let mut items = Vec::new();
    for frame in frames(&BODY) {
        splitter.push(&frame, &mut items).unwrap();
    }
    items.into_iter().map(Result::unwrap).collect()
});

fn main() {
    divan::main();
}

fn frames(body: &Bytes) -> impl Iterator<Item = Bytes> {
    let starts = (0..body.len()).step_by(FRAME);
    starts.map(|at| body.slice(at..body.len().min(at + FRAME)))
}

fn entry<H>(raw: &RawObject, handle: H) -> Entry<H> {
    let header = raw.header();
    Entry {
        key: header.key.clone(),
        uid: header.uid.clone(),
        resource_version: header.resource_version.clone(),
        footprint: Footprint::default(),
        handle,
    }
}

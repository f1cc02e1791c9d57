//! Pages of memory that the entries of a store touch, and that decoding requests.

use std::collections::BTreeSet;
use std::ptr;

use allocation_counter::measure;
use informer_runtime::source::ListAnswer;
use informer_runtime::wire::{ListMeta, RawObject};
use serde_json::{Value, json};

use crate::support::{World, listing};

const OBJECTS: usize = 2_000;
const PAGE: usize = 4096;

/// Returns a `ConfigMap` that takes about a page of small strings once it is decoded.
fn large(number: usize) -> RawObject {
    let data: serde_json::Map<_, _> = (0..40)
        .map(|at| (format!("key-{at}"), Value::from("a".repeat(at * 3))))
        .collect();
    let object = json!({
        "metadata": {
            "namespace": "default",
            "name": format!("object-{number}"),
            "uid": format!("8a4b2b6e-0000-4000-8000-{number:012}"),
            "resourceVersion": "1",
        },
        "data": data,
    });
    RawObject::from_value(&object).unwrap()
}

/// The entries of a list lie side by side, not each between the parts of its decoded object.
/// A get would otherwise miss the processor's table of pages once more.
#[test]
fn the_entries_of_a_list_share_pages() {
    let world = World::new(listing());
    let objects: Vec<_> = (0..OBJECTS).map(large).collect();
    world
        .source
        .on_list(ListAnswer::items(objects, ListMeta::at("1")));
    world.until_seen(OBJECTS);
    let snapshot = world.informer.indexer().snapshot();
    let pages: BTreeSet<usize> = snapshot
        .entries()
        .map(|entry| ptr::from_ref(entry).addr() / PAGE)
        .collect();
    assert!(
        pages.len() * 8 < OBJECTS,
        "{OBJECTS} entries lie on {} pages",
        pages.len()
    );
    world.stop();
}

/// glibc requests memory for a thread page by page, unless an allocation needs more at once.
#[test]
fn decoding_requests_many_pages_at_once() {
    const FEW: usize = 100;
    /// Size of the memory that is allocated, and freed at once, after each 8 KiB of objects.
    const STEP: usize = 60 << 10;
    let world = World::new(listing());
    let object = |number| {
        let metadata = json!({ "namespace": "default", "name": format!("object-{number}") });
        let object = json!({ "metadata": metadata, "ignored": "a".repeat(8 << 10) });
        RawObject::from_value(&object).unwrap()
    };
    let answer = ListAnswer::items((0..FEW).map(object), ListMeta::at("1"));
    world.source.on_list(answer);
    let allocated = measure(|| world.until_seen(FEW)).bytes_total;
    assert!(
        allocated > (FEW / 2 * STEP) as u64,
        "{FEW} objects allocated {allocated} bytes only"
    );
    world.stop();
}

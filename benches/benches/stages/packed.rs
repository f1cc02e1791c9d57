//! Packs and unpacks objects with a trained dictionary.

use divan::Bencher;
use informer_runtime::{Packed, PackedObject, Storage};
use k8s_openapi::api::core::v1::Pod;

use super::RAW;

fn make_handle(packed: &Packed, at: usize) -> PackedObject<Pod> {
    Storage::<Pod>::make_handle(packed, &RAW[at % RAW.len()], None).unwrap()
}

/// Returns a storage whose dictionary is trained with all Pods.
fn trained() -> (Packed, Vec<PackedObject<Pod>>) {
    let packed = Packed::new();
    let held = (0..RAW.len()).map(|at| make_handle(&packed, at)).collect();
    (packed, held)
}

#[divan::bench]
fn take_in(bencher: Bencher<'_, '_>) {
    let (packed, held) = trained();
    let mut at = 0;
    bencher.bench_local(|| {
        at += 1;
        make_handle(&packed, at)
    });
    drop(held);
}

#[divan::bench]
fn unpack(bencher: Bencher<'_, '_>) {
    let (packed, _held) = trained();
    let object = make_handle(&packed, 7);
    bencher.bench_local(|| object.to_raw().unwrap());
}

#[divan::bench]
fn decode(bencher: Bencher<'_, '_>) {
    let (packed, _held) = trained();
    let object = make_handle(&packed, 7);
    // No other owner keeps the decoded Pod, so each call decodes again.
    bencher.bench_local(|| object.decode().unwrap());
}

#[divan::bench]
fn naive_copy_of_the_bytes() -> Vec<u8> {
    RAW[7].bytes().to_vec()
}

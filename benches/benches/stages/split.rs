//! Splits a list's body into items with headers, and cuts managedFields out.

use divan::Bencher;
use divan::counter::BytesCount;
use informer_runtime::wire::{Encoding, SplitOptions};
use serde_json::Value;

use super::{BODY, frames};

#[divan::bench(args = [false, true])]
fn list(bencher: Bencher<'_, '_>, keep_managed_fields: bool) {
    let options = SplitOptions::default().keep_managed_fields(keep_managed_fields);
    let bencher = bencher.counter(BytesCount::new(BODY.len()));
    bencher.bench(|| {
        let mut splitter = Encoding::Json.list_splitter(&options);
        let mut items = Vec::new();
        for frame in frames(&BODY) {
            splitter.push(&frame, &mut items).unwrap();
        }
        items
    });
}

#[divan::bench]
fn naive_list_as_values(bencher: Bencher<'_, '_>) {
    let bencher = bencher.counter(BytesCount::new(BODY.len()));
    bencher.bench(|| serde_json::from_slice::<Value>(&BODY).unwrap());
}

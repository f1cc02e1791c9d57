//! Decodes one object to a `Pod`, with and without field cuts.

use informer_runtime::wire::DropFields;
use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;

use super::{OBJECTS, RAW};

#[divan::bench]
fn typed() -> Pod {
    RAW[0].decode().unwrap()
}

#[divan::bench]
fn typed_without_status(bencher: divan::Bencher<'_, '_>) {
    let status = DropFields::new(["status"]).unwrap();
    bencher.bench(|| RAW[0].without(&status).decode::<Pod>().unwrap());
}

#[divan::bench]
fn naive_typed_with_managed_fields() -> Pod {
    serde_json::from_slice(&OBJECTS[0]).unwrap()
}

#[divan::bench]
fn naive_value() -> Value {
    serde_json::from_slice(&OBJECTS[0]).unwrap()
}

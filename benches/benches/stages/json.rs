//! Compares the JSON decoder with `serde_json` on the same bytes.

use informer_runtime::wire::RawObject;
use k8s_openapi::api::core::v1::Pod;
use kube::core::DynamicObject;
use serde_json::{Value, json};

use super::RAW;

/// Returns an object with long strings, with and without escapes.
fn config_map() -> RawObject {
    let script = "if [ \"$1\" = start ]; then\n  exec /bin/server --flag=value\nfi\n".repeat(20);
    RawObject::from_value(&json!({
        "metadata": {"namespace": "a", "name": "b"},
        "data": {"script": script, "plain": "0123456789abcdef".repeat(100)},
    }))
    .unwrap()
}

#[divan::bench]
fn pod() -> Pod {
    RAW[0].decode().unwrap()
}

#[divan::bench]
fn naive_pod() -> Pod {
    serde_json::from_slice(RAW[0].bytes()).unwrap()
}

#[divan::bench]
fn dynamic() -> DynamicObject {
    RAW[0].decode().unwrap()
}

#[divan::bench]
fn naive_dynamic() -> DynamicObject {
    serde_json::from_slice(RAW[0].bytes()).unwrap()
}

#[divan::bench]
fn long_strings(bencher: divan::Bencher<'_, '_>) {
    let raw = config_map();
    bencher.bench_local(|| raw.decode::<Value>().unwrap());
}

#[divan::bench]
fn naive_long_strings(bencher: divan::Bencher<'_, '_>) {
    let raw = config_map();
    bencher.bench_local(|| serde_json::from_slice::<Value>(raw.bytes()).unwrap());
}

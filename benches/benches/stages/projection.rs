//! Decodes a list's body to objects of eight fields, which suffice for many controllers.

use std::sync::LazyLock;

use bytes::Bytes;
use divan::Bencher;
use divan::counter::ItemsCount;
use informer_runtime::wire::{Encoding, SplitOptions};
use k8s_openapi::api::core::v1::Pod;
use kube::core::ObjectList;
use serde::Deserialize;
use serde_json::Value;

use super::{BODY, PODS, frames};

static PROTOBUF: LazyLock<Bytes> = LazyLock::new(|| {
    let list: Value = serde_json::from_slice(&BODY).unwrap();
    informer_protobuf::to_vec(&list).unwrap().into()
});

#[derive(Deserialize)]
#[expect(dead_code, reason = "the benchmark only decodes it")]
struct Projection {
    metadata: Metadata,
    spec: Spec,
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the benchmark only decodes it")]
struct Metadata {
    name: String,
    namespace: String,
    uid: String,
    resource_version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the benchmark only decodes it")]
struct Spec {
    node_name: Option<String>,
    service_account_name: Option<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the benchmark only decodes it")]
struct Status {
    phase: Option<String>,
    #[serde(rename = "podIP")]
    pod_ip: Option<String>,
}

#[divan::bench(args = [Encoding::Json, Encoding::Protobuf])]
fn list(bencher: Bencher<'_, '_>, encoding: Encoding) {
    let body = if encoding == Encoding::Json {
        &*BODY
    } else {
        &*PROTOBUF
    };
    let options = SplitOptions::default();
    let bencher = bencher.counter(ItemsCount::new(PODS));
    bencher.bench(|| {
        let mut splitter = encoding.list_splitter(&options);
        let mut items = Vec::new();
        for frame in frames(body) {
            splitter.push(&frame, &mut items).unwrap();
        }
        let items = items.iter().map(|item| item.as_ref().unwrap());
        items
            .map(|item| item.decode().unwrap())
            .collect::<Vec<Projection>>()
    });
}

/// Decodes whole Pods, as kube-rs does with a page of a list.
#[divan::bench]
fn naive_list_of_whole_pods(bencher: Bencher<'_, '_>) {
    let bencher = bencher.counter(ItemsCount::new(PODS));
    bencher.bench(|| serde_json::from_slice::<ObjectList<Pod>>(&BODY).unwrap());
}

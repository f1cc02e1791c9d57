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

use std::sync::LazyLock;

use bytes::Bytes;
use informer_runtime::Entry;
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
        bytes: 0,
        handle,
    }
}

/// Splits a list's body into items with headers, and cuts managedFields out.
mod split {
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
}

/// Reads one object's header and cuts a field, with and without serde.
mod header {
    use divan::black_box;
    use informer_runtime::wire::RawObject;
    use kube::core::{ObjectMeta, TypeMeta};
    use serde::Deserialize;
    use serde_json::Value;

    use super::OBJECTS;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "the benchmark only decodes it")]
    struct PartialObject {
        #[serde(flatten)]
        types: Option<TypeMeta>,
        metadata: ObjectMeta,
    }

    #[divan::bench]
    fn read() -> RawObject {
        RawObject::json(OBJECTS[0].clone()).unwrap()
    }

    #[divan::bench]
    fn naive_object_meta() {
        black_box(serde_json::from_slice::<PartialObject>(&OBJECTS[0]).unwrap());
    }

    #[divan::bench]
    fn naive_cut_in_a_value() -> Vec<u8> {
        let mut value: Value = serde_json::from_slice(&OBJECTS[0]).unwrap();
        let metadata = value.get_mut("metadata").and_then(Value::as_object_mut);
        metadata.unwrap().remove("managedFields");
        serde_json::to_vec(&value).unwrap()
    }
}

/// Compares the JSON decoder with `serde_json` on the same bytes.
mod json {
    use informer_runtime::wire::RawObject;
    use k8s_openapi::api::core::v1::Pod;
    use kube::core::DynamicObject;
    use serde_json::{Value, json};

    use super::RAW;

    /// Returns an object with long strings, with and without escapes.
    fn config_map() -> RawObject {
        let script =
            "if [ \"$1\" = start ]; then\n  exec /bin/server --flag=value\nfi\n".repeat(20);
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
}

/// Decodes one object to a `Pod`, with and without field cuts.
mod decode {
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
}

/// Decodes a list's body to objects of eight fields, which suffice for many controllers.
mod projection {
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
}

/// Pushes and pops a thousand deltas in one task.
mod fifo {
    use std::sync::Arc;

    use divan::Bencher;
    use divan::counter::ItemsCount;
    use informer_runtime::Scope;
    use informer_runtime::delta_fifo::{Delta, DeltaFifo, Order};
    use informer_runtime::indexer::Indexer;
    use tokio::sync::mpsc;

    use super::{PODS, RAW, entry};

    fn deltas() -> Vec<Delta<usize>> {
        let entries = RAW.iter().enumerate();
        entries
            .map(|(at, raw)| Delta::Added(entry(raw, at)))
            .collect()
    }

    fn queue(order: Order) -> DeltaFifo<usize> {
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
}

/// Writes, snapshots and reads of the store.
mod indexer {
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
}

/// Selects a fifth of a thousand Pods by their labels.
mod select {
    use std::sync::Arc;

    use divan::Bencher;
    use informer_runtime::Selector;
    use k8s_openapi::api::core::v1::Pod;

    use super::RAW;

    fn pods() -> Vec<Arc<Pod>> {
        let pods = RAW.iter().map(|raw| Arc::new(raw.decode().unwrap()));
        pods.collect()
    }

    #[divan::bench(args = ["app.kubernetes.io/name=web", "app.kubernetes.io/name in (web,ledger),pod-template-hash"])]
    fn by_selector(bencher: Bencher<'_, '_>, selector: &str) {
        let pods = pods();
        let selector: Selector = selector.parse().unwrap();
        bencher.bench_local(|| {
            let selected = pods
                .iter()
                .filter(|pod| selector.matches(&pod.metadata.labels));
            selected.cloned().collect::<Vec<_>>()
        });
    }

    #[divan::bench]
    fn naive_by_one_label(bencher: Bencher<'_, '_>) {
        let pods = pods();
        bencher.bench_local(|| {
            let selected = pods.iter().filter(|pod| {
                let labels = pod.metadata.labels.as_ref();
                labels
                    .and_then(|labels| labels.get("app.kubernetes.io/name"))
                    .is_some_and(|app| app == "web")
            });
            selected.cloned().collect::<Vec<_>>()
        });
    }
}

/// Packs and unpacks objects with a trained dictionary.
mod packed {
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
}

/// The stages with protobuf.
mod protobuf {
    use bytes::Bytes;
    use divan::{Bencher, black_box};
    use informer_protobuf::{Cut, Deserializer, Header, Message, encode_message};
    use k8s_openapi::api::core::v1::Pod;
    use serde::Deserialize;
    use serde_json::Value;

    use super::OBJECTS;

    fn message() -> Message {
        Message::of("v1", "Pod").unwrap()
    }

    fn pod() -> Bytes {
        let value: Value = serde_json::from_slice(&OBJECTS[0]).unwrap();
        encode_message(message(), &value).unwrap().into()
    }

    #[divan::bench]
    fn header(bencher: Bencher<'_, '_>) {
        let pod = pod();
        bencher.bench_local(|| {
            black_box(Header::read(&pod).unwrap());
        });
    }

    #[divan::bench]
    fn cut(bencher: Bencher<'_, '_>) {
        let pod = pod();
        let managed_fields = Cut::managed_fields();
        bencher.bench_local(|| managed_fields.apply(&pod).unwrap());
    }

    #[divan::bench]
    fn decode(bencher: Bencher<'_, '_>) {
        let pod = pod();
        let deserializer = Deserializer::from_message(message(), &pod).skip_managed_fields(true);
        bencher.bench_local(|| Pod::deserialize(deserializer).unwrap());
    }

    #[divan::bench]
    fn naive_decode_with_managed_fields(bencher: Bencher<'_, '_>) {
        let pod = pod();
        bencher
            .bench_local(|| Pod::deserialize(Deserializer::from_message(message(), &pod)).unwrap());
    }
}

//! Measures the decoding of one Pod, as a server sends it, in both encodings.
//!
//! ```console
//! $ cargo run --release -p informer-protobuf --example speed -- benches/src/objects/pod.json
//! $ cargo run --release -p informer-protobuf --example speed -- benches/src/objects/pod.json "eight fields"
//! ```
//!
//! The second argument selects the rows whose names contain it. The third sets the number of
//! iterations in each of five rounds: under a profiler, one row and few iterations are enough.
#![expect(
    clippy::disallowed_methods,
    reason = "measures real time; no tokio runtime exists here"
)]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use bytes::Bytes;
use informer_protobuf::{Cut, Deserializer, Envelope, Header, ListSplitter, Message};
use k8s_openapi::api::core::v1::Pod;
use serde::Deserialize;
use serde_json::Value;

/// A projection of eight fields.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only its decoding is timed")]
struct Projection {
    metadata: Metadata,
    spec: Spec,
    status: Status,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its decoding is timed")]
struct Metadata {
    name: String,
    namespace: String,
    uid: String,
    resource_version: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its decoding is timed")]
struct Spec {
    node_name: Option<String>,
    service_account_name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its decoding is timed")]
struct Status {
    phase: Option<String>,
    #[serde(rename = "podIP")]
    pod_ip: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("say a file with a Pod in JSON")?;
    let rows = arguments.next().unwrap_or_default();
    let rounds = arguments.next().map_or(Ok(5000), |rounds| rounds.parse())?;
    let time = |what: &str, work: &dyn Fn() -> bool| {
        if what.contains(&rows) {
            time(what, rounds, work);
        }
    };
    let value: Value = serde_json::from_str(&filled(&std::fs::read_to_string(path)?))?;
    let json = serde_json::to_vec(&value)?;
    let message = Message::of("v1", "Pod").ok_or("there are Pods")?;
    let object = Bytes::from(informer_protobuf::encode_message(message, &value)?);
    let cut = Cut::managed_fields().apply(&object)?;
    println!(
        "JSON {} bytes, protobuf {}, without managedFields {}",
        json.len(),
        object.len(),
        cut.len()
    );
    let deserializer = Deserializer::from_message(message, &object);
    let skipping = deserializer.skip_managed_fields(true);
    time("JSON, typed", &|| {
        serde_json::from_slice::<Pod>(&json).is_ok()
    });
    time("protobuf, typed", &|| {
        Pod::deserialize(deserializer).is_ok()
    });
    time("protobuf, typed, managedFields skipped", &|| {
        Pod::deserialize(skipping).is_ok()
    });
    let mut bare = value.clone();
    if let Some(metadata) = bare.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    let bare = serde_json::to_vec(&bare)?;
    time("JSON without managedFields, typed", &|| {
        serde_json::from_slice::<Pod>(&bare).is_ok()
    });
    time("JSON, eight fields", &|| {
        serde_json::from_slice::<Projection>(&json).is_ok()
    });
    time("protobuf, eight fields", &|| {
        Projection::deserialize(deserializer).is_ok()
    });
    time("JSON, dynamic", &|| {
        serde_json::from_slice::<Value>(&json).is_ok()
    });
    time("protobuf, dynamic", &|| {
        Value::deserialize(deserializer).is_ok()
    });
    time("protobuf, header", &|| Header::read(&object).is_ok());
    time("protobuf, managedFields cut out", &|| {
        Cut::managed_fields().apply(&object).is_ok()
    });

    if "split".contains(&rows) {
        split(&object)?;
    }
    Ok(())
}

/// Measures the splitting of a list with a thousand copies of the object.
fn split(object: &Bytes) -> Result<(), Box<dyn Error>> {
    let mut list = Vec::new();
    for _ in 0..1000 {
        list.push(0x12);
        let mut length = object.len();
        while length >= 0x80 {
            list.push(u8::try_from(length % 0x80)? | 0x80);
            length >>= 7;
        }
        list.push(u8::try_from(length)?);
        list.extend_from_slice(object);
    }
    let body = Bytes::from(informer_protobuf::wrap("v1", "PodList", &list));
    let start = Instant::now();
    for _ in 0..20 {
        let mut splitter = ListSplitter::new();
        let mut items = Vec::new();
        for at in (0..body.len()).step_by(16 << 10) {
            splitter.push(&body.slice(at..body.len().min(at + (16 << 10))), &mut items)?;
        }
        for item in items.iter().flatten() {
            black_box(Header::read(item)?);
        }
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / 20_000.0;
    println!("{each:8.2} µs  protobuf, split in frames of 16 KiB, and header");
    println!("{:8} bytes of envelope", body.len() - list.len());
    black_box(Envelope::parse(&body)?);
    Ok(())
}

/// Replaces each `$name$` in the template, which marks the parts in which the Pods of the
/// benchmarks differ.
fn filled(template: &str) -> String {
    let parts = template.split('$').enumerate();
    let texts = parts.map(|(at, part)| if at % 2 == 0 { part } else { "1234567890" });
    texts.collect()
}

fn time(what: &str, rounds: u32, work: &dyn Fn() -> bool) {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..rounds {
            assert!(black_box(work()), "{what}");
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds));
    }
    println!("{best:8.2} µs  {what}");
}

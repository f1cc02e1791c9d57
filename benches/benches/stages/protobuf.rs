//! The stages with protobuf.

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
    bencher.bench_local(|| Pod::deserialize(Deserializer::from_message(message(), &pod)).unwrap());
}

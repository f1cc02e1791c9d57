//! Reads one object's header and cuts a field, with and without serde.

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

//! Properties of whole objects: a decoded object can be encoded, and a typed object equals its
//! JSON.

use std::fmt::Debug;

use bytes::Bytes;
use informer_protobuf::{Cut, Envelope, Header, Message, encode, from_message, from_slice, wrap};
use k8s_openapi::api::core::v1::{Node, Pod, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{MEMORY, peak_memory};

/// Kinds as which a message without an envelope is read.
const KINDS: [(&str, &str); 5] = [
    ("v1", "Pod"),
    ("v1", "Node"),
    ("v1", "Secret"),
    ("v1", "PodList"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
];

/// Decodes any bytes, with or without an envelope, to an object or an error.
pub fn protobuf_decode(bytes: &[u8]) {
    object(bytes);
    for (api_version, kind) in KINDS {
        object(&wrap(api_version, kind, bytes));
    }
}

/// Encodes any JSON: the encoded object can be decoded, and the result encodes to the same bytes.
pub fn protobuf_encode(text: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(text) else {
        return;
    };
    let Ok(bytes) = encode(&value) else {
        return;
    };
    let decoded: Value = from_slice(&bytes).unwrap_or_else(|error| panic!("{error}: {value}"));
    assert_eq!(decoded["kind"], value["kind"]);
    object(&bytes);
}

/// Reads one object in every supported way.
fn object(bytes: &[u8]) {
    let raw = Envelope::parse(bytes).map_or(bytes, |envelope| envelope.raw);
    let memory = peak_memory(|| header(raw));
    assert!(memory <= MEMORY, "{memory} bytes for a header");
    let message = Bytes::copy_from_slice(raw);
    let shorter = Cut::managed_fields().apply(&message);
    if let Ok(shorter) = &shorter {
        assert!(shorter.len() <= message.len());
    }
    let Ok(value) = from_slice::<Value>(bytes) else {
        return;
    };
    let encoded = encode(&value).unwrap_or_else(|error| panic!("{error}: {value}"));
    let again = from_slice::<Value>(&encoded).ok().map(without_nulls);
    assert_eq!(again, Some(without_nulls(value.clone())));
    typed::<Pod>(bytes, &value);
    typed::<Node>(bytes, &value);
    typed::<Secret>(bytes, &value);
    typed::<CustomResourceDefinition>(bytes, &value);
    if let (Ok(shorter), Some(message)) = (shorter, message_of(&value)) {
        let whole = from_message::<Value>(message, raw).ok();
        let expected = whole.map(|mut object| {
            if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
                metadata.remove("managedFields");
            }
            object
        });
        let cut = from_message::<Value>(message, &shorter).ok();
        assert_eq!(cut, expected, "{value}");
    }
}

/// Removes null members, which are absent for Go as well.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Array(elements) => elements.into_iter().map(without_nulls).collect(),
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, value)| !value.is_null());
            members
                .map(|(name, value)| (name, without_nulls(value)))
                .collect()
        }
        scalar => scalar,
    }
}

fn header(raw: &[u8]) {
    if let Ok(header) = Header::read(raw) {
        let entries = header.labels.iter().chain(header.annotations.iter());
        assert!(entries.count() <= raw.len());
        let _ = header.owner_references.controller();
    }
}

fn message_of(value: &Value) -> Option<Message> {
    Message::of(value["apiVersion"].as_str()?, value["kind"].as_str()?)
}

/// Checks that a type decodes an object as it decodes the object's JSON.
fn typed<T: DeserializeOwned + PartialEq + Debug>(bytes: &[u8], value: &Value) {
    let found = from_slice::<T>(bytes).ok();
    let expected = serde_json::from_value::<T>(value.clone()).ok();
    assert_eq!(found, expected, "{value}");
}

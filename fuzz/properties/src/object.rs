//! One object: values that are read or cut without decoding agree with the decoded object.

use std::fmt::Debug;

use bytes::Bytes;
use informer_runtime::wire::{DropFields, Encoding, FieldPath, RawObject};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::{DynamicObject, PartialObjectMeta};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::document::Expected;
use crate::speller::Speller;
use crate::{MEMORY, mark, peak_memory};

/// Checks an object in JSON. The lines before the object are the paths to read and cut.
pub fn json_object(input: &[u8]) {
    let (paths, text) = split_paths(input);
    let text = Bytes::copy_from_slice(text);
    if let Ok(object) = RawObject::json(text.clone()) {
        read_all(&object, &paths);
    }
    let Ok(document) = serde_json::from_slice::<Value>(&text) else {
        return;
    };
    let is_named = matches!(Expected::of(&document), Expected::Object(..));
    for spelt in [
        document.to_string(),
        Speller::for_input(&text).value(&document),
    ] {
        match RawObject::json(spelt) {
            Ok(object) => reads_as_document(&object, &document, &paths),
            Err(rejected) => assert!(!is_named, "{rejected}"),
        }
    }
    quotes_nothing(&document);
}

/// Checks an object in protobuf, in an envelope or without one.
pub fn envelope_object(input: &[u8]) {
    let paths = default_paths();
    let bare = ["Pod", "Secret", "Node"].map(|kind| informer_protobuf::wrap("v1", kind, input));
    for bytes in bare.into_iter().chain([input.to_vec()]) {
        let Ok(object) = RawObject::protobuf(bytes) else {
            continue;
        };
        read_all(&object, &paths);
        let Ok(document) = object.decode::<Value>() else {
            continue;
        };
        let json = RawObject::from_value(&document).expect("the object has a name");
        assert_eq!(object.header(), json.header());
        let (related, expected) = (object.related(), json.related());
        assert_eq!(related.labels, expected.labels);
        assert_eq!(related.controller, expected.controller);
        for path in &paths {
            assert_eq!(
                object.values_at(path).ok(),
                json.values_at(path).ok(),
                "{path}"
            );
        }
        for drop in droppable(&paths) {
            // Fields that Kubernetes always writes are present with empty values.
            let removed = |document: Value| removed(document, &drop);
            let cut = object
                .without(&drop)
                .decode()
                .expect("a cut object decodes");
            assert_eq!(removed(cut), removed(document.clone()));
        }
    }
}

/// Maximum number of paths of an input.
const MAX_PATHS: usize = 8;

/// Splits an input into paths and the object after them.
fn split_paths(input: &[u8]) -> (Vec<FieldPath>, &[u8]) {
    let start = input.windows(2).position(|pair| pair == b"\n{");
    let (head, text) = match start {
        Some(end) if !input.starts_with(b"{") => input.split_at(end + 1),
        _ => (&[][..], input),
    };
    let head = String::from_utf8_lossy(head);
    let paths = head.lines().filter_map(|line| line.parse().ok());
    let paths: Vec<FieldPath> = paths.take(MAX_PATHS).collect();
    if paths.is_empty() {
        return (default_paths(), text);
    }
    (paths, text)
}

fn default_paths() -> Vec<FieldPath> {
    let paths = [
        "metadata.labels",
        "metadata.labels['a']",
        "metadata.ownerReferences.uid",
        "spec.containers[*].image",
        "spec.containers",
        "spec.nodeName",
        "data.a",
        "status",
    ];
    paths.map(|path| path.parse().expect("a path")).to_vec()
}

/// Returns the sets of fields to cut: each path alone, and all paths.
fn droppable(paths: &[FieldPath]) -> Vec<DropFields> {
    let single = paths.iter().map(|path| vec![path.clone()]);
    let sets = single.chain([paths.to_vec()]);
    sets.filter_map(|paths| DropFields::of_paths(paths).ok())
        .collect()
}

/// Reads an object in all ways, whatever its bytes.
fn read_all(object: &RawObject, paths: &[FieldPath]) {
    let length = object.bytes().len();
    let memory = peak_memory(|| {
        let _ = object.related();
        for path in paths {
            let _ = object.values_at(path);
        }
    });
    // A value of two bytes becomes a string of its own.
    assert!(
        memory <= MEMORY + 64 * length,
        "{memory} bytes for {length}"
    );
    for drop in droppable(paths) {
        let cut = object.without(&drop);
        assert!(cut.bytes().len() <= length || cut.encoding() != object.encoding());
        assert_eq!(cut.header(), object.header());
        let _ = cut.decode::<Value>();
    }
    decodes_equally::<Value>(object);
    decodes_equally::<Pod>(object);
    decodes_equally::<Secret>(object);
    decodes_equally::<CustomResourceDefinition>(object);
}

/// Decodes an object in JSON as `serde_json` does.
fn decodes_equally<T: DeserializeOwned + PartialEq + Debug>(object: &RawObject) {
    let found = object.decode::<T>();
    if object.encoding() != Encoding::Json {
        return;
    }
    let expected = serde_json::from_slice::<T>(object.bytes());
    let shown = || object.bytes().escape_ascii().to_string();
    match (found, expected) {
        (Ok(found), Ok(expected)) => {
            // `Debug` also distinguishes -0 from 0, which are equal.
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{}", shown());
            assert_eq!(found, expected, "{}", shown());
        }
        (Ok(_), Err(error)) => panic!("no error, instead of {error}: {}", shown()),
        (Err(error), Ok(_)) => {
            // Only members that no field reads may be malformed for this decoder alone.
            let is_json = serde_json::from_slice::<Value>(object.bytes()).is_ok();
            assert!(!is_json, "{error}: {}", shown());
        }
        (Err(_), Err(_)) => {}
    }
}

/// Compares the values that are read and cut with `document`, which the bytes of `object` spell.
fn reads_as_document(object: &RawObject, document: &Value, paths: &[FieldPath]) {
    Expected::of(document).check_header(object);
    for path in paths {
        let names: Vec<&str> = path.names().collect();
        assert_eq!(
            object.values_at(path).ok(),
            scalars(document, &names),
            "{path}"
        );
    }
    for drop in droppable(paths) {
        let cut = object.without(&drop);
        let text = || cut.bytes().escape_ascii().to_string();
        let found = serde_json::from_slice::<Value>(cut.bytes());
        let expected = removed(document.clone(), &drop);
        if expected == *document {
            assert_eq!(cut.bytes().as_ptr(), object.bytes().as_ptr(), "a copy");
        }
        assert_eq!(found.ok(), Some(expected), "{}", text());
    }
    let Some(labels) = labels(document) else {
        return;
    };
    let related = object.related();
    let read = related.labels.iter();
    let read: Vec<_> = read.map(|(key, value)| (&**key, &**value)).collect();
    assert_eq!(read, labels);
    assert_eq!(related.controller, controller(document));
}

/// Returns the labels in ascending order; `None` if one of them is not a string.
fn labels(document: &Value) -> Option<Vec<(&str, &str)>> {
    let Some(labels) = document["metadata"]["labels"].as_object() else {
        return Some(Vec::new());
    };
    let labels = labels.iter().filter(|(_, value)| !value.is_null());
    let labels = labels.map(|(key, value)| Some((key.as_str(), value.as_str()?)));
    let mut labels: Vec<_> = labels.collect::<Option<_>>()?;
    labels.sort_unstable();
    Some(labels)
}

fn controller(document: &Value) -> Option<OwnerReference> {
    let owners = document["metadata"]["ownerReferences"].as_array()?.iter();
    let owners = owners.filter_map(|owner| serde_json::from_value(owner.clone()).ok());
    let mut owners = owners.filter(|owner: &OwnerReference| owner.controller == Some(true));
    owners.next()
}

/// Returns the document without the fields.
pub(crate) fn removed(mut document: Value, drop: &DropFields) -> Value {
    for path in drop.paths() {
        remove(&mut document, &path.names().collect::<Vec<_>>());
    }
    document
}

/// Removes the path as a transform would.
fn remove(value: &mut Value, names: &[&str]) {
    match (value, names) {
        (Value::Array(elements), _) => elements
            .iter_mut()
            .for_each(|element| remove(element, names)),
        (Value::Object(members), [name]) => drop(members.remove(*name)),
        (Value::Object(members), [name, rest @ ..]) => {
            if let Some(value) = members.get_mut(*name) {
                remove(value, rest);
            }
        }
        _ => {}
    }
}

/// Returns the scalars at a path; `None` if an object is among them.
fn scalars(value: &Value, names: &[&str]) -> Option<Vec<String>> {
    let all = |values: Vec<Option<Vec<String>>>| {
        let values: Option<Vec<Vec<String>>> = values.into_iter().collect();
        Some(values?.concat())
    };
    match (value, names) {
        (Value::Array(elements), _) => all(elements
            .iter()
            .map(|element| scalars(element, names))
            .collect()),
        (Value::Object(members), [name, rest @ ..]) => match members.get(*name) {
            Some(value) => scalars(value, rest),
            None => Some(Vec::new()),
        },
        (Value::Object(_), []) => None,
        (Value::String(text), []) => Some(vec![text.clone()]),
        (Value::Bool(_) | Value::Number(_), []) => Some(vec![value.to_string()]),
        (_, _) => Some(Vec::new()),
    }
}

/// Decodes the document with a mark in all its values: no error contains the mark.
fn quotes_nothing(document: &Value) {
    let marked = mark::object(document);
    let json = RawObject::from_value(&marked);
    let protobuf = informer_protobuf::encode(&marked).map(RawObject::protobuf);
    for object in json.into_iter().chain(protobuf.into_iter().flatten()) {
        decode::<Pod>(&object);
        decode::<Secret>(&object);
        decode::<ConfigMap>(&object);
        decode::<CustomResourceDefinition>(&object);
        decode::<DynamicObject>(&object);
        decode::<PartialObjectMeta<DynamicObject>>(&object);
    }
}

fn decode<K: DeserializeOwned>(object: &RawObject) {
    if let Err(error) = object.decode::<K>() {
        mark::is_absent_from(&format!("{error} {error:?}"));
    }
}

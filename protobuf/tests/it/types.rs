//! Comparison with `k8s-openapi`: the tables have the fields of its types, and they decode equally
//! from both encodings.

use std::collections::BTreeMap;
use std::fmt::Debug;

use k8s_openapi::Resource;
use serde::de::DeserializeOwned;

use crate::support::{Object, checked_in, go};

/// Reports whether two decodings of one object are equal, for a type with a kind.
type Check = fn(&Object) -> Result<bool, String>;

fn check<T: Resource + DeserializeOwned + PartialEq + Debug>() -> (String, Check) {
    (format!("{}.{}", T::API_VERSION, T::KIND), |object| {
        let from_json = serde_json::from_value::<T>(object.json.clone());
        let from_protobuf = informer_protobuf::from_slice::<T>(&object.protobuf);
        match (from_json, from_protobuf) {
            (Ok(json), Ok(protobuf)) if json == protobuf => Ok(true),
            // The type rejects Go's form, such as null for a list, in either encoding.
            (Err(_), Err(_)) => Ok(false),
            (json, protobuf) => Err(format!("{json:?}\ninstead of\n{protobuf:?}")),
        }
    })
}

/// Decodes each object as its type, and returns the number of objects that the types accept.
fn decode_typed(objects: &[Object]) -> usize {
    let mut kinds: BTreeMap<String, Check> = of_each_kind!(check).into_iter().collect();
    // Kinds that cannot be listed.
    kinds.extend(of_each_kind! { check:
        k8s_openapi::api::authentication::v1 { SelfSubjectReview TokenRequest TokenReview }
        k8s_openapi::api::authorization::v1 { LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview }
        k8s_openapi::api::autoscaling::v1 { Scale }
        k8s_openapi::api::core::v1 { Binding ComponentStatus }
        k8s_openapi::api::policy::v1 { Eviction }
        k8s_openapi::apimachinery::pkg::apis::meta::v1 { APIGroup APIGroupList APIResourceList APIVersions Status }
    });
    assert!(kinds.len() > 100, "{}", kinds.len());
    let mut decoded = 0;
    for object in objects {
        let Some(check) = kinds.get(&object.name) else {
            continue;
        };
        match check(object) {
            Ok(is_decoded) => decoded += usize::from(is_decoded),
            Err(mismatch) => panic!("{}: {mismatch}", object.name),
        }
    }
    decoded
}

#[test]
fn typed_objects_are_equal_in_both_encodings() {
    let objects = checked_in();
    assert!(decode_typed(&objects) > 20);
}

#[test]
fn typed_objects_that_go_generates_are_equal_in_both_encodings() {
    let Some(lines) = go(&["run", ".", "objects", "21", "5"]) else {
        return;
    };
    let objects: Vec<Object> = lines.lines().map(Object::from_line).collect();
    let decoded = decode_typed(&objects);
    assert!(decoded > 400, "{decoded}");
}

/// The decoder would silently skip a new field that the tables lack.
///
/// `deserialize_struct` receives the names of a type's fields. The test reads them from the
/// sources, to compare all versions of Kubernetes with the tables at once.
#[test]
fn tables_have_the_fields_of_every_type_of_every_version() {
    let sources = crate::k8s_openapi_sources::sources().unwrap();
    let tables = tables();
    let mut mismatches = Vec::new();
    for minor in 33..=37 {
        let mut count = 0;
        for (_, text) in crate::k8s_openapi_sources::modules(&sources, minor).unwrap() {
            let Some((definition, fields)) = definition(&text) else {
                continue;
            };
            count += 1;
            let Some(known) = tables.get(&definition) else {
                // The tables lack its kinds, too: they are requested as JSON.
                let is_removed = minor < 37 && definition.contains(".v1alpha");
                if !is_removed && !NOT_IN_PROTOBUF.contains(&definition.as_str()) {
                    mismatches.push(format!("1.{minor}: {definition} is missing"));
                }
                continue;
            };
            for field in fields.iter().filter(|field| !known.contains(field)) {
                if !REMOVED.contains(&(definition.as_str(), field)) {
                    mismatches.push(format!("1.{minor}: {definition} lacks {field}"));
                }
            }
        }
        assert!(count > 500, "1.{minor}: {count}");
    }
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}

/// Types that no server sends in protobuf, such as `/version`, and lists of any type.
const NOT_IN_PROTOBUF: [&str; 6] = [
    "io.k8s.apimachinery.pkg.version.Info",
    "io.k8s.List",
    // Types of the removed fields below.
    "io.k8s.api.core.v1.WorkloadReference",
    "io.k8s.api.resource.v1.NodeAllocatableResourceMapping",
    "io.k8s.api.resource.v1beta1.NodeAllocatableResourceMapping",
    "io.k8s.api.resource.v1beta2.NodeAllocatableResourceMapping",
];

/// Alpha fields that were removed; Go's types lack them, too.
const REMOVED: [(&str, &str); 7] = [
    ("io.k8s.api.core.v1.PodSpec", "workloadRef"),
    (
        "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus",
        "resources",
    ),
    (
        "io.k8s.api.resource.v1.Device",
        "nodeAllocatableResourceMappings",
    ),
    (
        "io.k8s.api.resource.v1beta1.BasicDevice",
        "nodeAllocatableResourceMappings",
    ),
    (
        "io.k8s.api.resource.v1beta2.Device",
        "nodeAllocatableResourceMappings",
    ),
    (
        "io.k8s.api.resource.v1alpha3.DeviceTaintSelector",
        "deviceClassName",
    ),
    (
        "io.k8s.api.resource.v1alpha3.DeviceTaintSelector",
        "selectors",
    ),
];

/// Returns the fields of each message, including inlined ones, by the name of its definition.
fn tables() -> BTreeMap<String, Vec<String>> {
    let text = include_str!("../../tables/tables.txt");
    let mut messages: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    let mut current = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("message ") {
            current = name;
            messages.insert(name, Vec::new());
        } else if line.starts_with("  ") {
            let fields = messages.entry(current).or_default();
            fields.push(line.split_whitespace().collect());
        }
    }
    let names = messages.keys().map(|name| {
        let mut fields = vec!["apiVersion".to_owned(), "kind".to_owned()];
        add_fields(&messages, name, &mut fields);
        (definition_of(name), fields)
    });
    names.collect()
}

fn add_fields(messages: &BTreeMap<&str, Vec<Vec<&str>>>, name: &str, out: &mut Vec<String>) {
    for field in &messages[name] {
        if field.last() == Some(&"inline") {
            add_fields(messages, field[2], out);
        } else {
            out.push(field[1].to_owned());
        }
    }
}

/// Converts `core/v1.Pod` to `io.k8s.api.core.v1.Pod`.
fn definition_of(name: &str) -> String {
    let package = name.split('/').next().unwrap_or_default();
    let prefix = match package {
        "meta" => "io.k8s.apimachinery.pkg.apis",
        "apiextensions" => "io.k8s.apiextensions-apiserver.pkg.apis",
        "apiregistration" => "io.k8s.kube-aggregator.pkg.apis",
        _ => "io.k8s.api",
    };
    format!("{prefix}.{}", name.replace('/', "."))
}

/// Returns the definition that a source is generated from, and the fields of its type.
fn definition(text: &str) -> Option<(String, Vec<String>)> {
    let definition = text
        .strip_prefix("// Generated from definition ")?
        .lines()
        .next()?;
    let call = text.split_once("deserializer.deserialize_struct(")?.1;
    let list = call.split_once("&[")?.1.split_once(']')?.0;
    let fields = list.split('"').skip(1).step_by(2).map(str::to_owned);
    Some((definition.to_owned(), fields.collect()))
}

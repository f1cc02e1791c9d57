//! Rules for the content of kinds that controllers write: sizes, names and types of data, members
//! that are immutable, and durations.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::document::{Members, metadata, str_of};
use crate::names;
use crate::registry::Resource;
use crate::status::FieldCause;

/// Maximum size of all data of a `ConfigMap` or of a `Secret`, in bytes.
const MAX_DATA: usize = 1 << 20;

/// Returns the violations of an object, which replaces `known`.
pub(super) fn violations(
    resource: &Resource,
    members: &Members,
    known: Option<&Members>,
) -> Vec<FieldCause> {
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "configmaps") => config_map(members, known),
        ("", "secrets") => secret(members, known),
        ("coordination.k8s.io", "leases") => lease(members),
        _ => Vec::new(),
    }
}

fn config_map(members: &Members, known: Option<&Members>) -> Vec<FieldCause> {
    let mut causes = immutable(&["data", "binaryData"], members, known);
    let binary = map(members, "binaryData");
    for (name, _) in map(members, "data").into_iter().flatten() {
        if binary.is_some_and(|binary| binary.contains_key(name)) {
            let detail = "duplicate of key present in binaryData";
            causes.push(invalid(format!("data[{name}]"), name, detail));
        }
    }
    let fields = ["data", "binaryData"];
    causes.extend(fields.iter().flat_map(|field| names_of(members, field)));
    let text = sizes(members, "data", str::len);
    let size = text + sizes(members, "binaryData", decoded_size);
    if size > MAX_DATA {
        causes.push(too_long("[]"));
    }
    causes
}

fn secret(members: &Members, known: Option<&Members>) -> Vec<FieldCause> {
    let mut causes = Vec::new();
    let kind = str_of(members.get("type"));
    if let Some(known) = known
        && str_of(known.get("type")) != kind
    {
        causes.push(invalid("type".to_owned(), kind, "field is immutable"));
    }
    causes.extend(immutable(&["data"], members, known));
    causes.extend(names_of(members, "data"));
    if sizes(members, "data", decoded_size) > MAX_DATA {
        causes.push(too_long("data"));
    }
    causes.extend(missing_data(kind, members));
    causes
}

/// Returns the violations of a Secret's type.
fn missing_data(kind: &str, members: &Members) -> Vec<FieldCause> {
    let data = map(members, "data");
    let has = |name: &&'static str| data.is_some_and(|data| data.contains_key(*name));
    let needed: &[&str] = match kind {
        "kubernetes.io/service-account-token" => {
            let name = "kubernetes.io/service-account.name";
            let annotations = metadata(members).and_then(|fields| fields.get("annotations"));
            let account = annotations.and_then(|annotations| annotations.get(name));
            let is_missing = str_of(account).is_empty();
            let field = format!("metadata.annotations[{name}]");
            return is_missing.then(|| required(field)).into_iter().collect();
        }
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        // One of them is enough.
        "kubernetes.io/basic-auth" => {
            const EITHER: &[&str] = &["username", "password"];
            if EITHER.iter().any(has) { &[] } else { EITHER }
        }
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        _ => &[],
    };
    needed
        .iter()
        .filter(|name| !has(name))
        .map(|name| required(format!("data[{name}]")))
        .collect()
}

fn lease(members: &Members) -> Vec<FieldCause> {
    let spec = map(members, "spec");
    let number = |name: &str| spec.and_then(|spec| spec.get(name)?.as_i64());
    let mut causes = Vec::new();
    for (name, least, detail) in [
        ("leaseDurationSeconds", 1, "must be greater than 0"),
        ("leaseTransitions", 0, "must be greater than or equal to 0"),
    ] {
        if let Some(found) = number(name).filter(|found| *found < least) {
            let message = format!("Invalid value: {found}: {detail}");
            causes.push(FieldCause::new(
                "FieldValueInvalid",
                format!("spec.{name}"),
                message,
            ));
        }
    }
    causes
}

/// Returns the violations of an update of an object that is immutable.
fn immutable(
    fields: &[&'static str],
    members: &Members,
    known: Option<&Members>,
) -> Vec<FieldCause> {
    let is_set = |members: &Members| members.get("immutable") == Some(&Value::Bool(true));
    let Some(known) = known.filter(|known| is_set(known)) else {
        return Vec::new();
    };
    let mut changed = Vec::new();
    if !is_set(members) {
        changed.push("immutable");
    }
    let differs = |field: &&&str| members.get(**field) != known.get(**field);
    changed.extend(fields.iter().filter(differs));
    changed
        .into_iter()
        .map(|field| FieldCause::forbidden(field, "field is immutable when `immutable` is set"))
        .collect()
}

/// Returns the violations of the names of data.
fn names_of(members: &Members, field: &str) -> Vec<FieldCause> {
    let names = map(members, field).into_iter().flatten();
    names
        .flat_map(|(name, _)| {
            names::config_key(name)
                .into_iter()
                .map(move |error| invalid(format!("{field}[{name}]"), name, &error))
        })
        .collect()
}

fn sizes(members: &Members, field: &str, size: fn(&str) -> usize) -> usize {
    map(members, field)
        .into_iter()
        .flat_map(Map::values)
        .filter_map(Value::as_str)
        .map(size)
        .sum()
}

fn decoded_size(text: &str) -> usize {
    STANDARD.decode(text).map_or(0, |bytes| bytes.len())
}

fn map<'a>(members: &'a Members, field: &str) -> Option<&'a Map<String, Value>> {
    members.get(field)?.as_object()
}

fn invalid(field: String, value: &str, detail: &str) -> FieldCause {
    let message = format!("Invalid value: {value:?}: {detail}");
    FieldCause::new("FieldValueInvalid", field, message)
}

fn required(field: String) -> FieldCause {
    FieldCause::new("FieldValueRequired", field, "Required value".to_owned())
}

fn too_long(field: &str) -> FieldCause {
    let message = format!("Too long: may not be more than {MAX_DATA} bytes");
    FieldCause::new("FieldValueTooLong", field.to_owned(), message)
}

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
    const FIELDS: [&str; 2] = ["data", "binaryData"];
    let mut causes = immutable(&FIELDS, members, known);
    if let Some(data) = map(members, "data")
        && let Some(binary) = map(members, "binaryData")
    {
        for name in data.keys() {
            if binary.contains_key(name) {
                let detail = "duplicate of key present in binaryData";
                causes.push(invalid(format!("data[{name}]"), name, detail));
            }
        }
    }
    for field in FIELDS {
        check_names(members, field, &mut causes);
    }
    let text = sizes(members, "data", str::len);
    let binary = sizes(members, "binaryData", decoded_size);
    if text + binary > MAX_DATA {
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
    check_names(members, "data", &mut causes);
    if sizes(members, "data", decoded_size) > MAX_DATA {
        causes.push(too_long("data"));
    }
    check_secret_type(kind, members, &mut causes);
    causes
}

/// Adds the violations of a Secret's type.
fn check_secret_type(kind: &str, members: &Members, causes: &mut Vec<FieldCause>) {
    let needed: &[&str] = match kind {
        "kubernetes.io/service-account-token" => {
            const ACCOUNT: &str = "kubernetes.io/service-account.name";
            if annotation(members, ACCOUNT).is_empty() {
                causes.push(required(format!("metadata.annotations[{ACCOUNT}]")));
            }
            return;
        }
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        // One of them is enough.
        "kubernetes.io/basic-auth" if has_data(members, "username") => &[],
        "kubernetes.io/basic-auth" if has_data(members, "password") => &[],
        "kubernetes.io/basic-auth" => &["username", "password"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        _ => &[],
    };
    for name in needed {
        if !has_data(members, name) {
            causes.push(required(format!("data[{name}]")));
        }
    }
}

fn annotation<'a>(members: &'a Members, name: &str) -> &'a str {
    let annotations = metadata(members).and_then(|fields| fields.get("annotations"));
    str_of(annotations.and_then(|annotations| annotations.get(name)))
}

fn has_data(members: &Members, name: &str) -> bool {
    match map(members, "data") {
        Some(data) => data.contains_key(name),
        None => false,
    }
}

fn lease(members: &Members) -> Vec<FieldCause> {
    let mut causes = Vec::new();
    let Some(spec) = map(members, "spec") else {
        return causes;
    };
    let number = |name: &str| spec.get(name).and_then(Value::as_i64);
    if let Some(seconds) = number("leaseDurationSeconds")
        && seconds < 1
    {
        let message = format!("Invalid value: {seconds}: must be greater than 0");
        causes.push(invalid_number("spec.leaseDurationSeconds", message));
    }
    if let Some(transitions) = number("leaseTransitions")
        && transitions < 0
    {
        let message = format!("Invalid value: {transitions}: must be greater than or equal to 0");
        causes.push(invalid_number("spec.leaseTransitions", message));
    }
    causes
}

fn invalid_number(field: &str, message: String) -> FieldCause {
    FieldCause::new("FieldValueInvalid", field.to_owned(), message)
}

/// Returns the violations of an update of an object that is immutable.
fn immutable(
    fields: &[&'static str],
    members: &Members,
    known: Option<&Members>,
) -> Vec<FieldCause> {
    const REASON: &str = "field is immutable when `immutable` is set";
    let mut causes = Vec::new();
    let Some(known) = known else {
        return causes;
    };
    if !is_immutable(known) {
        return causes;
    }
    if !is_immutable(members) {
        causes.push(FieldCause::forbidden("immutable", REASON));
    }
    for &field in fields {
        if members.get(field) != known.get(field) {
            causes.push(FieldCause::forbidden(field, REASON));
        }
    }
    causes
}

fn is_immutable(members: &Members) -> bool {
    members.get("immutable") == Some(&Value::Bool(true))
}

/// Adds the violations of the names of data.
fn check_names(members: &Members, field: &str, causes: &mut Vec<FieldCause>) {
    for (name, _) in map(members, field).into_iter().flatten() {
        for error in names::config_key(name) {
            causes.push(invalid(format!("{field}[{name}]"), name, &error));
        }
    }
}

fn sizes(members: &Members, field: &str, size: fn(&str) -> usize) -> usize {
    let mut total = 0;
    for (_, value) in map(members, field).into_iter().flatten() {
        if let Some(text) = value.as_str() {
            total += size(text);
        }
    }
    total
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

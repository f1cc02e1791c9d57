//! Events, nodes, volumes and definitions.

use serde_json::Value;

use super::lookup::{NONE, at, condition, is_deleting, list, number, or, text};
use crate::document::{Members, metadata, str_of};

pub(super) fn event_object(members: &Members) -> Value {
    let object = at(members, &["involvedObject"]).or_else(|| at(members, &["regarding"]));
    let of = |field| object.map_or("", |object| str_of(object.get(field)));
    format!("{}/{}", of("kind").to_lowercase(), of("name")).into()
}

pub(super) fn event_source(members: &Members) -> Value {
    let reporter = text(members, &["reportingComponent"]);
    let component = or(text(members, &["source", "component"]), reporter);
    match text(members, &["source", "host"]) {
        "" => component.into(),
        host => format!("{component}, {host}").into(),
    }
}

pub(super) fn event_count(members: &Members) -> Value {
    let single = number(members, &["count"], 1).max(1);
    number(members, &["series", "count"], single)
        .to_string()
        .into()
}

/// Returns the phase of a volume or claim.
pub(super) fn phase(members: &Members) -> Value {
    if is_deleting(members) {
        "Terminating".into()
    } else {
        text(members, &["status", "phase"]).into()
    }
}

pub(super) fn definition_versions(members: &Members) -> Value {
    let is = |version: &Value, field| version.get(field) == Some(&Value::Bool(true));
    let names: Vec<String> = list(members, &["spec", "versions"])
        .iter()
        .filter(|version| is(version, "served"))
        .map(|version| {
            let name = str_of(version.get("name"));
            if is(version, "storage") {
                format!("{name}(storage)")
            } else {
                name.to_owned()
            }
        })
        .collect();
    names.join(",").into()
}

pub(super) fn node_status(members: &Members) -> Value {
    let mut status = match condition(members, "Ready") {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if at(members, &["spec", "unschedulable"]) == Some(&Value::Bool(true)) {
        status.push_str(",SchedulingDisabled");
    }
    status.into()
}

pub(super) fn node_roles(members: &Members) -> Value {
    let labels = metadata(members).and_then(|metadata| metadata.get("labels")?.as_object());
    let mut roles: Vec<&str> = labels
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| match name.as_str() {
            "kubernetes.io/role" => value.as_str(),
            name => name.strip_prefix("node-role.kubernetes.io/"),
        })
        .filter(|role| !role.is_empty())
        .collect();
    roles.sort_unstable();
    roles.dedup();
    or(&roles.join(","), NONE).into()
}

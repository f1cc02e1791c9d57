//! Events, nodes, volumes and definitions.

use serde_json::Value;

use super::lookup::{NONE, at, condition, is_deleting, list, number, or, text};
use crate::document::{Members, str_of};

pub(super) fn event_object(members: &Members) -> Value {
    // Events have one of them, depending on their group.
    let involved = at(members, "involvedObject");
    let Some(object) = involved.or_else(|| at(members, "regarding")) else {
        return "/".into();
    };
    let kind = str_of(object.get("kind")).to_lowercase();
    let name = str_of(object.get("name"));
    format!("{kind}/{name}").into()
}

pub(super) fn event_source(members: &Members) -> Value {
    let reporter = text(members, "reportingComponent");
    let component = or(text(members, "source.component"), reporter);
    match text(members, "source.host") {
        "" => component.into(),
        host => format!("{component}, {host}").into(),
    }
}

pub(super) fn event_count(members: &Members) -> Value {
    let single = number(members, "count").unwrap_or(1).max(1);
    let count = number(members, "series.count").unwrap_or(single);
    count.to_string().into()
}

/// Returns the phase of a volume or claim.
pub(super) fn phase(members: &Members) -> Value {
    if is_deleting(members) {
        "Terminating".into()
    } else {
        text(members, "status.phase").into()
    }
}

pub(super) fn definition_versions(members: &Members) -> Value {
    let mut names = Vec::new();
    for version in list(members, "spec.versions") {
        if !is(version, "served") {
            continue;
        }
        let name = str_of(version.get("name"));
        if is(version, "storage") {
            names.push(format!("{name}(storage)"));
        } else {
            names.push(name.to_owned());
        }
    }
    names.join(",").into()
}

fn is(version: &Value, flag: &str) -> bool {
    version.get(flag) == Some(&Value::Bool(true))
}

pub(super) fn node_status(members: &Members) -> Value {
    let mut status = match condition(members, "Ready") {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if at(members, "spec.unschedulable") == Some(&Value::Bool(true)) {
        status.push_str(",SchedulingDisabled");
    }
    status.into()
}

pub(super) fn node_roles(members: &Members) -> Value {
    let labels = at(members, "metadata.labels").and_then(Value::as_object);
    let mut roles: Vec<&str> = Vec::new();
    for (name, value) in labels.into_iter().flatten() {
        let role = match name.as_str() {
            "kubernetes.io/role" => value.as_str(),
            other => other.strip_prefix("node-role.kubernetes.io/"),
        };
        match role {
            None | Some("") => {}
            Some(role) => roles.push(role),
        }
    }
    roles.sort_unstable();
    roles.dedup();
    or(&roles.join(","), NONE).into()
}

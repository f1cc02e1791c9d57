//! Nodes, volumes, rights, definitions, and what else is neither a workload nor a service.

use jiff::Timestamp;
use serde_json::Value;

use super::printed::{
    AGE, CREATED_AT, NONE, Printed, at, boolean, column, integer, is_deleting, list, number, since,
    str_of, text_or, wide,
};
use crate::document::{Members, metadata, metadata_str};

const UNKNOWN: &str = "<unknown>";
const UNSET: &str = "<unset>";

pub(super) const CREATED: &[Printed] = &[CREATED_AT];

pub(super) const NAMESPACES: &[Printed] = &[
    column("Status", |m| text_or(m, &["status", "phase"], "")),
    AGE,
];

pub(super) const CONFIG_MAPS: &[Printed] = &[
    column("Data", |m| {
        (entries(m, "data") + entries(m, "binaryData")).into()
    }),
    AGE,
];

pub(super) const SECRETS: &[Printed] = &[
    column("Type", |m| text_or(m, &["type"], "Opaque")),
    column("Data", |m| entries(m, "data").into()),
    AGE,
];

pub(super) const EVENTS: &[Printed] = &[
    column("Last Seen", |m| {
        let series = text_at(m, &["series", "lastObservedTime"]);
        let latest = [series, text_at(m, &["lastTimestamp"]), first_seen(m)];
        ago(latest.into_iter().find(|time| !time.is_empty()))
    }),
    column("Type", |m| text_or(m, &["type"], "")),
    column("Reason", |m| text_or(m, &["reason"], "")),
    column("Object", |m| {
        let object = at(m, &["involvedObject"]).or_else(|| at(m, &["regarding"]));
        let of = |field| object.map_or("", |object| str_of(object, field));
        format!("{}/{}", of("kind").to_lowercase(), of("name")).into()
    }),
    wide("Subobject", |m| {
        let path = text_at(m, &["involvedObject", "fieldPath"]);
        let regarding = text_at(m, &["regarding", "fieldPath"]);
        if path.is_empty() {
            regarding.into()
        } else {
            path.into()
        }
    }),
    wide("Source", |m| {
        let component = text_at(m, &["source", "component"]);
        let reporter = text_at(m, &["reportingComponent"]);
        let component = if component.is_empty() {
            reporter
        } else {
            component
        };
        match text_at(m, &["source", "host"]) {
            "" => component.into(),
            host => format!("{component}, {host}").into(),
        }
    }),
    column("Message", |m| {
        let text = match text_at(m, &["message"]) {
            "" => text_at(m, &["note"]),
            text => text,
        };
        text.trim().into()
    }),
    wide("First Seen", |m| {
        ago(Some(first_seen(m)).filter(|time| !time.is_empty()))
    }),
    wide("Count", |m| {
        let single = number(m, &["count"], 1).max(1);
        number(m, &["series", "count"], single).to_string().into()
    }),
    wide("Name", |m| metadata_str(m, "name").into()),
];

pub(super) const NODES: &[Printed] = &[
    column("Status", node_status),
    column("Roles", node_roles),
    AGE,
    column("Version", |m| {
        text_or(m, &["status", "nodeInfo", "kubeletVersion"], "")
    }),
    wide("Internal-IP", |m| node_address(m, "InternalIP")),
    wide("External-IP", |m| node_address(m, "ExternalIP")),
    wide("OS-Image", |m| {
        text_or(m, &["status", "nodeInfo", "osImage"], UNKNOWN)
    }),
    wide("Kernel-Version", |m| {
        text_or(m, &["status", "nodeInfo", "kernelVersion"], UNKNOWN)
    }),
    wide("Container-Runtime", |m| {
        text_or(
            m,
            &["status", "nodeInfo", "containerRuntimeVersion"],
            UNKNOWN,
        )
    }),
];

pub(super) const VOLUMES: &[Printed] = &[
    column("Capacity", |m| {
        text_or(m, &["spec", "capacity", "storage"], "0")
    }),
    column("Access Modes", |m| {
        access_modes(list(m, &["spec", "accessModes"]))
    }),
    column("Reclaim Policy", |m| {
        text_or(m, &["spec", "persistentVolumeReclaimPolicy"], "Retain")
    }),
    column("Status", phase_or_terminating),
    column("Claim", |m| {
        at(m, &["spec", "claimRef"]).map_or_else(
            || "".into(),
            |claim| format!("{}/{}", str_of(claim, "namespace"), str_of(claim, "name")).into(),
        )
    }),
    column("StorageClass", |m| {
        text_or(m, &["spec", "storageClassName"], "")
    }),
    column("VolumeAttributesClass", |m| {
        text_or(m, &["spec", "volumeAttributesClassName"], UNSET)
    }),
    column("Reason", |m| text_or(m, &["status", "reason"], "")),
    AGE,
    wide("VolumeMode", |m| {
        text_or(m, &["spec", "volumeMode"], "Filesystem")
    }),
];

pub(super) const VOLUME_CLAIMS: &[Printed] = &[
    column("Status", phase_or_terminating),
    column("Volume", |m| text_or(m, &["spec", "volumeName"], "")),
    column("Capacity", |m| {
        if text_at(m, &["spec", "volumeName"]).is_empty() {
            return "".into();
        }
        text_or(m, &["status", "capacity", "storage"], "0")
    }),
    column("Access Modes", |m| {
        if text_at(m, &["spec", "volumeName"]).is_empty() {
            return "".into();
        }
        access_modes(list(m, &["status", "accessModes"]))
    }),
    column("StorageClass", |m| {
        text_or(m, &["spec", "storageClassName"], "")
    }),
    column("VolumeAttributesClass", |m| {
        text_or(m, &["spec", "volumeAttributesClassName"], UNSET)
    }),
    AGE,
    wide("VolumeMode", |m| {
        text_or(m, &["spec", "volumeMode"], "Filesystem")
    }),
];

pub(super) const STORAGE_CLASSES: &[Printed] = &[
    column("Provisioner", |m| text_or(m, &["provisioner"], "")),
    column("ReclaimPolicy", |m| {
        text_or(m, &["reclaimPolicy"], "Delete")
    }),
    column("VolumeBindingMode", |m| {
        text_or(m, &["volumeBindingMode"], "Immediate")
    }),
    column("AllowVolumeExpansion", |m| {
        is_true(m, "allowVolumeExpansion")
    }),
    AGE,
];

pub(super) const LEASES: &[Printed] = &[
    column("Holder", |m| text_or(m, &["spec", "holderIdentity"], "")),
    AGE,
];

pub(super) const PRIORITY_CLASSES: &[Printed] = &[
    integer("Value", |m| number(m, &["value"], 0).into()),
    boolean("Global-Default", |m| is_true(m, "globalDefault")),
    AGE,
    column("PreemptionPolicy", |m| {
        text_or(m, &["preemptionPolicy"], "PreemptLowerPriority")
    }),
];

pub(super) const DISRUPTION_BUDGETS: &[Printed] = &[
    column("Min Available", |m| number_or_share(m, "minAvailable")),
    column("Max Unavailable", |m| number_or_share(m, "maxUnavailable")),
    integer("Allowed Disruptions", |m| {
        number(m, &["status", "disruptionsAllowed"], 0).into()
    }),
    AGE,
];

pub(super) const BINDINGS: &[Printed] = &[
    column("Role", |m| {
        let of = |field| text_at(m, &["roleRef", field]);
        format!("{}/{}", of("kind"), of("name")).into()
    }),
    AGE,
    wide("Users", |m| subjects(m, "User")),
    wide("Groups", |m| subjects(m, "Group")),
    wide("ServiceAccounts", |m| subjects(m, "ServiceAccount")),
];

/// These have no column of their own for the age.
pub(super) const DEFINITIONS: &[Printed] = &[
    column("Scope", |m| text_or(m, &["spec", "scope"], "")),
    column("Versions", |m| {
        let is = |version: &Value, field| version.get(field) == Some(&Value::Bool(true));
        let versions = list(m, &["spec", "versions"]).iter();
        let served = versions.filter(|version| is(version, "served"));
        let names = served.map(
            |version| match (is(version, "storage"), str_of(version, "name")) {
                (true, name) => format!("{name}(storage)"),
                (false, name) => name.to_owned(),
            },
        );
        names.collect::<Vec<_>>().join(",").into()
    }),
    CREATED_AT,
    wide("Group", |m| text_or(m, &["spec", "group"], "")),
    wide("Kind", |m| text_or(m, &["spec", "names", "kind"], "")),
    wide("ShortNames", |m| {
        let names = list(m, &["spec", "names", "shortNames"]).iter();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        names.join(",").into()
    }),
    Printed {
        wide: true,
        ..boolean("Established", |m| {
            let established = condition(m, "Established").unwrap_or("False");
            established.to_lowercase().into()
        })
    },
];

fn text_at<'a>(members: &'a Members, path: &[&str]) -> &'a str {
    at(members, path)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn entries(members: &Members, field: &str) -> usize {
    let map = members.get(field).and_then(Value::as_object);
    map.map_or(0, serde_json::Map::len)
}

fn is_true(members: &Members, field: &str) -> Value {
    (members.get(field) == Some(&Value::Bool(true))).into()
}

fn phase_or_terminating(members: &Members) -> Value {
    if is_deleting(members) {
        "Terminating".into()
    } else {
        text_or(members, &["status", "phase"], "")
    }
}

fn number_or_share(members: &Members, field: &str) -> Value {
    match at(members, &["spec", field]) {
        Some(Value::String(share)) => share.clone().into(),
        Some(Value::Number(number)) => number.to_string().into(),
        _ => "N/A".into(),
    }
}

fn first_seen(members: &Members) -> &str {
    match text_at(members, &["firstTimestamp"]) {
        "" => text_at(members, &["eventTime"]),
        time => time,
    }
}

fn ago(time: Option<&str>) -> Value {
    time.map_or_else(
        || UNKNOWN.into(),
        |time| since(time, Timestamp::now()).into(),
    )
}

fn condition<'a>(members: &'a Members, wanted: &str) -> Option<&'a str> {
    let conditions = list(members, &["status", "conditions"]);
    let mut found = conditions.iter();
    let found = found.find(|condition| str_of(condition, "type") == wanted)?;
    Some(str_of(found, "status"))
}

fn node_status(members: &Members) -> Value {
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

fn node_roles(members: &Members) -> Value {
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
    if roles.is_empty() {
        NONE.into()
    } else {
        roles.join(",").into()
    }
}

fn node_address(members: &Members, kind: &str) -> Value {
    let mut addresses = list(members, &["status", "addresses"]).iter();
    let found = addresses.find(|address| str_of(address, "type") == kind);
    found
        .map_or(NONE, |address| str_of(address, "address"))
        .into()
}

fn access_modes(modes: &[Value]) -> Value {
    let short = modes.iter().filter_map(|mode| match mode.as_str()? {
        "ReadWriteOnce" => Some("RWO"),
        "ReadOnlyMany" => Some("ROX"),
        "ReadWriteMany" => Some("RWX"),
        "ReadWriteOncePod" => Some("RWOP"),
        _ => None,
    });
    short.collect::<Vec<_>>().join(",").into()
}

fn subjects(members: &Members, kind: &str) -> Value {
    let subjects = list(members, &["subjects"]).iter();
    let names = subjects
        .filter(|subject| str_of(subject, "kind") == kind)
        .map(|subject| match str_of(subject, "namespace") {
            "" => str_of(subject, "name").to_owned(),
            namespace => format!("{namespace}/{}", str_of(subject, "name")),
        });
    names.collect::<Vec<_>>().join(", ").into()
}

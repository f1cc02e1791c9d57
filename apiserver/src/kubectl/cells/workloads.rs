//! What runs pods.

use jiff::Timestamp;
use serde_json::Value;

use super::printed::{
    AGE, NONE, Printed, at, boolean, column, human, integer, is_deleting, labels, list, number,
    selector, since, str_of, text_or, wide,
};
use crate::document::Members;

const CONTAINERS: Printed = wide("Containers", |m| of_containers(m, &TEMPLATE, "name"));
const IMAGES: Printed = wide("Images", |m| of_containers(m, &TEMPLATE, "image"));
const SELECTOR: Printed = wide("Selector", |m| {
    let found = at(m, &["spec", "selector"]);
    // That of a replication controller is a map of labels.
    let is_map = found.is_some_and(|selector| {
        let members = selector.as_object().into_iter().flatten();
        members.map(|(_, value)| value).any(Value::is_string)
    });
    let text = if is_map {
        labels(found)
    } else {
        selector(found)
    };
    text.into()
});

const TEMPLATE: [&str; 4] = ["spec", "template", "spec", "containers"];
const JOB_TEMPLATE: [&str; 6] = [
    "spec",
    "jobTemplate",
    "spec",
    "template",
    "spec",
    "containers",
];

pub(super) const DEPLOYMENTS: &[Printed] = &[
    column("Ready", ready),
    column("Up-to-date", |m| status(m, "updatedReplicas")),
    column("Available", |m| status(m, "availableReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

pub(super) const REPLICA_SETS: &[Printed] = &[
    integer("Desired", |m| desired(m).into()),
    integer("Current", |m| status(m, "replicas")),
    integer("Ready", |m| status(m, "readyReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

pub(super) const STATEFUL_SETS: &[Printed] = &[column("Ready", ready), AGE, CONTAINERS, IMAGES];

pub(super) const DAEMON_SETS: &[Printed] = &[
    integer("Desired", |m| status(m, "desiredNumberScheduled")),
    integer("Current", |m| status(m, "currentNumberScheduled")),
    integer("Ready", |m| status(m, "numberReady")),
    integer("Up-to-date", |m| status(m, "updatedNumberScheduled")),
    integer("Available", |m| status(m, "numberAvailable")),
    column("Node Selector", |m| {
        labels(at(m, &["spec", "template", "spec", "nodeSelector"])).into()
    }),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

pub(super) const JOBS: &[Printed] = &[
    column("Status", job_status),
    column("Completions", completions),
    column("Duration", duration),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

pub(super) const CRON_JOBS: &[Printed] = &[
    column("Schedule", |m| text_or(m, &["spec", "schedule"], "")),
    column("Timezone", |m| text_or(m, &["spec", "timeZone"], NONE)),
    boolean("Suspend", |m| {
        // As the real server prints what Go's pointer points to.
        match at(m, &["spec", "suspend"]) {
            Some(Value::Bool(true)) => "True".into(),
            _ => "False".into(),
        }
    }),
    integer("Active", |m| list(m, &["status", "active"]).len().into()),
    column("Last Schedule", |m| {
        let time = at(m, &["status", "lastScheduleTime"]).and_then(Value::as_str);
        time.map_or_else(|| NONE.into(), |time| since(time, Timestamp::now()).into())
    }),
    AGE,
    wide("Containers", |m| of_containers(m, &JOB_TEMPLATE, "name")),
    wide("Images", |m| of_containers(m, &JOB_TEMPLATE, "image")),
    wide("Selector", |m| {
        selector(at(m, &["spec", "jobTemplate", "spec", "selector"])).into()
    }),
];

fn status(members: &Members, field: &str) -> Value {
    number(members, &["status", field], 0).into()
}

fn desired(members: &Members) -> i64 {
    number(members, &["spec", "replicas"], 1)
}

fn ready(members: &Members) -> Value {
    let ready = number(members, &["status", "readyReplicas"], 0);
    format!("{ready}/{}", desired(members)).into()
}

fn of_containers(members: &Members, path: &[&str], field: &str) -> Value {
    let containers = list(members, path).iter();
    let found: Vec<&str> = containers
        .map(|container| str_of(container, field))
        .collect();
    found.join(",").into()
}

fn job_status(members: &Members) -> Value {
    let has = |wanted: &str| {
        list(members, &["status", "conditions"])
            .iter()
            .any(|condition| {
                str_of(condition, "type") == wanted && str_of(condition, "status") == "True"
            })
    };
    if has("Complete") {
        "Complete".into()
    } else if has("Failed") {
        "Failed".into()
    } else if is_deleting(members) {
        "Terminating".into()
    } else if has("Suspended") {
        "Suspended".into()
    } else if has("FailureTarget") {
        "FailureTarget".into()
    } else if has("SuccessCriteriaMet") {
        "SuccessCriteriaMet".into()
    } else {
        "Running".into()
    }
}

fn completions(members: &Members) -> Value {
    let succeeded = number(members, &["status", "succeeded"], 0);
    let parallelism = number(members, &["spec", "parallelism"], 1);
    match at(members, &["spec", "completions"]).and_then(Value::as_i64) {
        Some(completions) => format!("{succeeded}/{completions}").into(),
        // The default of both is one.
        None if at(members, &["spec", "parallelism"]).is_none() => format!("{succeeded}/1").into(),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}").into(),
        None => format!("{succeeded}/1").into(),
    }
}

fn duration(members: &Members) -> Value {
    let time = |field| {
        let text = at(members, &["status", field])?.as_str()?;
        text.parse::<Timestamp>().ok()
    };
    let Some(start) = time("startTime") else {
        return "".into();
    };
    let end = time("completionTime").unwrap_or_else(Timestamp::now);
    human(end.as_second() - start.as_second()).into()
}

//! Workloads and jobs.

use jiff::Timestamp;
use serde_json::Value;

use super::age::human;
use super::lookup::{at, condition, is_deleting, number, text};
use crate::document::Members;

pub(super) fn replicas_ready(members: &Members) -> Value {
    let ready = number(members, &["status", "readyReplicas"], 0);
    format!("{ready}/{}", number(members, &["spec", "replicas"], 1)).into()
}

pub(super) fn job_status(members: &Members) -> Value {
    let has = |kind: &&&str| condition(members, kind) == Some("True");
    let ended = ["Complete", "Failed"];
    let others = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
    let status = match ended.iter().find(has) {
        Some(status) => status,
        None if is_deleting(members) => "Terminating",
        None => others.iter().find(has).unwrap_or(&"Running"),
    };
    status.into()
}

pub(super) fn job_completions(members: &Members) -> Value {
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

pub(super) fn job_duration(members: &Members) -> Value {
    let time = |field| {
        let time = text(members, &["status", field]);
        time.parse::<Timestamp>().ok()
    };
    let Some(start) = time("startTime") else {
        return "".into();
    };
    let end = time("completionTime").unwrap_or_else(Timestamp::now);
    human(end.as_second() - start.as_second()).into()
}

//! Workloads and jobs.

use jiff::Timestamp;
use serde_json::Value;

use super::age::human;
use super::lookup::{condition, is_deleting, number, text};
use crate::document::Members;

pub(super) fn replicas_ready(members: &Members) -> Value {
    let ready = number(members, "status.readyReplicas").unwrap_or(0);
    let wanted = number(members, "spec.replicas").unwrap_or(1);
    format!("{ready}/{wanted}").into()
}

pub(super) fn job_status(members: &Members) -> Value {
    const ENDED: [&str; 2] = ["Complete", "Failed"];
    const OTHERS: [&str; 3] = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
    if let Some(status) = met(members, &ENDED) {
        return status.into();
    }
    if is_deleting(members) {
        return "Terminating".into();
    }
    met(members, &OTHERS).unwrap_or("Running").into()
}

/// Returns the first of the conditions that is met.
fn met(members: &Members, conditions: &[&'static str]) -> Option<&'static str> {
    conditions
        .iter()
        .copied()
        .find(|kind| condition(members, kind) == Some("True"))
}

pub(super) fn job_completions(members: &Members) -> Value {
    let succeeded = number(members, "status.succeeded").unwrap_or(0);
    if let Some(completions) = number(members, "spec.completions") {
        return format!("{succeeded}/{completions}").into();
    }
    match number(members, "spec.parallelism") {
        Some(parallelism) if parallelism > 1 => format!("{succeeded}/1 of {parallelism}").into(),
        // The default of both is one.
        _ => format!("{succeeded}/1").into(),
    }
}

pub(super) fn job_duration(members: &Members) -> Value {
    let Some(start) = time(members, "status.startTime") else {
        return "".into();
    };
    let completion = time(members, "status.completionTime");
    let end = completion.unwrap_or_else(Timestamp::now);
    human(end.as_second() - start.as_second()).into()
}

fn time(members: &Members, path: &str) -> Option<Timestamp> {
    text(members, path).parse().ok()
}

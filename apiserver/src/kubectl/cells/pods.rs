//! Pods.

use serde_json::Value;

use super::printed::{AGE, NONE, Printed, at, column, is_deleting, list, text_or, wide};
use crate::document::Members;

pub(super) const PODS: &[Printed] = &[
    column("Ready", ready),
    column("Status", status),
    column("Restarts", restarts),
    AGE,
    wide("IP", |m| text_or(m, &["status", "podIP"], NONE)),
    wide("Node", |m| text_or(m, &["spec", "nodeName"], NONE)),
    wide("Nominated Node", |m| {
        text_or(m, &["status", "nominatedNodeName"], NONE)
    }),
    wide("Readiness Gates", readiness_gates),
];

fn containers(members: &Members) -> &[Value] {
    list(members, &["status", "containerStatuses"])
}

fn ready(members: &Members) -> Value {
    let all = list(members, &["spec", "containers"]).len();
    let is_ready = |status: &&Value| {
        let running = status.get("state").and_then(|state| state.get("running"));
        status.get("ready") == Some(&Value::Bool(true)) && running.is_some()
    };
    let ready = containers(members).iter().filter(is_ready).count();
    format!("{ready}/{all}").into()
}

fn restarts(members: &Members) -> Value {
    let restarts = containers(members)
        .iter()
        .filter_map(|status| status.get("restartCount")?.as_u64());
    restarts.sum::<u64>().to_string().into()
}

fn status(members: &Members) -> Value {
    if is_deleting(members) {
        return "Terminating".into();
    }
    let why = |status: &Value| {
        let state = status.get("state")?;
        let reason = |of: &str| {
            let reason = state.get(of)?.get("reason")?.as_str()?;
            (!reason.is_empty()).then(|| reason.to_owned())
        };
        let exit = || {
            Some(format!(
                "ExitCode:{}",
                state.get("terminated")?.get("exitCode")?
            ))
        };
        reason("waiting")
            .or_else(|| reason("terminated"))
            .or_else(exit)
    };
    // The first container decides, as the real server goes through them from the last.
    if let Some(reason) = containers(members).iter().find_map(why) {
        return reason.into();
    }
    let reason = at(members, &["status", "reason"]).filter(|reason| **reason != "");
    reason
        .cloned()
        .unwrap_or_else(|| text_or(members, &["status", "phase"], ""))
}

fn readiness_gates(members: &Members) -> Value {
    let gates = list(members, &["spec", "readinessGates"]);
    if gates.is_empty() {
        return NONE.into();
    }
    let conditions = list(members, &["status", "conditions"]);
    let is_true = |gate: &&Value| {
        conditions.iter().any(|condition| {
            condition.get("type") == gate.get("conditionType")
                && condition
                    .get("status")
                    .is_some_and(|status| status == "True")
        })
    };
    let passed = gates.iter().filter(is_true).count();
    format!("{passed}/{}", gates.len()).into()
}

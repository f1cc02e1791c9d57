//! Pods.

use serde_json::Value;

use super::lookup::{NONE, condition, is_deleting, list, or, text};
use crate::document::{Members, str_of};

fn containers(members: &Members) -> &[Value] {
    list(members, &["status", "containerStatuses"])
}

pub(super) fn ready(members: &Members) -> Value {
    let all = list(members, &["spec", "containers"]).len();
    let is_ready = |status: &&Value| {
        let running = status.get("state").and_then(|state| state.get("running"));
        status.get("ready") == Some(&Value::Bool(true)) && running.is_some()
    };
    let ready = containers(members).iter().filter(is_ready).count();
    format!("{ready}/{all}").into()
}

pub(super) fn restarts(members: &Members) -> Value {
    containers(members)
        .iter()
        .filter_map(|status| status.get("restartCount")?.as_u64())
        .sum::<u64>()
        .to_string()
        .into()
}

pub(super) fn status(members: &Members) -> Value {
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
    let phase = text(members, &["status", "phase"]);
    or(text(members, &["status", "reason"]), phase).into()
}

pub(super) fn readiness_gates(members: &Members) -> Value {
    let gates = list(members, &["spec", "readinessGates"]);
    if gates.is_empty() {
        return NONE.into();
    }
    let is_true =
        |gate: &&Value| condition(members, str_of(gate.get("conditionType"))) == Some("True");
    let passed = gates.iter().filter(is_true).count();
    format!("{passed}/{}", gates.len()).into()
}

//! Pods.

use serde_json::Value;

use super::lookup::{NONE, condition, is_deleting, list, or, text};
use crate::document::{Members, str_of};

fn containers(members: &Members) -> &[Value] {
    list(members, "status.containerStatuses")
}

pub(super) fn ready(members: &Members) -> Value {
    let all = list(members, "spec.containers").len();
    let ready = containers(members)
        .iter()
        .filter(|status| is_ready(status))
        .count();
    format!("{ready}/{all}").into()
}

fn is_ready(status: &Value) -> bool {
    let Some(state) = status.get("state") else {
        return false;
    };
    let running = state.get("running");
    running.is_some() && status.get("ready") == Some(&Value::Bool(true))
}

pub(super) fn restarts(members: &Members) -> Value {
    let mut restarts = 0;
    for status in containers(members) {
        if let Some(count) = status.get("restartCount") {
            restarts += count.as_u64().unwrap_or(0);
        }
    }
    restarts.to_string().into()
}

pub(super) fn status(members: &Members) -> Value {
    if is_deleting(members) {
        return "Terminating".into();
    }
    // The first container decides, as the real server goes through them from the last.
    for status in containers(members) {
        if let Some(reason) = stopped(status) {
            return reason.into();
        }
    }
    let phase = text(members, "status.phase");
    or(text(members, "status.reason"), phase).into()
}

/// Returns the reason why a container does not run.
fn stopped(status: &Value) -> Option<String> {
    let state = status.get("state")?;
    for of in ["waiting", "terminated"] {
        let reason = state.get(of).and_then(|stop| stop.get("reason"));
        match str_of(reason) {
            "" => {}
            reason => return Some(reason.to_owned()),
        }
    }
    let code = state.get("terminated")?.get("exitCode")?;
    Some(format!("ExitCode:{code}"))
}

pub(super) fn readiness_gates(members: &Members) -> Value {
    let gates = list(members, "spec.readinessGates");
    if gates.is_empty() {
        return NONE.into();
    }
    let mut passed = 0;
    for gate in gates {
        let kind = str_of(gate.get("conditionType"));
        if condition(members, kind) == Some("True") {
            passed += 1;
        }
    }
    format!("{passed}/{}", gates.len()).into()
}

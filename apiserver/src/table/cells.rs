//! The cells of built-in kinds.

use jiff::Timestamp;
use serde_json::Value;

use crate::store::{Members, metadata, metadata_str};

type Make = fn(&Members) -> Value;

/// What stands between name and age: heading, type and content.
pub(super) fn columns(group: &str, plural: &str) -> &'static [(&'static str, &'static str, Make)] {
    match (group, plural) {
        ("", "pods") => &[
            ("Ready", "string", pod_ready),
            ("Status", "string", pod_status),
            ("Restarts", "string", pod_restarts),
        ],
        ("", "namespaces") => &[("Status", "string", phase)],
        ("", "configmaps") => &[("Data", "string", data)],
        ("apps", "deployments") => &[
            ("Ready", "string", deployment_ready),
            ("Up-to-date", "string", |m| count(m, "updatedReplicas")),
            ("Available", "string", |m| count(m, "availableReplicas")),
        ],
        ("apps", "replicasets") => &[
            ("Desired", "integer", desired),
            ("Current", "integer", |m| count(m, "replicas")),
            ("Ready", "integer", |m| count(m, "readyReplicas")),
        ],
        ("apps", "statefulsets") => &[("Ready", "string", |m| {
            format!("{}/{}", count(m, "readyReplicas"), desired(m)).into()
        })],
        _ => &[],
    }
}

/// How long the object exists.
pub(super) fn age(members: &Members) -> Value {
    match metadata_str(members, "creationTimestamp") {
        "" => "<unknown>".into(),
        time => since(time, Timestamp::now()).into(),
    }
}

/// The time between `time` and `now` as kubectl writes it: the two largest units, the smaller one
/// only while it matters.
pub(super) fn since(time: &str, now: Timestamp) -> String {
    let Ok(time) = time.parse::<Timestamp>() else {
        return "<unknown>".to_owned();
    };
    human(now.as_second() - time.as_second())
}

fn human(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let years = days / 365;
    let pair = |large: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 {
            format!("{large}{unit}")
        } else {
            format!("{large}{unit}{small}{small_unit}")
        }
    };
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => pair(minutes, "m", seconds % 60, "s"),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => pair(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if days < 8 => pair(days, "d", hours % 24, "h"),
        _ if days < 730 => format!("{days}d"),
        _ if years < 8 => pair(years, "y", days % 365, "d"),
        _ => format!("{years}y"),
    }
}

fn status<'a>(members: &'a Members, field: &str) -> Option<&'a Value> {
    members.get("status")?.get(field)
}

fn phase(members: &Members) -> Value {
    status(members, "phase").cloned().unwrap_or_default()
}

fn data(members: &Members) -> Value {
    let entries = |field: &str| {
        let map = members.get(field).and_then(Value::as_object);
        map.map_or(0, serde_json::Map::len)
    };
    (entries("data") + entries("binaryData")).into()
}

fn count(members: &Members, field: &str) -> Value {
    status(members, field).cloned().unwrap_or_else(|| 0.into())
}

fn desired(members: &Members) -> Value {
    let replicas = members.get("spec").and_then(|spec| spec.get("replicas"));
    replicas.cloned().unwrap_or_else(|| 1.into())
}

fn deployment_ready(members: &Members) -> Value {
    format!("{}/{}", count(members, "readyReplicas"), desired(members)).into()
}

fn containers(members: &Members) -> &[Value] {
    status(members, "containerStatuses")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn pod_ready(members: &Members) -> Value {
    let all = members
        .get("spec")
        .and_then(|spec| spec.get("containers")?.as_array())
        .map_or(0, Vec::len);
    let is_ready = |status: &&Value| {
        let running = status.get("state").and_then(|state| state.get("running"));
        status.get("ready") == Some(&Value::Bool(true)) && running.is_some()
    };
    let ready = containers(members).iter().filter(is_ready).count();
    format!("{ready}/{all}").into()
}

fn pod_restarts(members: &Members) -> Value {
    let restarts = containers(members)
        .iter()
        .filter_map(|status| status.get("restartCount")?.as_u64());
    restarts.sum::<u64>().to_string().into()
}

fn pod_status(members: &Members) -> Value {
    let terminating = metadata(members).is_some_and(|m| m.contains_key("deletionTimestamp"));
    if terminating {
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
    let reason = status(members, "reason").filter(|reason| **reason != "");
    reason.cloned().unwrap_or_else(|| phase(members))
}

#[cfg(test)]
mod tests {
    use super::human;

    #[test]
    fn ages_are_written_as_kubectl_writes_them() {
        for (seconds, expected) in [
            (-60, "<invalid>"),
            (0, "0s"),
            (119, "119s"),
            (125, "2m5s"),
            (600, "10m"),
            (3600 * 3, "3h"),
            (3600 * 3 + 60, "3h1m"),
            (86_400, "24h"),
            (86_400 * 2, "2d"),
            (86_400 * 2 + 3600, "2d1h"),
            (86_400 * 100, "100d"),
            (86_400 * 730, "2y"),
            (86_400 * 4000, "10y"),
        ] {
            assert_eq!(human(seconds), expected, "{seconds}");
        }
    }
}

//! Targets of autoscalers, with the current values.

use serde_json::Value;

use super::lookup::{NONE, at, list};
use crate::document::{Members, str_of};

const UNKNOWN: &str = "<unknown>";

pub(super) fn targets(members: &Members) -> Value {
    // As in the real server.
    const SHOWN: usize = 2;
    let metrics = list(members, &["spec", "metrics"]);
    let current = list(members, &["status", "currentMetrics"]);
    let mut found: Vec<String> = metrics
        .iter()
        .enumerate()
        .map(|(at, metric)| target(metric, current.get(at)))
        .collect();
    // Version 1 has two members instead of lists, for the only metric that it knows.
    if let Some(wanted) = percent(at(members, &["spec"]), "targetCPUUtilizationPercentage") {
        let now = percent(at(members, &["status"]), "currentCPUUtilizationPercentage");
        found.push(format!(
            "cpu: {}/{wanted}",
            now.as_deref().unwrap_or(UNKNOWN)
        ));
    }
    let all = found.len();
    found.truncate(SHOWN);
    let shown = found.join(", ");
    match all {
        0 => NONE.into(),
        all if all > SHOWN => format!("{shown} + {} more...", all - SHOWN).into(),
        _ => shown.into(),
    }
}

/// Writes one target: `cpu: 40%/80%`, `3/10`, `3/10 (avg)`.
fn target(metric: &Value, status: Option<&Value>) -> String {
    let kind = str_of(metric.get("type"));
    let member = match kind {
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        "Pods" => "pods",
        "Object" => "object",
        _ => "external",
    };
    let source = metric.get(member);
    let wanted = source.and_then(|source| source.get("target"));
    let now = status.and_then(|status| status.get(member)?.get("current"));
    let quantity = |of: Option<&Value>, field| {
        let value = of?.get(field)?;
        let text = value.as_str().map(str::to_owned);
        Some(text.unwrap_or_else(|| value.to_string()))
    };
    let against = |field| {
        let wanted = quantity(wanted, field)?;
        let now = quantity(now, field).unwrap_or_else(|| UNKNOWN.to_owned());
        Some(format!("{now}/{wanted}"))
    };
    let average = against("averageValue");
    match member {
        "resource" | "containerResource" => {
            let share = || {
                let wanted = percent(wanted, "averageUtilization");
                let now = percent(now, "averageUtilization");
                let wanted = wanted.as_deref().unwrap_or("<auto>");
                format!("{}/{wanted}", now.as_deref().unwrap_or(UNKNOWN))
            };
            let name = source.map_or("", |source| str_of(source.get("name")));
            format!("{name}: {}", average.unwrap_or_else(share))
        }
        "pods" => average.unwrap_or_default(),
        _ => match average {
            Some(average) => format!("{average} (avg)"),
            None => against("value").unwrap_or_default(),
        },
    }
}

fn percent(of: Option<&Value>, field: &str) -> Option<String> {
    Some(format!("{}%", of?.get(field)?.as_i64()?))
}

//! Targets of autoscalers, with the current values.

use serde_json::Value;

use super::lookup::{NONE, at, list};
use crate::document::{Members, str_of};

const UNKNOWN: &str = "<unknown>";

pub(super) fn targets(members: &Members) -> Value {
    // As in the real server.
    const SHOWN: usize = 2;
    let metrics = list(members, "spec.metrics");
    let current = list(members, "status.currentMetrics");
    let mut found = Vec::new();
    for (index, metric) in metrics.iter().enumerate() {
        found.push(target(metric, current.get(index)));
    }
    // Version 1 has two members instead of lists, for the only metric that it knows.
    if let Some(wanted) = percent(at(members, "spec"), "targetCPUUtilizationPercentage") {
        let current = percent(at(members, "status"), "currentCPUUtilizationPercentage");
        let now = current.as_deref().unwrap_or(UNKNOWN);
        found.push(format!("cpu: {now}/{wanted}"));
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
    let values = MetricValues {
        wanted: source.and_then(|source| source.get("target")),
        now: status.and_then(|status| status.get(member)?.get("current")),
    };
    let average = values.quantity("averageValue");
    match member {
        "resource" | "containerResource" => {
            let name = str_of(source.and_then(|source| source.get("name")));
            let shown = average.unwrap_or_else(|| values.utilization());
            format!("{name}: {shown}")
        }
        "pods" => average.unwrap_or_default(),
        _ => match average {
            Some(average) => format!("{average} (avg)"),
            None => values.quantity("value").unwrap_or_default(),
        },
    }
}

/// Target of a metric, and its current value.
struct MetricValues<'a> {
    wanted: Option<&'a Value>,
    now: Option<&'a Value>,
}

// === impl MetricValues ===

impl MetricValues<'_> {
    /// Writes a quantity: `3/10`; `None` if the target is another one.
    fn quantity(&self, field: &str) -> Option<String> {
        let wanted = quantity(self.wanted, field)?;
        match quantity(self.now, field) {
            Some(now) => Some(format!("{now}/{wanted}")),
            None => Some(format!("{UNKNOWN}/{wanted}")),
        }
    }

    /// Writes the utilization: `40%/80%`.
    fn utilization(&self) -> String {
        let target = percent(self.wanted, "averageUtilization");
        let current = percent(self.now, "averageUtilization");
        let wanted = target.as_deref().unwrap_or("<auto>");
        let now = current.as_deref().unwrap_or(UNKNOWN);
        format!("{now}/{wanted}")
    }
}

fn quantity(of: Option<&Value>, field: &str) -> Option<String> {
    let value = of?.get(field)?;
    match value.as_str() {
        Some(text) => Some(text.to_owned()),
        None => Some(value.to_string()),
    }
}

fn percent(of: Option<&Value>, field: &str) -> Option<String> {
    let share = of?.get(field)?.as_i64()?;
    Some(format!("{share}%"))
}

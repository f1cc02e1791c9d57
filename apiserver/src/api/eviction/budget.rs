//! Decision of a `PodDisruptionBudget` about an eviction.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::conditions::{condition, put_condition};
use crate::document::metadata;
use crate::document::set;
use crate::registry::target::Target;
use crate::status::ApiError;
use crate::store::Stored;

/// Maximum number of evictions that the budget's controller has not confirmed.
const MAX_DISRUPTED: usize = 2000;

/// A budget that applies to an eviction.
pub(super) struct Budget {
    pub(super) target: Target,
    pub(super) object: Arc<Stored>,
    pub(super) status: Map<String, Value>,
}

// === impl Budget ===

impl Budget {
    fn number(&self, field: &str) -> i64 {
        let value = self.status.get(field).and_then(Value::as_i64);
        value.unwrap_or_default()
    }

    /// Reports whether the budget protects a Pod with this status. A Pod that is not ready may be
    /// exempt.
    pub(super) fn guards(&self, pod: &Map<String, Value>) -> bool {
        let is_ready = condition(pod, "Ready")
            .is_some_and(|ready| ready.get("status").is_some_and(|status| status == "True"));
        if is_ready {
            return true;
        }
        let members = self.object.members();
        let policy = members
            .get("spec")
            .and_then(|spec| spec.get("unhealthyPodEvictionPolicy")?.as_str());
        let desired = self.number("desiredHealthy");
        let is_healthy = desired > 0 && self.number("currentHealthy") >= desired;
        policy != Some("AlwaysAllow") && !is_healthy
    }

    /// Returns an error if no disruption is left.
    pub(super) fn allows(&self) -> Result<(), ApiError> {
        let name = &self.object.name;
        let members = self.object.members();
        let generation = metadata(&members).and_then(|m| m.get("generation")?.as_i64());
        if self.number("observedGeneration") < generation.unwrap_or_default() {
            let reason_text =
                format!("The disruption budget {name} is still being processed by the server.");
            return Err(too_many(&reason_text).with_retry_after(10));
        }
        let forbidden = |short: &str, reason_text: &str| {
            let reason_text = format!(
                "The disruption budget {name} does not allow evicting pods currently: {reason_text}"
            );
            let error = ApiError::forbidden_named("policy", "poddisruptionbudget", name, short);
            error.with_causes(&[(CAUSE, &reason_text)])
        };
        let allowed = self.number("disruptionsAllowed");
        if allowed < 0 {
            let reason_text = "pdb disruptions allowed is negative";
            return Err(forbidden(reason_text, reason_text));
        }
        let disrupted = self.status.get("disruptedPods").and_then(Value::as_object);
        if disrupted.is_some_and(|disrupted| disrupted.len() > MAX_DISRUPTED) {
            return Err(forbidden(
                "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
                "too many pending evictions not confirmed by PDB controller",
            ));
        }
        if allowed > 0 {
            return Ok(());
        }
        let (desired, current) = (self.number("desiredHealthy"), self.number("currentHealthy"));
        let disallowed = condition(&self.status, "DisruptionAllowed").filter(|condition| {
            condition
                .get("status")
                .is_some_and(|status| status == "False")
        });
        let text = |field: &str| {
            let text = disallowed.and_then(|condition| condition.get(field)?.as_str());
            text.unwrap_or_default()
        };
        let (reason, message) = (text("reason"), text("message"));
        let not_allowed =
            format!("The disruption budget {name} does not allow evicting pods currently");
        let reason_text = if reason == "SyncFailed" && !message.is_empty() {
            format!("{not_allowed} because it failed sync: {message}")
        } else if current <= desired {
            format!(
                "The disruption budget {name} needs {desired} healthy pods and has {current} currently"
            )
        } else if !message.is_empty() {
            format!("{not_allowed} ({reason}): {message}")
        } else {
            not_allowed
        };
        Err(too_many(&reason_text))
    }

    /// Records the eviction of `pod`.
    pub(super) fn take(&mut self, pod: &str, now: &str) {
        let left = self.number("disruptionsAllowed") - 1;
        let status = &mut self.status;
        status.insert("disruptionsAllowed".to_owned(), left.into());
        let disrupted = status.entry("disruptedPods").or_insert_with(|| json!({}));
        set(disrupted, pod, now);
        if left == 0 {
            let generation = status.get("observedGeneration").cloned();
            let condition = json!({
                "type": "DisruptionAllowed",
                "status": "False",
                "observedGeneration": generation,
                "lastTransitionTime": now,
                "reason": "InsufficientPods",
                "message": "",
            });
            let mut document = json!({ "status": std::mem::take(status) });
            put_condition(&mut document, condition);
            if let Some(Value::Object(changed)) = document.get_mut("status") {
                *status = std::mem::take(changed);
            }
        }
    }
}

/// Reason of the cause that an error contains.
const CAUSE: &str = "DisruptionBudget";

fn too_many(reason_text: &str) -> ApiError {
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests", message);
    error.with_causes(&[(CAUSE, reason_text)])
}

//! [`is_condition_true`]: the condition of one type in a status.

use serde::Serialize;
use serde_json::Value;

/// Returns `true` if a status, or a list of conditions, has the condition `type_` with the status
/// `True`.
///
/// The argument may have any type that serializes as in the API: a type of `k8s-openapi`, a generated
/// type, a type of your own, a JSON value, or an `Option` of them. A condition that is absent,
/// `False` or `Unknown` is not true. The counterpart is apimachinery's `meta.IsStatusConditionTrue`.
///
/// Each call serializes its argument: in a loop over many objects, pass the conditions alone, or
/// compare their fields.
///
/// # Examples
///
/// ```
/// # use informer_controller::is_condition_true;
/// # use k8s_openapi::api::core::v1::Pod;
/// let pod: Pod = serde_json::from_value(serde_json::json!({
///     "status": { "conditions": [{ "type": "Ready", "status": "True" }] }
/// }))?;
/// assert!(is_condition_true(&pod.status, "Ready"));
/// assert!(!is_condition_true(&pod.status, "Initialized"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn is_condition_true(status: &(impl Serialize + ?Sized), type_: &str) -> bool {
    let Ok(status) = serde_json::to_value(status) else {
        return false;
    };
    let conditions = status.get("conditions").unwrap_or(&status);
    let Some(list) = conditions.as_array() else {
        return false;
    };
    list.iter()
        .any(|condition| has(condition, "type", type_) && has(condition, "status", "True"))
}

/// Reports whether a field of a condition has this text.
fn has(condition: &Value, field: &str, text: &str) -> bool {
    condition.get(field).is_some_and(|value| value == text)
}

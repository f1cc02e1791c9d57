//! Conditions in a status.

use serde_json::{Map, Value, json};

use crate::document::Members;
use crate::document::set;

/// Returns the status of an object; empty if it has none.
pub(super) fn status_of(members: &Members) -> Map<String, Value> {
    let status = members.get("status").and_then(Value::as_object);
    status.cloned().unwrap_or_default()
}

/// Returns the condition of this type.
pub(super) fn condition<'a>(status: &'a Map<String, Value>, kind: &str) -> Option<&'a Value> {
    let conditions = status.get("conditions")?.as_array()?;
    conditions
        .iter()
        .find(|condition| condition.get("type").is_some_and(|known| known == kind))
}

/// Replaces the condition of the same type, or appends `condition`. An unchanged status keeps its
/// transition time.
pub(crate) fn put_condition(document: &mut Value, mut condition: Value) {
    let Some(members) = document.as_object_mut() else {
        return;
    };
    let status = members.entry("status").or_insert_with(|| json!({}));
    let Some(status) = status.as_object_mut() else {
        return;
    };
    let list = status.entry("conditions").or_insert_with(|| json!([]));
    let Some(list) = list.as_array_mut() else {
        return;
    };
    let kind = condition.get("type").cloned();
    match list
        .iter_mut()
        .find(|known| known.get("type") == kind.as_ref())
    {
        Some(known) => {
            if known.get("status") == condition.get("status")
                && let Some(since) = known.get("lastTransitionTime").cloned()
            {
                set(&mut condition, "lastTransitionTime", since);
            }
            *known = condition;
        }
        None => list.push(condition),
    }
}

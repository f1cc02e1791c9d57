//! The interface for tests: inspects the state and injects faults.
//!
//! [`Control`] is one type whose methods are in four files: `traffic` (requests), `disturbances`
//! (faults and watches), `objects` (the state without HTTP) and `waiting` (waits for a state). The
//! types that these methods read are `requests`, `activity` and `watches`.

mod disturbances;
mod objects;
mod traffic;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::shared::Shared;

/// Handle with which tests inspect a server and inject faults. Clones control the same server.
///
/// A parameter `resource` is a plural (`pods`) or, if several groups share the plural,
/// `plural.group` (`events.events.k8s.io`).
#[derive(Debug, Clone)]
pub struct Control {
    shared: Arc<Shared>,
    /// Time after which a wait for a state fails.
    deadline: Duration,
}

// === impl Control ===

impl Control {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            deadline: Duration::from_secs(10),
        }
    }
}

/// Adds the list's `kind` and `apiVersion` to an item that lacks them, as the items of a typed list
/// do. Returns `true` if the item then has both.
pub(crate) fn complete_item(
    item: &mut Value,
    kind: Option<&str>,
    api_version: Option<&str>,
) -> bool {
    let Some(members) = item.as_object_mut() else {
        return false;
    };
    for (field, of_list) in [("kind", kind), ("apiVersion", api_version)] {
        if !members.contains_key(field)
            && let Some(text) = of_list.filter(|text| !text.is_empty())
        {
            members.insert(field.to_owned(), text.into());
        }
    }
    members.contains_key("kind") && members.contains_key("apiVersion")
}

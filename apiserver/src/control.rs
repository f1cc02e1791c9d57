//! The side of the server that tests look at and turn.
//!
//! [`Control`] is one type with its methods in four files: `traffic` has requests and what waits
//! for them, `disturbances` what goes wrong, `objects` the state without HTTP, `waiting` what waits for
//! a state. `requests`, `activity` and `watches` are what they look at.

mod disturbances;
mod objects;
mod traffic;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::shared::Shared;

/// Looks into a server and makes things go wrong. Clones control the same server.
///
/// Where a method takes a `resource`, it is a plural (`pods`) or, where groups share a plural,
/// `plural.group` (`events.events.k8s.io`).
#[derive(Debug, Clone)]
pub struct Control {
    shared: Arc<Shared>,
    /// The time after which a wait for a state fails.
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

/// Gives an item of a list the `kind` and `apiVersion` that it does not say itself, as in lists of one kind; returns
/// whether it has both.
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

//! Roles and bindings that exist from the start, as in a cluster.

use serde_json::Value;

use crate::document::set;

/// Returns the objects of `roles.json`.
pub(crate) fn first_objects() -> Vec<Value> {
    let mut objects: Vec<Value> =
        serde_json::from_str(include_str!("roles.json")).unwrap_or_default();
    for object in &mut objects {
        set(object, "apiVersion", "rbac.authorization.k8s.io/v1");
    }
    objects
}

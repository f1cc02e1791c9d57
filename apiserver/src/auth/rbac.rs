//! RBAC: roles and bindings of the state decide over a request.

use serde_json::Value;

use super::attributes::Attributes;
use super::identity::User;
use super::names::{GROUP, MASTERS};
use crate::api::state::State;
use crate::document::Members;
use crate::store::Stored;

/// Returns `true` if a role of the user grants the access. The group `system:masters` may do
/// everything.
pub(crate) fn allows(state: &State, user: &User, attributes: &Attributes<'_>) -> bool {
    let namespace = match attributes {
        Attributes::Resource { path, .. } => path.namespace.as_str(),
        Attributes::Path { .. } => "",
    };
    user.groups.iter().any(|group| group == MASTERS)
        || rules(state, user, namespace).any(|rule| attributes.is_granted_by(&rule))
}

/// Returns the rules of the user's cluster-wide bindings, and of those in the namespace.
pub(super) fn rules(state: &State, user: &User, namespace: &str) -> impl Iterator<Item = Value> {
    let cluster = objects(state, "clusterrolebindings");
    let namespaced = objects(state, "rolebindings")
        .filter(move |binding| !namespace.is_empty() && binding.namespace == namespace);
    let roles = cluster.chain(namespaced).filter_map(move |binding| {
        let members = binding.members();
        let mut subjects = list(&members, "subjects").iter();
        subjects.find(|subject| is_subject(user, subject, binding))?;
        let role = role_of(state, binding, members.get("roleRef")?)?;
        Some(list(&role.members(), "rules").to_vec())
    });
    roles.flatten()
}

fn is_subject(user: &User, subject: &Value, binding: &Stored) -> bool {
    let name = text(subject, "name");
    match text(subject, "kind") {
        "User" => user.name == name,
        "Group" => user.groups.iter().any(|group| group == name),
        "ServiceAccount" => {
            let namespace = match text(subject, "namespace") {
                "" => binding.namespace.as_str(),
                namespace => namespace,
            };
            user.name == format!("system:serviceaccount:{namespace}:{name}")
        }
        _ => false,
    }
}

fn objects<'a>(state: &'a State, plural: &str) -> impl Iterator<Item = &'a Stored> {
    state
        .registry
        .get(GROUP, plural)
        .and_then(|resource| state.store.table(resource.id))
        .into_iter()
        .flat_map(|objects| objects.values().map(|object| &**object))
}

/// Returns the role that the binding refers to.
fn role_of<'a>(state: &'a State, binding: &Stored, role: &Value) -> Option<&'a Stored> {
    let (plural, namespace) = match text(role, "kind") {
        "Role" => ("roles", binding.namespace.as_str()),
        _ => ("clusterroles", ""),
    };
    let resource = state.registry.get(GROUP, plural)?;
    state
        .store
        .find(resource.id, namespace, text(role, "name"))
        .map(|role| &**role)
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(members: &'a Members, field: &str) -> &'a [Value] {
    let list = members.get(field).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

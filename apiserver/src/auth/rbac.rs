//! RBAC: roles and bindings of the state decide over a request.

use serde_json::Value;

use super::attributes::Attributes;
use super::identity::User;
use super::names::{GROUP, MASTERS};
use crate::api::state::ServerState;
use crate::document::{list_of, str_of};
use crate::store::Stored;

/// Returns `true` if a role of the user grants the access. The group `system:masters` may do
/// everything.
pub(crate) fn allows(state: &ServerState, user: &User, attributes: &Attributes<'_>) -> bool {
    if user.is_in(MASTERS) {
        return true;
    }
    let namespace = match attributes {
        Attributes::Resource { path, .. } => path.namespace.as_str(),
        Attributes::Path { .. } => "",
    };
    rules(state, user, namespace).any(|rule| attributes.is_granted_by(&rule))
}

/// Returns the rules of the user's cluster-wide bindings, and of those in the namespace.
pub(super) fn rules(
    state: &ServerState,
    user: &User,
    namespace: &str,
) -> impl Iterator<Item = Value> {
    let cluster = objects(state, "clusterrolebindings");
    let namespaced = objects(state, "rolebindings")
        .filter(move |binding| !namespace.is_empty() && binding.namespace == namespace);
    cluster
        .chain(namespaced)
        .filter_map(move |binding| bound_rules(state, user, binding))
        .flatten()
}

/// Returns the rules of a binding's role, if the user is one of its subjects.
fn bound_rules(state: &ServerState, user: &User, binding: &Stored) -> Option<Vec<Value>> {
    let members = binding.members();
    let is_bound = list_of(members.get("subjects"))
        .iter()
        .any(|subject| is_subject(user, subject, binding));
    if !is_bound {
        return None;
    }
    let reference = members.get("roleRef")?;
    let role = role_of(state, binding, reference)?.members();
    Some(list_of(role.get("rules")).to_vec())
}

fn is_subject(user: &User, subject: &Value, binding: &Stored) -> bool {
    let name = str_of(subject.get("name"));
    match str_of(subject.get("kind")) {
        "User" => user.name == name,
        "Group" => user.is_in(name),
        "ServiceAccount" => {
            let namespace = match str_of(subject.get("namespace")) {
                "" => binding.namespace.as_str(),
                given => given,
            };
            user.name == format!("system:serviceaccount:{namespace}:{name}")
        }
        _ => false,
    }
}

fn objects<'a>(state: &'a ServerState, plural: &str) -> impl Iterator<Item = &'a Stored> {
    state
        .registry
        .get(GROUP, plural)
        .and_then(|resource| state.store.table(resource.id))
        .into_iter()
        .flat_map(|objects| objects.values().map(|object| &**object))
}

/// Returns the role that the binding refers to.
fn role_of<'a>(state: &'a ServerState, binding: &Stored, role: &Value) -> Option<&'a Stored> {
    let mut plural = "clusterroles";
    let mut namespace = "";
    if str_of(role.get("kind")) == "Role" {
        plural = "roles";
        namespace = &binding.namespace;
    }
    let resource = state.registry.get(GROUP, plural)?;
    let name = str_of(role.get("name"));
    let found = state.store.find(resource.id, namespace, name)?;
    Some(found)
}

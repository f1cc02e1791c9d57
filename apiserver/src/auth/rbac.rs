//! Evaluation of the roles and bindings in the state.

use std::fmt;

use serde_json::Value;

use super::identity::User;
use super::names::{GROUP, MASTERS};
use super::wish::Wish;
use crate::api::state::State;
use crate::api::write::Creator;
use crate::document::Members;
use crate::registry::target::{ResourcePath, Verb};
use crate::status::ApiError;
use crate::store::Stored;

/// Reason for which a user may do something.
#[derive(Debug)]
pub(crate) enum Grant<'a> {
    /// The user is in the group `system:masters`.
    Master,
    Bound(Bound<'a>),
}

/// A role, and the binding that gives it to a user.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    binding: &'a Stored,
    subject: Value,
    role: &'a Stored,
    rules: Vec<Value>,
}

/// Reports whether `subject` of `binding` denotes `user`.
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

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(members: &'a Members, field: &str) -> &'a [Value] {
    let list = members.get(field).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

// === impl Grant ===

impl Grant<'_> {
    /// Returns the reason in the words of the real server's reviews.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Master => String::new(),
            Self::Bound(bound) => format!("RBAC: allowed by {bound}"),
        }
    }
}

// === impl Bound ===

impl Bound<'_> {
    /// Returns the rules of the role.
    pub(crate) fn into_rules(self) -> Vec<Value> {
        self.rules
    }
}

/// Writes a text such as `RoleBinding "x/default" of Role "y" to User "jane"`.
impl fmt::Display for Bound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stored {
            namespace, name, ..
        } = self.binding;
        match namespace.as_str() {
            "" => write!(f, "ClusterRoleBinding {name:?}")?,
            namespace => write!(f, "RoleBinding \"{name}/{namespace}\"")?,
        }
        let kind = match self.role.namespace.as_str() {
            "" => "ClusterRole",
            _ => "Role",
        };
        write!(f, " of {kind} {:?} to ", self.role.name)?;
        let (kind, subject) = (text(&self.subject, "kind"), text(&self.subject, "name"));
        if kind == "ServiceAccount" {
            let own = text(&self.subject, "namespace");
            let namespace = if own.is_empty() { namespace } else { own };
            return write!(f, "{kind} \"{subject}/{namespace}\"");
        }
        write!(f, "{kind} {subject:?}")
    }
}

/// Reports whether RBAC grants `wish` to `user`.
pub(crate) fn allows(state: &State, user: &User, wish: &Wish<'_>) -> bool {
    grant(state, user, wish).is_some()
}

/// Returns the reason for which RBAC grants `wish` to `user`; `None` if it does not.
pub(crate) fn grant<'a>(state: &'a State, user: &User, wish: &Wish<'_>) -> Option<Grant<'a>> {
    if user.groups.iter().any(|group| group == MASTERS) {
        return Some(Grant::Master);
    }
    let namespace = match wish {
        Wish::Resource { path, .. } => path.namespace.as_str(),
        Wish::Path { .. } => "",
    };
    roles(state, user, namespace)
        .find(|bound| bound.rules.iter().any(|rule| wish.is_granted_by(rule)))
        .map(Grant::Bound)
}

/// Returns the roles of `user` in `namespace`, or in the cluster if `namespace` is empty.
pub(crate) fn roles<'a>(
    state: &'a State,
    user: &User,
    namespace: &str,
) -> impl Iterator<Item = Bound<'a>> {
    let cluster = rbac_objects(state, "clusterrolebindings");
    let namespaced = rbac_objects(state, "rolebindings")
        .filter(move |binding| !namespace.is_empty() && binding.namespace == namespace);
    cluster.chain(namespaced).filter_map(move |binding| {
        let members = binding.members();
        let mut subjects = list(&members, "subjects").iter();
        let subject = subjects
            .find(|subject| is_subject(user, subject, binding))?
            .clone();
        let role = role_of(state, binding, members.get("roleRef")?)?;
        Some(Bound {
            binding,
            subject,
            role,
            rules: list(&role.members(), "rules").to_vec(),
        })
    })
}

fn rbac_objects<'a>(state: &'a State, plural: &str) -> impl Iterator<Item = &'a Stored> {
    state
        .registry
        .get(GROUP, plural)
        .and_then(|resource| state.store.table(resource.id))
        .into_iter()
        .flat_map(|objects| objects.values().map(|object| &**object))
}

/// Returns the role that `role`, the `roleRef` of `binding`, names.
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

impl Creator for User {
    fn may_create(&self, state: &State, path: &ResourcePath) -> Result<(), ApiError> {
        let verb = Verb::Create.as_str();
        let wish = Wish::Resource { verb, path };
        if allows(state, self, &wish) {
            Ok(())
        } else {
            Err(wish.denial(self))
        }
    }
}

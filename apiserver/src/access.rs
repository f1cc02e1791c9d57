//! Who may do what: bearer tokens and RBAC.
//!
//! Off until a token is configured; then every request is somebody's, and roles and bindings,
//! which are objects like any other, decide. There is no escalation check and no aggregation of
//! roles.

mod defaults;
mod impersonation;

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use http::{HeaderMap, StatusCode, header};
use serde_json::Value;
use uuid::Uuid;

use crate::route::ResourcePath;
use crate::state::State;
use crate::status::ApiError;
use crate::store::{Members, Stored};

pub(crate) use defaults::first_objects;
pub(crate) use impersonation::impersonated;

/// The API group of roles and bindings.
const GROUP: &str = "rbac.authorization.k8s.io";

/// Who may do everything.
const MASTERS: &str = "system:masters";

const ANONYMOUS: &str = "system:anonymous";
const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";

/// Who sends a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    pub(crate) name: String,
    /// Of those who are impersonated; tokens and certificates give none.
    pub(crate) uid: String,
    pub(crate) groups: Vec<String>,
    pub(crate) extra: BTreeMap<String, Vec<String>>,
}

/// The known tokens.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    users: HashMap<String, User>,
    /// A token of the server's own, for its clients of everything.
    pub(crate) admin: String,
}

/// What somebody wants to do.
#[derive(Debug)]
pub(crate) enum Wish<'a> {
    Resource {
        verb: &'a str,
        path: &'a ResourcePath,
    },
    Path {
        verb: &'a str,
        path: &'a str,
    },
}

/// Why somebody may do something.
#[derive(Debug)]
pub(crate) enum Grant<'a> {
    /// Masters may do everything.
    Master,
    Bound(Bound<'a>),
}

/// A role that somebody has, and how so.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    binding: &'a Stored,
    subject: Value,
    role: &'a Stored,
    rules: Vec<Value>,
}

// === impl User ===

impl User {
    pub(crate) fn new(name: &str, groups: &[String]) -> Self {
        let mut groups = groups.to_vec();
        if let Some(account) = name.strip_prefix("system:serviceaccount:") {
            let namespace = account.split(':').next().unwrap_or_default();
            groups.push("system:serviceaccounts".to_owned());
            groups.push(format!("system:serviceaccounts:{namespace}"));
        }
        groups.push(AUTHENTICATED.to_owned());
        Self {
            name: name.to_owned(),
            groups,
            ..Self::default()
        }
    }

    pub(crate) fn anonymous() -> Self {
        Self {
            name: ANONYMOUS.to_owned(),
            groups: vec![UNAUTHENTICATED.to_owned()],
            ..Self::default()
        }
    }

    fn is(&self, subject: &Value, binding: &Stored) -> bool {
        let name = text(subject, "name");
        match text(subject, "kind") {
            "User" => self.name == name,
            "Group" => self.groups.iter().any(|group| group == name),
            "ServiceAccount" => {
                let namespace = match text(subject, "namespace") {
                    "" => binding.namespace.as_str(),
                    namespace => namespace,
                };
                self.name == format!("system:serviceaccount:{namespace}:{name}")
            }
            _ => false,
        }
    }
}

// === impl Access ===

impl Access {
    /// The users of these tokens, and one who may do everything.
    pub(crate) fn new(tokens: &[(String, Vec<String>)]) -> Self {
        let admin = Uuid::new_v4().to_string();
        let mut users: HashMap<_, _> = tokens
            .iter()
            .map(|(name, groups)| (name.clone(), User::new(name, groups)))
            .collect();
        let masters = [MASTERS.to_owned()];
        users.insert(admin.clone(), User::new("admin", &masters));
        Self { users, admin }
    }

    /// Whose certificate the connection has shown, or whose token the request carries.
    pub(crate) fn authenticate(
        &self,
        peer: Option<&User>,
        headers: &HeaderMap,
    ) -> Result<User, ApiError> {
        if let Some(user) = peer {
            return Ok(user.clone());
        }
        let Some(value) = headers.get(header::AUTHORIZATION) else {
            return Ok(User::anonymous());
        };
        let token = value.to_str().ok().and_then(|v| v.strip_prefix("Bearer "));
        let user = token.and_then(|token| self.user_of(token.trim()));
        user.cloned()
            .ok_or_else(|| ApiError::new(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized"))
    }

    /// Whose token it is.
    pub(crate) fn user_of(&self, token: &str) -> Option<&User> {
        self.users.get(token)
    }
}

// === impl Wish ===

impl Wish<'_> {
    /// `User "x" cannot list resource "pods" in API group "" in the namespace "y"`
    pub(crate) fn refusal(&self, user: &User) -> ApiError {
        let name = &user.name;
        match self {
            Self::Resource { verb, path } => {
                let place = match path.namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {namespace:?}"),
                };
                let why = format!(
                    "User {name:?} cannot {verb} resource {:?} in API group {:?} {place}",
                    resource_of(path),
                    path.group
                );
                ApiError::forbidden_path(path, &why)
            }
            Self::Path { verb, path } => {
                let message = format!("forbidden: User {name:?} cannot {verb} path {path:?}");
                ApiError::new(StatusCode::FORBIDDEN, "Forbidden", message)
            }
        }
    }

    fn is_granted_by(&self, rule: &Value) -> bool {
        let names = |field: &str, wanted: &str| {
            let list = rule.get(field).and_then(Value::as_array);
            let mut list = list.into_iter().flatten().filter_map(Value::as_str);
            list.any(|given| given == "*" || given == wanted)
        };
        match self {
            Self::Resource { verb, path } => {
                let any_of_part = format!("*/{}", path.subresource);
                let restricted = rule
                    .get("resourceNames")
                    .and_then(Value::as_array)
                    .is_some_and(|names| !names.is_empty());
                names("verbs", verb)
                    && names("apiGroups", &path.group)
                    && (names("resources", &resource_of(path))
                        || (!path.subresource.is_empty() && names("resources", &any_of_part)))
                    && (!restricted || names("resourceNames", &path.name))
            }
            Self::Path { verb, path } => {
                let urls = rule.get("nonResourceURLs").and_then(Value::as_array);
                let mut urls = urls.into_iter().flatten().filter_map(Value::as_str);
                names("verbs", verb)
                    && urls.any(|url| match url.strip_suffix('*') {
                        Some(prefix) => path.starts_with(prefix),
                        None => path.trim_end_matches('/') == url.trim_end_matches('/'),
                    })
            }
        }
    }
}

/// `pods`, `pods/status`
fn resource_of(path: &ResourcePath) -> String {
    if path.subresource.is_empty() {
        path.plural.clone()
    } else {
        format!("{}/{}", path.plural, path.subresource)
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
    /// As the real server says it in reviews.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Master => String::new(),
            Self::Bound(bound) => format!("RBAC: allowed by {bound}"),
        }
    }
}

// === impl Bound ===

impl Bound<'_> {
    /// The rules of the role.
    pub(crate) fn into_rules(self) -> Vec<Value> {
        self.rules
    }
}

/// `RoleBinding "x/default" of Role "y" to User "jane"`
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

// === impl State ===

impl State {
    /// Whether RBAC lets `user` have its wish.
    pub(crate) fn allows(&self, user: &User, wish: &Wish<'_>) -> bool {
        self.grant(user, wish).is_some()
    }

    /// Why RBAC lets `user` have its wish; nothing if it does not.
    pub(crate) fn grant(&self, user: &User, wish: &Wish<'_>) -> Option<Grant<'_>> {
        if user.groups.iter().any(|group| group == MASTERS) {
            return Some(Grant::Master);
        }
        let namespace = match wish {
            Wish::Resource { path, .. } => path.namespace.as_str(),
            Wish::Path { .. } => "",
        };
        self.roles(user, namespace)
            .find(|bound| bound.rules.iter().any(|rule| wish.is_granted_by(rule)))
            .map(Grant::Bound)
    }

    /// The roles that `user` has in `namespace`, or everywhere if that is empty.
    pub(crate) fn roles<'a>(
        &'a self,
        user: &User,
        namespace: &str,
    ) -> impl Iterator<Item = Bound<'a>> {
        let cluster = self.rbac_objects("clusterrolebindings");
        let here = self
            .rbac_objects("rolebindings")
            .filter(move |binding| !namespace.is_empty() && binding.namespace == namespace);
        cluster.chain(here).filter_map(move |binding| {
            let members = binding.members();
            let mut subjects = list(&members, "subjects").iter();
            let subject = subjects.find(|subject| user.is(subject, binding))?.clone();
            let role = self.role_of(binding, members.get("roleRef")?)?;
            Some(Bound {
                binding,
                subject,
                role,
                rules: list(&role.members(), "rules").to_vec(),
            })
        })
    }

    fn rbac_objects(&self, plural: &str) -> impl Iterator<Item = &Stored> {
        self.registry
            .get(GROUP, plural)
            .and_then(|resource| self.table(resource.id))
            .into_iter()
            .flat_map(|objects| objects.values().map(|object| &**object))
    }

    /// The role that `role`, the `roleRef` of `binding`, names.
    fn role_of(&self, binding: &Stored, role: &Value) -> Option<&Stored> {
        let (plural, namespace) = match text(role, "kind") {
            "Role" => ("roles", binding.namespace.as_str()),
            _ => ("clusterroles", ""),
        };
        let resource = self.registry.get(GROUP, plural)?;
        self.find(resource.id, namespace, text(role, "name"))
            .map(|role| &**role)
    }
}

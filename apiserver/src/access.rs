//! Who may do what: bearer tokens and RBAC.
//!
//! Off until a token is configured; then every request is somebody's, and roles and bindings,
//! which are objects like any other, decide. There is no escalation check, no aggregation of
//! roles and no impersonation.

use std::collections::HashMap;

use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::route::{ResourcePath, Verb};
use crate::state::State;
use crate::status::ApiError;
use crate::store::{Members, Stored};

/// The API group of roles and bindings.
const GROUP: &str = "rbac.authorization.k8s.io";

/// Who may do everything.
const MASTERS: &str = "system:masters";

/// Who sends a request.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) name: String,
    groups: Vec<String>,
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
    Resource { verb: Verb, path: &'a ResourcePath },
    Path { verb: String, path: &'a str },
}

// === impl User ===

impl User {
    pub(crate) fn new(name: &str, groups: &[String]) -> Self {
        let mut groups = groups.to_vec();
        groups.push("system:authenticated".to_owned());
        if let Some(account) = name.strip_prefix("system:serviceaccount:") {
            let namespace = account.split(':').next().unwrap_or_default();
            groups.push("system:serviceaccounts".to_owned());
            groups.push(format!("system:serviceaccounts:{namespace}"));
        }
        Self {
            name: name.to_owned(),
            groups,
        }
    }

    pub(crate) fn anonymous() -> Self {
        Self {
            name: "system:anonymous".to_owned(),
            groups: vec!["system:unauthenticated".to_owned()],
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
        let user = token.and_then(|token| self.users.get(token.trim()));
        user.cloned()
            .ok_or_else(|| ApiError::new(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized"))
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
                names("verbs", verb.as_str())
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

// === impl State ===

impl State {
    /// Whether RBAC lets `user` have its wish.
    pub(crate) fn allows(&self, user: &User, wish: &Wish<'_>) -> bool {
        if user.groups.iter().any(|group| group == MASTERS) {
            return true;
        }
        let local = match wish {
            Wish::Resource { path, .. } if !path.namespace.is_empty() => path.namespace.as_str(),
            Wish::Resource { .. } | Wish::Path { .. } => "",
        };
        let cluster = self.rbac_objects("clusterrolebindings");
        let here = self
            .rbac_objects("rolebindings")
            .filter(|binding| !local.is_empty() && binding.namespace == local);
        cluster
            .chain(here)
            .filter(|binding| {
                let members = binding.members();
                let subjects = list(&members, "subjects");
                subjects.iter().any(|subject| user.is(subject, binding))
            })
            .filter_map(|binding| self.role_of(binding))
            .any(|role| {
                let members = role.members();
                let rules = list(&members, "rules");
                rules.iter().any(|rule| wish.is_granted_by(rule))
            })
    }

    fn rbac_objects(&self, plural: &str) -> impl Iterator<Item = &Stored> {
        self.registry
            .get(GROUP, plural)
            .and_then(|resource| self.table(resource.id))
            .into_iter()
            .flat_map(|objects| objects.values().map(|object| &**object))
    }

    fn role_of(&self, binding: &Stored) -> Option<&Stored> {
        let members = binding.members();
        let role = members.get("roleRef")?;
        let (plural, namespace) = match text(role, "kind") {
            "Role" => ("roles", binding.namespace.as_str()),
            _ => ("clusterroles", ""),
        };
        let resource = self.registry.get(GROUP, plural)?;
        self.find(resource.id, namespace, text(role, "name"))
            .map(|role| &**role)
    }
}

/// The roles and bindings that a server with RBAC starts with: who may do everything, and what
/// everybody may.
pub(crate) fn first_objects() -> Vec<Value> {
    const VERSION: &str = "rbac.authorization.k8s.io/v1";
    let role = |name: &str, rules: Value| {
        json!({
            "apiVersion": VERSION, "kind": "ClusterRole",
            "metadata": { "name": name }, "rules": rules,
        })
    };
    let binding = |name: &str, groups: &[&str]| {
        let subjects: Vec<Value> = groups
            .iter()
            .map(|group| json!({ "kind": "Group", "name": group, "apiGroup": GROUP }))
            .collect();
        json!({
            "apiVersion": VERSION, "kind": "ClusterRoleBinding",
            "metadata": { "name": name },
            "roleRef": { "apiGroup": GROUP, "kind": "ClusterRole", "name": name },
            "subjects": subjects,
        })
    };
    let paths = |urls: &[&str]| json!([{ "verbs": ["get"], "nonResourceURLs": urls }]);
    let everything = json!([
        { "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] },
        { "verbs": ["*"], "nonResourceURLs": ["*"] },
    ]);
    let public = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    let discovery = [
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ];
    vec![
        role("cluster-admin", everything),
        role("system:discovery", paths(&discovery)),
        role("system:public-info-viewer", paths(&public)),
        binding("cluster-admin", &[MASTERS]),
        binding("system:discovery", &["system:authenticated"]),
        binding(
            "system:public-info-viewer",
            &["system:authenticated", "system:unauthenticated"],
        ),
    ]
}

//! Requested access: its grant by a rule, and the error of its denial.

use http::StatusCode;
use serde_json::Value;

use super::identity::User;
use crate::document::list_of;
use crate::registry::target::ResourcePath;
use crate::status::ApiError;

/// Access that a user requests.
#[derive(Debug)]
pub(crate) enum Attributes<'a> {
    Resource {
        verb: &'a str,
        path: &'a ResourcePath,
    },
    Path {
        verb: &'a str,
        path: &'a str,
    },
}

// === impl Attributes ===

impl Attributes<'_> {
    /// Returns the error
    /// `User "x" cannot list resource "pods" in API group "" in the namespace "y"`.
    pub(crate) fn denial(&self, user: &User) -> ApiError {
        let name = &user.name;
        match self {
            Self::Resource { verb, path } => {
                let place = match path.namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {namespace:?}"),
                };
                let reason = format!(
                    "User {name:?} cannot {verb} resource {:?} in API group {:?} {place}",
                    resource_of(path),
                    path.group
                );
                ApiError::forbidden_named(&path.group, &path.plural, &path.name, &reason)
            }
            Self::Path { verb, path } => {
                let message = format!("forbidden: User {name:?} cannot {verb} path {path:?}");
                ApiError::new(StatusCode::FORBIDDEN, "Forbidden", message)
            }
        }
    }

    pub(super) fn is_granted_by(&self, rule: &Value) -> bool {
        match self {
            Self::Resource { verb, path } => {
                names(rule, "verbs", verb)
                    && names(rule, "apiGroups", &path.group)
                    && names_resource(rule, path)
                    && permits_name(rule, &path.name)
            }
            Self::Path { verb, path } => names(rule, "verbs", verb) && names_path(rule, path),
        }
    }
}

/// Reports whether the list `field` of a rule has `requested`, or `*` for everything.
fn names(rule: &Value, field: &str, requested: &str) -> bool {
    list_of(rule.get(field))
        .iter()
        .any(|granted| granted == "*" || granted == requested)
}

fn names_resource(rule: &Value, path: &ResourcePath) -> bool {
    if names(rule, "resources", &resource_of(path)) {
        return true;
    }
    if path.subresource.is_empty() {
        return false;
    }
    let of_any_resource = format!("*/{}", path.subresource);
    names(rule, "resources", &of_any_resource)
}

/// Reports whether a rule is for all objects, or for the object `name`.
fn permits_name(rule: &Value, name: &str) -> bool {
    let only = list_of(rule.get("resourceNames"));
    only.is_empty() || names(rule, "resourceNames", name)
}

fn names_path(rule: &Value, path: &str) -> bool {
    for granted in list_of(rule.get("nonResourceURLs")) {
        let Some(url) = granted.as_str() else {
            continue;
        };
        let fits = match url.strip_suffix('*') {
            Some(prefix) => path.starts_with(prefix),
            None => path.trim_end_matches('/') == url.trim_end_matches('/'),
        };
        if fits {
            return true;
        }
    }
    false
}

/// Returns a text such as `pods` or `pods/status`.
fn resource_of(path: &ResourcePath) -> String {
    if path.subresource.is_empty() {
        path.plural.clone()
    } else {
        format!("{}/{}", path.plural, path.subresource)
    }
}

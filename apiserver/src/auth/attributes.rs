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
        let names = |field: &str, requested: &str| {
            list_of(rule.get(field))
                .iter()
                .any(|granted| granted == "*" || granted == requested)
        };
        match self {
            Self::Resource { verb, path } => {
                let any_of_part = format!("*/{}", path.subresource);
                let restricted = !list_of(rule.get("resourceNames")).is_empty();
                names("verbs", verb)
                    && names("apiGroups", &path.group)
                    && (names("resources", &resource_of(path))
                        || (!path.subresource.is_empty() && names("resources", &any_of_part)))
                    && (!restricted || names("resourceNames", &path.name))
            }
            Self::Path { verb, path } => {
                let mut urls = list_of(rule.get("nonResourceURLs"))
                    .iter()
                    .filter_map(Value::as_str);
                names("verbs", verb)
                    && urls.any(|url| match url.strip_suffix('*') {
                        Some(prefix) => path.starts_with(prefix),
                        None => path.trim_end_matches('/') == url.trim_end_matches('/'),
                    })
            }
        }
    }
}

/// Returns a text such as `pods` or `pods/status`.
fn resource_of(path: &ResourcePath) -> String {
    if path.subresource.is_empty() {
        path.plural.clone()
    } else {
        format!("{}/{}", path.plural, path.subresource)
    }
}

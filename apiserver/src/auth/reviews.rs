//! Reviews: questions about permissions and identities, which are answered and not stored.
//!
//! The evaluation is the same as for requests (see [`crate::auth`]).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::attributes::Attributes;
use super::identity::{Access, User};
use super::rbac::{allows, rules};
use crate::api::state::ServerState;
use crate::api::write::{WriteOptions, members_of};
use crate::document::{set, set_type, str_of, texts};
use crate::registry::target::{RequestTarget, ResourcePath};
use crate::status::{ApiError, FieldCause};

/// Sender of a review, and the state that answers it.
pub(crate) struct Reviewer<'a> {
    pub(crate) state: &'a ServerState,
    /// `None` if every request is authorized.
    pub(crate) access: Option<&'a Access>,
    /// Resources that a test has forbidden to all users.
    pub(crate) forbidden: &'a BTreeSet<String>,
    pub(crate) user: &'a User,
}

/// Answers the review `document` of `target`: returns the same document with a status.
pub(crate) fn answer(
    reviewer: &Reviewer<'_>,
    target: &RequestTarget,
    document: Value,
    options: WriteOptions<'_>,
) -> Result<Value, ApiError> {
    let mut review = members_of(target, document, options)?;
    let spec = review.get("spec").cloned().unwrap_or_else(|| json!({}));
    let mut metadata = json!({});
    let status = match target.resource.kind.as_str() {
        "SelfSubjectReview" => {
            let now = reviewer.state.clock.timestamp();
            set(&mut metadata, "creationTimestamp", now);
            json!({ "userInfo": user_info(reviewer.user) })
        }
        "TokenReview" => reviewer.token(str_of(spec.get("token")))?,
        "SelfSubjectRulesReview" => {
            review.insert("spec".to_owned(), json!({}));
            reviewer.rules(str_of(spec.get("namespace")))?
        }
        "SelfSubjectAccessReview" => reviewer.decide(target, &spec, reviewer.user)?,
        _ => {
            if target.resource.namespaced {
                set(&mut metadata, "namespace", target.namespace.as_str());
            }
            let user = subject(target, &spec)?;
            reviewer.decide(target, &spec, &user)?
        }
    };
    set_type(&mut review, &target.resource.kind, &target.api_version());
    review.insert("metadata".to_owned(), metadata);
    review.insert("status".to_owned(), status);
    Ok(Value::Object(review))
}

// === impl Reviewer ===

impl Reviewer<'_> {
    /// Returns the status of a review of one permission.
    fn decide(&self, target: &RequestTarget, spec: &Value, user: &User) -> Result<Value, ApiError> {
        let resource = object_at(spec, "resourceAttributes");
        let other = object_at(spec, "nonResourceAttributes");
        let path;
        let attributes = match (resource, other) {
            (Some(resource), None) => {
                path = path_of(resource);
                Attributes::Resource {
                    verb: str_of(resource.get("verb")),
                    path: &path,
                }
            }
            (None, Some(other)) => Attributes::Path {
                verb: str_of(other.get("verb")),
                path: str_of(other.get("path")),
            },
            (_, other) => {
                let found = other.unwrap_or(&Value::Null).to_string();
                let detail = "exactly one of nonResourceAttributes or resourceAttributes must be \
                              specified";
                return Err(invalid(target, "spec", &found, detail));
            }
        };
        let allowed = self.allows(user, &attributes);
        Ok(json!({ "allowed": allowed }))
    }

    fn allows(&self, user: &User, attributes: &Attributes<'_>) -> bool {
        if self.is_forbidden(attributes) {
            return false;
        }
        self.access.is_none() || allows(self.state, user, attributes)
    }

    /// Returns `true` if a test has forbidden the resource to all users.
    fn is_forbidden(&self, attributes: &Attributes<'_>) -> bool {
        let Attributes::Resource { path, .. } = attributes else {
            return false;
        };
        let Some(resource) = self.state.registry.get(&path.group, &path.plural) else {
            return false;
        };
        self.forbidden.iter().any(|name| resource.answers_to(name))
    }

    /// Returns the status of a review of all rules in a namespace.
    fn rules(&self, namespace: &str) -> Result<Value, ApiError> {
        if namespace.is_empty() {
            return Err(ApiError::bad_request("no namespace on request"));
        }
        let granted: Vec<Value> = if self.access.is_some() {
            rules(self.state, self.user, namespace).collect()
        } else {
            let resources = json!({
                "verbs": ["*"],
                "apiGroups": ["*"],
                "resources": ["*"],
            });
            let others = json!({
                "verbs": ["*"],
                "nonResourceURLs": ["*"],
            });
            vec![resources, others]
        };
        let mut resource_rules = Vec::new();
        let mut other_rules = Vec::new();
        for rule in &granted {
            if !texts(rule, "apiGroups").is_empty() {
                let members = ["verbs", "apiGroups", "resources", "resourceNames"];
                resource_rules.push(only(rule, &members));
            }
            if !texts(rule, "nonResourceURLs").is_empty() {
                other_rules.push(only(rule, &["verbs", "nonResourceURLs"]));
            }
        }
        Ok(json!({
            "resourceRules": resource_rules,
            "nonResourceRules": other_rules,
            "incomplete": false,
        }))
    }

    /// Returns the status of a review of a token.
    fn token(&self, token: &str) -> Result<Value, ApiError> {
        if token.is_empty() {
            let message = "token is required for TokenReview in authentication";
            return Err(ApiError::bad_request(message));
        }
        let known = self.access.and_then(|access| access.user_of(token));
        match known {
            Some(user) => Ok(json!({
                "authenticated": true,
                "user": user_info(user),
            })),
            None => Ok(json!({
                "user": {},
                "error": "invalid bearer token",
            })),
        }
    }
}

fn object_at<'a>(spec: &'a Value, field: &str) -> Option<&'a Value> {
    spec.get(field).filter(|part| part.is_object())
}

/// Returns the path that `resourceAttributes` describe.
fn path_of(attributes: &Value) -> ResourcePath {
    let text = |field: &str| str_of(attributes.get(field)).to_owned();
    ResourcePath {
        group: text("group"),
        version: text("version"),
        namespace: text("namespace"),
        plural: text("resource"),
        name: text("name"),
        subresource: text("subresource"),
    }
}

fn user_info(user: &User) -> Value {
    json!({ "username": user.name, "groups": user.groups })
}

/// Returns the user that a review is about. Only the groups in the review count.
fn subject(target: &RequestTarget, spec: &Value) -> Result<User, ApiError> {
    let user = User {
        name: str_of(spec.get("user")).to_owned(),
        groups: texts(spec, "groups"),
    };
    if user.name.is_empty() && user.groups.is_empty() {
        let detail = "at least one of user or group must be specified";
        return Err(invalid(target, "spec.user", "\"\"", detail));
    }
    Ok(user)
}

/// Creates the error for a field of a review. The real server names no kind in it.
fn invalid(target: &RequestTarget, field: &str, found: &str, detail: &str) -> ApiError {
    let mut nameless = (*target.resource).clone();
    nameless.kind.clear();
    let message = format!("Invalid value: {found}: {detail}");
    let cause = FieldCause::new("FieldValueInvalid", field.to_owned(), message);
    ApiError::invalid(&nameless, "", &[cause])
}

/// Returns the rule with only the given members.
fn only(rule: &Value, members: &[&str]) -> Value {
    let mut kept = Map::new();
    for name in members {
        if let Some(value) = rule.get(name) {
            kept.insert((*name).to_owned(), value.clone());
        }
    }
    Value::Object(kept)
}

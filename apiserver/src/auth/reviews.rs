//! Reviews: questions about permissions and identities, which are answered and not stored.
//!
//! The evaluation is the same as for requests (see [`crate::auth`]).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::identity::{Access, User};
use super::rbac::{Bound, grant, roles};
use super::token::{Signer, account_of, audiences_of};
use super::wish::Wish;
use crate::api::state::State;
use crate::api::write::{WriteOptions, members_of};
use crate::document::Members;
use crate::document::{set, texts};
use crate::registry::target::{ResourcePath, Target};
use crate::status::{ApiError, Cause};

/// Sender of a review, and the state that answers it.
pub(crate) struct Reviewer<'a> {
    pub(crate) state: &'a State,
    pub(crate) signer: &'a Signer,
    /// `None` if every request is authorized.
    pub(crate) access: Option<&'a Access>,
    /// Resources that a test has forbidden to all users.
    pub(crate) forbidden: &'a BTreeSet<String>,
    pub(crate) user: &'a User,
}

/// Answers the review `document` of `target`: returns the same document with a status.
pub(crate) fn answer(
    reviewer: &Reviewer<'_>,
    target: &Target,
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
        "TokenReview" => reviewer.token(&spec)?,
        "SelfSubjectRulesReview" => {
            review.insert("spec".to_owned(), json!({}));
            reviewer.rules(text(&spec, "namespace"))?
        }
        "SelfSubjectAccessReview" => {
            has_no_metadata(target, &review)?;
            reviewer.decide(target, &spec, reviewer.user)?
        }
        kind => {
            has_no_metadata(target, &review)?;
            let subject = subject(target, &spec)?;
            if kind == "LocalSubjectAccessReview" {
                stays_in_namespace(target, &spec)?;
                set(&mut metadata, "namespace", target.namespace.as_str());
            }
            reviewer.decide(target, &spec, &subject)?
        }
    };
    review.insert("kind".to_owned(), target.resource.kind.clone().into());
    review.insert("apiVersion".to_owned(), target.api_version().into());
    review.insert("metadata".to_owned(), metadata);
    review.insert("status".to_owned(), status);
    Ok(Value::Object(review))
}

// === impl Reviewer ===

impl Reviewer<'_> {
    /// Returns the status of an access review.
    fn decide(&self, target: &Target, spec: &Value, user: &User) -> Result<Value, ApiError> {
        let part = |field| spec.get(field).filter(|part: &&Value| part.is_object());
        let path;
        let wish = match (part("resourceAttributes"), part("nonResourceAttributes")) {
            (Some(resource), None) => {
                path = ResourcePath {
                    group: text(resource, "group").to_owned(),
                    version: text(resource, "version").to_owned(),
                    namespace: text(resource, "namespace").to_owned(),
                    plural: text(resource, "resource").to_owned(),
                    name: text(resource, "name").to_owned(),
                    subresource: text(resource, "subresource").to_owned(),
                };
                let verb = text(resource, "verb");
                Wish::Resource { verb, path: &path }
            }
            (None, Some(other)) => Wish::Path {
                verb: text(other, "verb"),
                path: text(other, "path"),
            },
            (_, other) => {
                let found = other.map_or_else(|| "null".to_owned(), Value::to_string);
                let detail = "exactly one of nonResourceAttributes or resourceAttributes must be \
                              specified";
                return Err(invalid(target, "spec", &found, detail));
            }
        };
        if self.is_forbidden(&wish) {
            return Ok(json!({ "allowed": false }));
        }
        if self.access.is_none() {
            return Ok(json!({ "allowed": true }));
        }
        let grant = grant(self.state, user, &wish);
        let mut status = json!({ "allowed": grant.is_some() });
        let reason = grant.map(|grant| grant.reason()).unwrap_or_default();
        if !reason.is_empty() {
            set(&mut status, "reason", reason);
        }
        Ok(status)
    }

    fn is_forbidden(&self, wish: &Wish<'_>) -> bool {
        let resource = match wish {
            Wish::Resource { path, .. } => self.state.registry.get(&path.group, &path.plural),
            Wish::Path { .. } => None,
        };
        let mut names = self.forbidden.iter();
        resource.is_some_and(|resource| names.any(|name| resource.answers_to(name)))
    }

    /// Returns the status of a review of rules.
    fn rules(&self, namespace: &str) -> Result<Value, ApiError> {
        if namespace.is_empty() {
            return Err(ApiError::bad_request("no namespace on request"));
        }
        let mut rules: Vec<Value> = roles(self.state, self.user, namespace)
            .flat_map(Bound::into_rules)
            .collect();
        if self.access.is_none() {
            rules = vec![
                json!({ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }),
                json!({ "verbs": ["*"], "nonResourceURLs": ["*"] }),
            ];
        }
        let has = |rule: &Value, field: &str| {
            let list = rule.get(field).and_then(Value::as_array);
            list.is_some_and(|list| !list.is_empty())
        };
        let of = |field: &str, members: &[&str]| -> Value {
            let rules = rules.iter().filter(|rule| has(rule, field));
            rules.map(|rule| only(rule, members)).collect()
        };
        Ok(json!({
            "resourceRules": of("apiGroups", &["verbs", "apiGroups", "resources", "resourceNames"]),
            "nonResourceRules": of("nonResourceURLs", &["verbs", "nonResourceURLs"]),
            "incomplete": false,
        }))
    }

    /// Returns the status of a review of a token.
    fn token(&self, spec: &Value) -> Result<Value, ApiError> {
        let token = text(spec, "token");
        if token.is_empty() {
            let message = "token is required for TokenReview in authentication";
            return Err(ApiError::bad_request(message));
        }
        if let Some(user) = self.access.and_then(|access| access.user_of(token)) {
            return Ok(json!({ "authenticated": true, "user": user_info(user) }));
        }
        Ok(
            match account_of(self.signer, self.state, token, &audiences_of(spec)) {
                Ok(account) => json!({
                    "authenticated": true,
                    "user": user_info(&account.user),
                    "audiences": account.audiences,
                }),
                Err(reason) => {
                    let known = "invalid bearer token";
                    let error = reason
                        .map_or_else(|| known.to_owned(), |reason| format!("[{known}, {reason}]"));
                    json!({ "user": {}, "error": error })
                }
            },
        )
    }
}

fn user_info(user: &User) -> Value {
    let mut info = json!({ "username": user.name, "groups": user.groups });
    if !user.uid.is_empty() {
        set(&mut info, "uid", user.uid.as_str());
    }
    if !user.extra.is_empty() {
        set(&mut info, "extra", json!(user.extra));
    }
    info
}

/// Returns the user that a review is about. Only the groups in the review count.
fn subject(target: &Target, spec: &Value) -> Result<User, ApiError> {
    let user = User {
        name: text(spec, "user").to_owned(),
        groups: texts(spec, "groups"),
        ..User::default()
    };
    if user.name.is_empty() && user.groups.is_empty() {
        let detail = "at least one of user or group must be specified";
        return Err(invalid(target, "spec.user", "\"\"", detail));
    }
    Ok(user)
}

fn stays_in_namespace(target: &Target, spec: &Value) -> Result<(), ApiError> {
    let namespace = spec
        .get("resourceAttributes")
        .map_or("", |resource| text(resource, "namespace"));
    if namespace == target.namespace {
        return Ok(());
    }
    let field = "spec.resourceAttributes.namespace";
    let detail = "must match metadata.namespace";
    Err(invalid(target, field, &format!("{namespace:?}"), detail))
}

fn has_no_metadata(target: &Target, review: &Members) -> Result<(), ApiError> {
    let metadata = review.get("metadata").and_then(Value::as_object);
    let unexpected: Map<String, Value> = metadata
        .into_iter()
        .flatten()
        .filter(|(field, _)| !matches!(field.as_str(), "namespace" | "managedFields"))
        .map(|(field, value)| (field.clone(), value.clone()))
        .collect();
    if unexpected.is_empty() {
        Ok(())
    } else {
        let found = Value::Object(unexpected).to_string();
        Err(invalid(target, "metadata", &found, "must be empty"))
    }
}

/// The real server's message omits the kind of a review.
fn invalid(target: &Target, field: &str, found: &str, detail: &str) -> ApiError {
    let mut nameless = (*target.resource).clone();
    nameless.kind.clear();
    let message = format!("Invalid value: {found}: {detail}");
    let cause = Cause::new("FieldValueInvalid", field.to_owned(), message);
    ApiError::invalid(&nameless, "", &[cause])
}

fn only(rule: &Value, members: &[&str]) -> Value {
    let found = members
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), rule.get(name)?.clone())));
    Value::Object(found.collect())
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

//! Errors as values.

use std::borrow::Cow;

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::named::Named;
use crate::document::set;

/// Why the server refused a request: what a client sees as a `Status` of kind `Failure`.
///
/// Displays as the message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct ApiError(Box<Parts>);

#[derive(Debug, Clone, PartialEq)]
struct Parts {
    code: StatusCode,
    reason: Cow<'static, str>,
    message: String,
    details: Map<String, Value>,
    continue_token: Option<String>,
    /// Has `details` even without any.
    generic: bool,
}

// === impl ApiError ===

impl ApiError {
    /// The HTTP status code.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.0.code.as_u16()
    }

    /// The machine-readable reason, for example `NotFound`; empty where the server gives none.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// The sentence for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub(crate) fn new(
        code: StatusCode,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(Parts {
            code,
            reason: reason.into(),
            message: message.into(),
            details: Map::new(),
            continue_token: None,
            generic: false,
        }))
    }

    pub(crate) fn status_code(&self) -> StatusCode {
        self.0.code
    }

    pub(crate) fn retry_after(&self) -> Option<u64> {
        self.0.details.get("retryAfterSeconds")?.as_u64()
    }

    /// Says once more, as a cause, what is wrong.
    pub(crate) fn with_cause(mut self, message: &str) -> Self {
        self.detail("causes", json!([{ "message": message }]));
        self
    }

    /// Says what is behind it: reasons that machines can read, and texts.
    pub(crate) fn with_causes(mut self, causes: &[(&str, &str)]) -> Self {
        let causes = causes
            .iter()
            .map(|(reason, message)| json!({ "reason": reason, "message": message }));
        self.detail("causes", causes.collect());
        self
    }

    pub(crate) fn with_retry_after(mut self, seconds: u32) -> Self {
        self.detail("retryAfterSeconds", seconds.into());
        self
    }

    /// The document that goes to the client.
    pub(crate) fn to_value(&self) -> Value {
        let Parts {
            code,
            reason,
            message,
            details,
            continue_token,
            generic,
        } = &*self.0;
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "code": code.as_u16(),
        });
        if let Some(token) = continue_token {
            set(&mut status, "metadata", json!({ "continue": token }));
        }
        if !reason.is_empty() {
            set(&mut status, "reason", json!(reason));
        }
        if !details.is_empty() || *generic {
            set(&mut status, "details", Value::Object(details.clone()));
        }
        status
    }

    pub(super) fn detail(&mut self, key: &str, value: Value) {
        self.0.details.insert(key.to_owned(), value);
    }

    /// Names the object that the error is about.
    pub(super) fn about(mut self, resource: &impl Named, name: &str) -> Self {
        if !name.is_empty() {
            self.detail("name", name.into());
        }
        if !resource.group().is_empty() {
            self.detail("group", resource.group().to_owned().into());
        }
        self.detail("kind", resource.plural().to_owned().into());
        self
    }

    pub(crate) fn not_found(resource: &impl Named, name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource.qualified());
        Self::new(StatusCode::NOT_FOUND, "NotFound", message).about(resource, name)
    }

    /// A path under a known group and version that names no resource of it.
    pub(crate) fn no_such_resource() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "NotFound",
            "the server could not find the requested resource",
        )
        .generic()
    }

    pub(crate) fn already_exists(resource: &impl Named, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", resource.qualified());
        Self::new(StatusCode::CONFLICT, "AlreadyExists", message).about(resource, name)
    }

    pub(crate) fn conflict(resource: &impl Named, name: &str, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} {name:?}: {why}",
            resource.qualified()
        );
        Self::new(StatusCode::CONFLICT, "Conflict", message).about(resource, name)
    }

    /// Somebody wrote the object between the caller's read and its write.
    pub(crate) fn modified(resource: &impl Named, name: &str) -> Self {
        Self::conflict(
            resource,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// Others own what an apply would change.
    #[cfg(feature = "openapi")]
    pub(crate) fn apply_conflict(conflicts: &crate::typed::Conflicts) -> Self {
        let mut error = Self::new(StatusCode::CONFLICT, "Conflict", conflicts.message());
        let causes: Vec<Value> = conflicts
            .iter()
            .map(|(message, field)| {
                json!({ "reason": "FieldManagerConflict", "message": message, "field": field })
            })
            .collect();
        error.detail("causes", causes.into());
        error
    }

    /// A delete names another object, or another version of it, than there is.
    pub(crate) fn precondition(resource: &impl Named, name: &str, why: &str) -> Self {
        let kind = resource.qualified_kind();
        let message = format!("Operation cannot be fulfilled on {kind} {name:?}: {why}");
        let error = Self::new(StatusCode::CONFLICT, "Conflict", message);
        let mut error = error.about(resource, name);
        error.detail("kind", resource.kind().to_owned().into());
        error
    }

    pub(crate) fn forbidden(resource: &impl Named, name: &str, why: &str) -> Self {
        Self::forbidden_named(resource.group(), resource.plural(), name, why)
    }

    /// As [`forbidden`](Self::forbidden), for what may not even be served: `plural` is what the
    /// resource is called.
    pub(crate) fn forbidden_named(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let what = if group.is_empty() {
            plural.to_owned()
        } else {
            format!("{plural}.{group}")
        };
        let message = if name.is_empty() {
            format!("{what} is forbidden: {why}")
        } else {
            format!("{what} {name:?} is forbidden: {why}")
        };
        let mut error = Self::new(StatusCode::FORBIDDEN, "Forbidden", message);
        for (field, value) in [("name", name), ("group", group)] {
            if !value.is_empty() {
                error.detail(field, value.into());
            }
        }
        error.detail("kind", plural.into());
        error
    }

    /// Made by the layer below resources: with details that say nothing.
    pub(crate) fn generic(mut self) -> Self {
        self.0.generic = true;
        self
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        )
        .generic()
    }

    /// As [`method_not_allowed`](Self::method_not_allowed), of a custom resource.
    pub(crate) fn not_supported(resource: &impl Named, verb: &str) -> Self {
        let message = format!(
            "{verb} is not supported on resources of kind {:?}",
            resource.qualified()
        );
        let code = StatusCode::METHOD_NOT_ALLOWED;
        Self::new(code, "MethodNotAllowed", message).about(resource, "")
    }

    pub(crate) fn not_acceptable(served: &str) -> Self {
        Self::new(
            StatusCode::NOT_ACCEPTABLE,
            "NotAcceptable",
            format!("only the following media types are accepted: {served}"),
        )
    }

    /// What is answered has no such form.
    pub(crate) fn not_acceptable_form(why: &str) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", why)
    }

    pub(crate) fn unsupported_media_type(message: impl Into<String>) -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UnsupportedMediaType",
            message,
        )
    }

    pub(crate) fn too_large(why: &str) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "RequestEntityTooLarge",
            format!("Request entity too large: {why}"),
        )
    }

    /// A request that was not complete in time.
    pub(crate) fn timeout() -> Self {
        Self::new(
            StatusCode::GATEWAY_TIMEOUT,
            "Timeout",
            "Timeout: request did not complete within the allotted timeout",
        )
        .generic()
    }

    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, "Expired", message)
    }

    /// A watch from a version that the event window no longer reaches.
    pub(crate) fn too_old(asked: u64, oldest: u64) -> Self {
        Self::expired(format!("too old resource version: {asked} ({oldest})"))
    }

    /// A continue token that is too old, with the one that goes on without consistency.
    pub(crate) fn continue_expired(inconsistent: String) -> Self {
        let mut error = Self::expired(
            "The provided continue parameter is too old to display a consistent list result. You \
             can start a new list without the continue parameter, or use the continue token in \
             this response to retrieve the remainder of the results. Continuing with the provided \
             token results in an inconsistent list - objects that were created, modified, or \
             deleted between the time the first chunk was returned and now may show up in the list.",
        );
        error.0.continue_token = Some(inconsistent);
        error
    }

    /// A resourceVersion that the server has not reached.
    pub(crate) fn too_large_resource_version(asked: u64, current: u64) -> Self {
        let mut error = Self::new(
            StatusCode::GATEWAY_TIMEOUT,
            "Timeout",
            format!("Timeout: Too large resource version: {asked}, current: {current}"),
        );
        error.detail(
            "causes",
            json!([{
                "reason": "ResourceVersionTooLarge",
                "message": "Too large resource version",
            }]),
        );
        error.with_retry_after(1)
    }
}

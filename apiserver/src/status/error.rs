//! Errors as values.

use std::borrow::Cow;

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::named::NamedResource;
use crate::document::set;

/// Error of a request that the server rejected. A client receives it as a `Status` of kind
/// `Failure`.
///
/// `Display` prints the message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct ApiError(Box<ErrorParts>);

#[derive(Debug, Clone, PartialEq)]
struct ErrorParts {
    code: StatusCode,
    reason: Cow<'static, str>,
    message: String,
    details: Map<String, Value>,
    continue_token: Option<String>,
    /// `true` if `details` is present even when it is empty.
    generic: bool,
}

// === impl ApiError ===

impl ApiError {
    /// Returns the HTTP status code.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.0.code.as_u16()
    }

    /// Returns the machine-readable reason, for example `NotFound`; empty if the server sends none.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// Returns the human-readable message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub(crate) fn new(
        code: StatusCode,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(ErrorParts {
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

    pub(crate) fn with_retry_after(mut self, seconds: u32) -> Self {
        self.detail("retryAfterSeconds", seconds.into());
        self
    }

    /// Returns the `Status` document for the client.
    pub(crate) fn to_value(&self) -> Value {
        let ErrorParts {
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

    /// Adds the details that identify the object.
    pub(super) fn about(mut self, resource: &impl NamedResource, name: &str) -> Self {
        if !name.is_empty() {
            self.detail("name", name.into());
        }
        if !resource.group().is_empty() {
            self.detail("group", resource.group().to_owned().into());
        }
        self.detail("kind", resource.plural().to_owned().into());
        self
    }

    pub(crate) fn not_found(resource: &impl NamedResource, name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource.qualified());
        Self::new(StatusCode::NOT_FOUND, "NotFound", message).about(resource, name)
    }

    /// Error of a path under a known group and version that names none of its resources.
    pub(crate) fn no_such_resource() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "NotFound",
            "the server could not find the requested resource",
        )
        .generic()
    }

    pub(crate) fn already_exists(resource: &impl NamedResource, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", resource.qualified());
        Self::new(StatusCode::CONFLICT, "AlreadyExists", message).about(resource, name)
    }

    pub(crate) fn conflict(resource: &impl NamedResource, name: &str, reason: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} {name:?}: {reason}",
            resource.qualified()
        );
        Self::new(StatusCode::CONFLICT, "Conflict", message).about(resource, name)
    }

    /// Error of a write whose resourceVersion is stale.
    pub(crate) fn modified(resource: &impl NamedResource, name: &str) -> Self {
        Self::conflict(
            resource,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// Error of an apply that would change fields of other managers.
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

    /// Error of a delete whose preconditions name another uid or resourceVersion.
    pub(crate) fn precondition(resource: &impl NamedResource, name: &str, reason: &str) -> Self {
        let kind = resource.qualified_kind();
        let message = format!("Operation cannot be fulfilled on {kind} {name:?}: {reason}");
        let error = Self::new(StatusCode::CONFLICT, "Conflict", message);
        let mut error = error.about(resource, name);
        error.detail("kind", resource.kind().to_owned().into());
        error
    }

    pub(crate) fn forbidden(resource: &impl NamedResource, name: &str, reason: &str) -> Self {
        Self::forbidden_named(resource.group(), resource.plural(), name, reason)
    }

    /// Creates the error of [`forbidden`](Self::forbidden) for a resource that may be unknown;
    /// `plural` is its name.
    pub(crate) fn forbidden_named(group: &str, plural: &str, name: &str, reason: &str) -> Self {
        let what = if group.is_empty() {
            plural.to_owned()
        } else {
            format!("{plural}.{group}")
        };
        let message = if name.is_empty() {
            format!("{what} is forbidden: {reason}")
        } else {
            format!("{what} {name:?} is forbidden: {reason}")
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

    /// Adds empty details, as the real server does for errors that arise below its resource layer.
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

    /// Creates the error of [`method_not_allowed`](Self::method_not_allowed) for a custom resource.
    pub(crate) fn not_supported(resource: &impl NamedResource, verb: &str) -> Self {
        let message = format!(
            "{verb} is not supported on resources of kind {:?}",
            resource.qualified()
        );
        let code = StatusCode::METHOD_NOT_ALLOWED;
        Self::new(code, "MethodNotAllowed", message).about(resource, "")
    }

    /// Error of a response that does not exist in the requested form.
    pub(crate) fn not_acceptable(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", reason)
    }

    pub(crate) fn unsupported_media_type(message: impl Into<String>) -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UnsupportedMediaType",
            message,
        )
    }

    pub(crate) fn too_large(reason: &str) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "RequestEntityTooLarge",
            format!("Request entity too large: {reason}"),
        )
    }

    /// Error of a request that was not complete in time.
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

    /// Error of a watch from a version that is older than the event window.
    pub(crate) fn too_old(asked: u64, oldest: u64) -> Self {
        Self::expired(format!("too old resource version: {asked} ({oldest})"))
    }

    /// Error of an expired continue token, with a token for the inconsistent remainder of the list.
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

    /// Error of a resourceVersion that the server has not reached.
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

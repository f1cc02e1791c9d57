//! Errors of well-formed requests that violate rules: 422 with a cause for each field, and similar
//! errors.

use http::StatusCode;
use serde_json::{Value, json};

use super::cause::FieldCause;
use super::error::ApiError;
use super::named::NamedResource;

impl ApiError {
    /// Error of the object `name` of `resource`.
    pub(crate) fn invalid(
        resource: &impl NamedResource,
        name: &str,
        causes: &[FieldCause],
    ) -> Self {
        let kind = resource.qualified_kind();
        let mut error = Self::invalid_kind(&kind, name, causes);
        error = error.about(resource, name);
        error.detail("kind", resource.kind().to_owned().into());
        error
    }

    /// Returns the error of [`invalid`](Self::invalid) if there is a cause.
    pub(crate) fn unless_valid(
        resource: &impl NamedResource,
        name: &str,
        causes: &[FieldCause],
    ) -> Result<(), Self> {
        match causes {
            [] => Ok(()),
            causes => Err(Self::invalid(resource, name, causes)),
        }
    }

    /// Error of the options of a request; `kind` is `DeleteOptions`, for example.
    pub(crate) fn invalid_options(kind: &str, causes: &[FieldCause]) -> Self {
        let mut error = Self::invalid_kind(&format!("{kind}.meta.k8s.io"), "", causes);
        error.detail("group", "meta.k8s.io".into());
        error.detail("kind", kind.into());
        error
    }

    /// Error of the `Scale` of the object `name`.
    pub(crate) fn invalid_scale(name: &str, causes: &[FieldCause]) -> Self {
        let mut error = Self::invalid_kind("Scale.autoscaling", name, causes);
        error.detail("name", name.into());
        error.detail("group", "autoscaling".into());
        error.detail("kind", "Scale".into());
        error
    }

    /// Error of a custom resource whose `kind` is another one.
    pub(crate) fn wrong_kind(resource: &impl NamedResource, kind: &str, name: &str) -> Self {
        let message = format!("Invalid value: {kind:?}: must be {}", resource.kind());
        let cause = FieldCause::new("FieldValueInvalid", "kind".to_owned(), message);
        let mut error = Self::invalid_kind(&format!("{kind}.{}", resource.group()), name, &[cause]);
        error = error.about(resource, name);
        error.detail("kind", kind.into());
        error
    }

    /// Error of a document for the object `name` that has no name.
    pub(crate) fn no_name(name: &str) -> Self {
        Self::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))
    }

    /// Error of a document for the object `name` that has another name.
    pub(crate) fn wrong_name(given: &str, name: &str) -> Self {
        Self::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({name})"
        ))
    }

    /// Error of an update without a resourceVersion, of a custom resource and of some built-in
    /// kinds.
    pub(crate) fn version_required(resource: &impl NamedResource, name: &str) -> Self {
        let detail = "Invalid value: 0: must be specified for an update".to_owned();
        let field = "metadata.resourceVersion".to_owned();
        let cause = FieldCause::new("FieldValueInvalid", field, detail);
        // Of all errors with this reason, only this one names the resource in place of the kind.
        Self::invalid_kind(&resource.qualified(), name, &[cause]).about(resource, name)
    }

    /// Error of a patch whose document cannot be decoded.
    pub(crate) fn invalid_patch(document: &Value, reason: &Self) -> Self {
        let cause = FieldCause::invalid("patch", &document.to_string(), reason.message());
        Self::invalid_kind("", "", &[cause])
    }

    /// Error of a JSON patch that cannot be applied.
    pub(crate) fn rejected() -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Invalid",
            "the server rejected our request due to an error in our request",
        )
        .generic()
    }

    fn invalid_kind(kind: &str, name: &str, causes: &[FieldCause]) -> Self {
        let lines: Vec<String> = causes.iter().map(ToString::to_string).collect();
        let what = match lines.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let mut error = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Invalid",
            format!("{kind} {name:?} is invalid: {what}"),
        );
        let mut documents = Vec::new();
        for cause in causes {
            documents.push(json!({
                "reason": cause.reason,
                "message": cause.message,
                "field": cause.field,
            }));
        }
        error.detail("causes", documents.into());
        error
    }
}

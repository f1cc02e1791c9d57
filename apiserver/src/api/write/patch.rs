//! Patches: JSON merge patch, JSON patch and, for built-in kinds, strategic merge patch.

use informer_manifest::Place;
use serde_json::{Value, json};

use super::decode::{metadata_mut, strict, unknown_field, unknown_fields};
use super::json_patch::{self, Failure, MAX_OPERATIONS};
use super::options::WriteOptions;
use super::strategic;
use super::update::Given;
use crate::document::{MAX_DEPTH, is_too_deep, metadata_str};
use crate::document::{json_type, set};
use crate::registry::target::RequestTarget;
use crate::status::{ApiError, FieldCause};
use crate::store::Stored;

/// Content type of server-side apply.
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

/// A decoded patch.
#[derive(Debug)]
pub(crate) enum Patch {
    /// `application/merge-patch+json`
    Merge(Value),
    /// `application/strategic-merge-patch+json`
    Strategic(Value),
    /// `application/json-patch+json`
    Json(Vec<Value>),
    /// `application/apply-patch+yaml`
    Apply(Value),
}

/// A patched object, decoded.
#[derive(Debug)]
pub(crate) struct Patched {
    pub(crate) given: Given,
    /// Fields that the kind does not have.
    unknown: Vec<String>,
}

/// Decodes a YAML document, as kubectl reads it. No document is null.
fn yaml(body: &[u8]) -> Result<Value, String> {
    let text = informer_manifest::decode(body.to_vec()).map_err(|error| error.to_string())?;
    let documents = informer_manifest::parse(&text).map_err(|error| {
        let Place { line, column } = error.at;
        format!("{error} at line {line}, column {column}")
    })?;
    Ok(documents.into_iter().next().unwrap_or_default())
}

// === impl Patch ===

impl Patch {
    /// Rejects a content type that is not a patch. As in the real server, strategic merge patches
    /// apply to built-in kinds only.
    pub(crate) fn check(media_type: &str, custom: bool) -> Result<(), ApiError> {
        let built_in = [
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            APPLY,
        ];
        let mut accepted = built_in.to_vec();
        if custom {
            accepted.retain(|known| !known.contains("strategic"));
        }
        if accepted.contains(&media_type) {
            return Ok(());
        }
        Err(ApiError::unsupported_media_type(format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            accepted.join(", ")
        )))
    }

    /// Decodes a patch of a content type that [`check`](Self::check) has accepted.
    pub(crate) fn parse(media_type: &str, body: &[u8]) -> Result<Self, ApiError> {
        let malformed = |error: &dyn std::fmt::Display| {
            ApiError::bad_request(format!("error decoding patch: {error}"))
        };
        let json = || -> Result<Value, ApiError> {
            serde_json::from_slice(body).map_err(|error| malformed(&error))
        };
        match media_type {
            "application/merge-patch+json" => json().map(Self::Merge),
            "application/strategic-merge-patch+json" => json().map(Self::Strategic),
            // JSON is parsed first: most clients send it, although it is YAML as well.
            APPLY => json()
                .or_else(|_| yaml(body).map_err(|error| malformed(&error)))
                .and_then(Self::applied),
            _ => json().and_then(Self::of_operations),
        }
    }

    fn applied(document: Value) -> Result<Self, ApiError> {
        if document.is_null() {
            return Ok(Self::Apply(json!({})));
        }
        if document.is_object() {
            return Ok(Self::Apply(document));
        }
        Err(ApiError::bad_request(format!(
            "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot \
             unmarshal {} into Go value of type map[string]interface {{}}",
            json_type(&document)
        )))
    }

    fn of_operations(document: Value) -> Result<Self, ApiError> {
        if let Value::Array(operations) = document
            && operations.iter().all(is_operation)
        {
            return Ok(Self::Json(operations));
        }
        Err(ApiError::bad_request(
            "error decoding patch: json: cannot unmarshal into Go value of type \
             jsonpatch.Patch",
        ))
    }

    /// Reports whether a merge patch contains the first member of the path `field`.
    fn contains(&self, field: &str) -> bool {
        let first = field.split(['.', '[']).next().unwrap_or_default();
        match self {
            Self::Merge(patch) | Self::Strategic(patch) => patch.get(first).is_some(),
            Self::Json(_) => false,
            Self::Apply(document) => document.get(first).is_some(),
        }
    }

    pub(crate) fn apply(
        &self,
        target: &RequestTarget,
        document: &mut Value,
    ) -> Result<(), ApiError> {
        match self {
            Self::Merge(patch) => {
                if !patch.is_object() {
                    return Err(ApiError::bad_request("a merge patch must be a JSON object"));
                }
                json_patch::merge(document, patch);
                Ok(())
            }
            Self::Strategic(patch) => {
                let kind = document.get("kind").cloned();
                let api_version = document.get("apiVersion").cloned();
                strategic::apply(document, patch, target.model())?;
                // The path determines the type; a patch cannot change it.
                if let Some(kind) = kind {
                    set(document, "kind", kind);
                }
                if let Some(api_version) = api_version {
                    set(document, "apiVersion", api_version);
                }
                Ok(())
            }
            // `apply` merges it by field ownership, which needs more than the document.
            Self::Apply(_) => Err(ApiError::method_not_allowed()),
            Self::Json(patch) => apply_operations(patch, target, document),
        }
    }
}

/// Reports whether a JSON patch may contain `value`. An unknown operation fails when it is applied.
fn is_operation(value: &Value) -> bool {
    if !value.is_object() && !value.is_null() {
        return false;
    }
    for field in ["op", "path", "from"] {
        match value.get(field) {
            None | Some(Value::Null | Value::String(_)) => {}
            Some(_) => return false,
        }
    }
    true
}

/// Applies a JSON patch, unless the document would become larger than the limits allow.
fn apply_operations(
    operations: &[Value],
    target: &RequestTarget,
    document: &mut Value,
) -> Result<(), ApiError> {
    if operations.len() > MAX_OPERATIONS {
        return Err(ApiError::too_large(&format!(
            "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    json_patch::apply(document, operations, MAX_DEPTH).map_err(|error| {
        tracing::debug!(name = %target.name, %error, "JSON patch does not apply");
        match error {
            Failure::TooDeep => nested_too_deeply(),
            Failure::Rejected(_) => ApiError::rejected(),
        }
    })
}

fn nested_too_deeply() -> ApiError {
    ApiError::bad_request("the patched object is nested too deeply")
}

// === impl Patched ===

impl Patched {
    /// Applies `patch` to `current`, the object (or its status) that `target` names.
    ///
    /// Pure, so that the caller holds no lock meanwhile. A resourceVersion or uid that the patch
    /// sets is a precondition. Unknown fields are looked for if `validates`, and rejected if `is_strict`;
    /// those that are stored already are not the patch's error.
    pub(crate) fn new(
        patch: &Patch,
        target: &RequestTarget,
        current: &Stored,
        validates: bool,
        is_strict: bool,
    ) -> Result<Self, ApiError> {
        let mut document = target.document_of(current);
        let unknown_in = |document: &Value| {
            if validates {
                unknown_fields(target, document)
            } else {
                Vec::new()
            }
        };
        let known = unknown_in(&document);
        patch.apply(target, &mut document)?;
        if is_too_deep(&document) {
            return Err(nested_too_deeply());
        }
        let mut unknown = unknown_in(&document);
        // Built-in kinds keep unknown fields, so a known one may be part of the patch again.
        unknown.retain(|path| !known.contains(path) || patch.contains(path));
        if is_strict && !unknown.is_empty() {
            return Err(ApiError::invalid_patch(
                &document,
                &strict(target, &unknown),
            ));
        }
        let mut given = Given::decode(target, document.clone(), WriteOptions::default())
            .map_err(|error| ApiError::invalid_patch(&document, &error))?;
        let requested = metadata_str(&given.members, "uid");
        if !matches!(requested, "" | "0") && requested != current.uid() {
            let cause = FieldCause::invalid("metadata.uid", requested, "field is immutable");
            return Err(ApiError::invalid(&target.resource, &target.name, &[cause]));
        }
        // A patch that removes the version requests no check; the current version has the same
        // effect. Kinds that require a version in an update keep it missing.
        if !target.resource.rules.put_needs_version {
            metadata_mut(&mut given.members)?
                .entry("resourceVersion")
                .or_insert_with(|| current.revision.to_string().into());
        }
        Ok(Self { given, unknown })
    }

    /// Returns a warning for each unknown field.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        self.unknown.iter().map(|path| unknown_field(path))
    }
}

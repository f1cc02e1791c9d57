//! Patching: JSON merge patch, JSON patch and, for built-in kinds, strategic merge patch.

use serde_json::{Value, json};

use super::decode::{members_of, unknown_field, unknown_fields};
use super::json_patch::{self, Failure, MAX_OPERATIONS};
use super::options::WriteOptions;
use super::strategic;
use crate::document::set;
use crate::document::{MAX_DEPTH, is_too_deep, metadata_str};
use crate::registry::target::Target;
use crate::status::{ApiError, Cause};
use crate::store::Stored;

/// The content type of what is applied.
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
    #[cfg(feature = "openapi")]
    Apply(Value),
}

/// An object with a patch applied, before it is stored.
#[derive(Debug)]
pub(crate) struct Patched {
    pub(crate) document: Value,
    /// Whether to refuse unknown fields of it.
    pub(crate) strict: bool,
    /// Texts about unknown fields that the patch gives.
    pub(crate) warnings: Vec<String>,
}

// === impl Patch ===

impl Patch {
    /// Refuses a content type that is none of a patch. Strategic merge patches are for built-in kinds
    /// alone, as in the real server.
    pub(crate) fn check(media_type: &str, custom: bool) -> Result<(), ApiError> {
        let built_in = [
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            APPLY,
        ];
        let known = built_in
            .into_iter()
            .filter(|known| !custom || !known.contains("strategic"));
        if media_type == APPLY && cfg!(not(feature = "openapi")) {
            return Err(ApiError::unsupported_media_type(
                "server-side apply needs the feature `openapi` of informer-apiserver",
            ));
        }
        if known.clone().any(|known| known == media_type) {
            return Ok(());
        }
        Err(ApiError::unsupported_media_type(format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            known.collect::<Vec<_>>().join(", ")
        )))
    }

    /// Decodes by content type, which [`check`](Self::check) has seen.
    pub(crate) fn parse(media_type: &str, body: &[u8]) -> Result<Self, ApiError> {
        let malformed = |error: &dyn std::fmt::Display| {
            ApiError::bad_request(format!("error decoding patch: {error}"))
        };
        let json = || serde_json::from_slice(body).map_err(|error| malformed(&error));
        match media_type {
            "application/merge-patch+json" => json().map(Self::Merge),
            "application/strategic-merge-patch+json" => json().map(Self::Strategic),
            #[cfg(feature = "openapi")]
            APPLY => {
                let document: Value = match json() {
                    Ok(document) => document,
                    // JSON is YAML, and what most clients send.
                    Err(_) => serde_saphyr::from_slice(body).map_err(|error| malformed(&error))?,
                };
                if document.is_object() {
                    return Ok(Self::Apply(document));
                }
                if document.is_null() {
                    return Ok(Self::Apply(json!({})));
                }
                Err(malformed(&format!(
                    "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into \
                     Go value of type map[string]interface {{}}",
                    super::metadata::kind_of(&document)
                )))
            }
            _ => {
                // An operation that is none of those known is like one that fails.
                let is_text = |value: Option<&Value>| {
                    value.is_none_or(|value| value.is_string() || value.is_null())
                };
                let is_operation = |value: &Value| {
                    let is_object = value.is_object() || value.is_null();
                    is_object
                        && ["op", "path", "from"]
                            .iter()
                            .all(|name| is_text(value.get(name)))
                };
                let document = json()?;
                if let Value::Array(list) = &document
                    && list.iter().all(is_operation)
                {
                    return Ok(Self::Json(list.clone()));
                }
                Err(ApiError::bad_request(
                    "error decoding patch: json: cannot unmarshal into Go value of type \
                     jsonpatch.Patch",
                ))
            }
        }
    }

    /// Whether a merge gives something within the member that `field`, a path, begins with.
    fn gives(&self, field: &str) -> bool {
        let first = field.split(['.', '[']).next().unwrap_or_default();
        match self {
            Self::Merge(patch) | Self::Strategic(patch) => patch.get(first).is_some(),
            Self::Json(_) => false,
            #[cfg(feature = "openapi")]
            Self::Apply(document) => document.get(first).is_some(),
        }
    }

    pub(crate) fn apply(&self, target: &Target, document: &mut Value) -> Result<(), ApiError> {
        match self {
            Self::Merge(patch) => {
                if !patch.is_object() {
                    return Err(ApiError::bad_request("a merge patch must be a JSON object"));
                }
                json_patch::merge(document, patch);
                Ok(())
            }
            Self::Strategic(patch) => {
                let named =
                    ["kind", "apiVersion"].map(|field| (field, document.get(field).cloned()));
                strategic::apply(document, patch)?;
                // What it is of is known from the path; a patch cannot say otherwise.
                for (field, value) in named {
                    if let Some(value) = value {
                        set(document, field, value);
                    }
                }
                Ok(())
            }
            // It is not for what is encoded, but for what is owned.
            #[cfg(feature = "openapi")]
            Self::Apply(_) => Err(ApiError::method_not_allowed()),
            Self::Json(patch) => apply_operations(patch, target, document),
        }
    }
}

/// Applies a JSON patch, unless the document would grow beyond what can be stored.
fn apply_operations(
    operations: &[Value],
    target: &Target,
    document: &mut Value,
) -> Result<(), ApiError> {
    if operations.len() > MAX_OPERATIONS {
        return Err(ApiError::too_large(&format!(
            "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    json_patch::apply(document, operations, MAX_DEPTH).map_err(|why| {
        tracing::debug!(name = %target.name, %why, "JSON patch does not apply");
        match why {
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
    /// Pure, so that no lock is held for as long as a patch takes. A resourceVersion or uid that the
    /// patch sets is a precondition.
    pub(crate) fn new(
        patch: &Patch,
        target: &Target,
        current: &Stored,
        mut options: WriteOptions<'_>,
        warns: bool,
    ) -> Result<Self, ApiError> {
        let mut document = target.document_of(current);
        // Unknown fields that are stored already are no fault of the patch.
        options.strict = options.strict && members_of(target, document.clone(), options).is_ok();
        let known = warns.then(|| unknown_fields(target, &document));
        patch.apply(target, &mut document)?;
        if is_too_deep(&document) {
            return Err(nested_too_deeply());
        }
        let decoded = members_of(target, document.clone(), options)
            .map_err(|error| ApiError::invalid_patch(&document, &error))?;
        let mut warnings = Vec::new();
        if let Some(known) = known {
            let mut unknown = unknown_fields(target, &document);
            // Built-in kinds keep what they do not know: it may be the patch's all the same.
            unknown.retain(|path| !known.contains(path) || patch.gives(path));
            warnings.extend(unknown.iter().map(|path| unknown_field(path)));
        }
        let wanted = metadata_str(&decoded, "uid");
        if !matches!(wanted, "" | "0") && wanted != current.uid() {
            let cause = Cause::invalid("metadata.uid", wanted, "field is immutable");
            return Err(ApiError::invalid(&target.resource, &target.name, &[cause]));
        }
        // A patch that removes the version asks for no check, which is what the current one does,
        // unless an update has to say its version.
        if !target.resource.rules.put_needs_version
            && let Some(Value::Object(metadata)) = document.get_mut("metadata")
        {
            metadata
                .entry("resourceVersion")
                .or_insert_with(|| json!(current.revision.to_string()));
        }
        Ok(Self {
            document,
            strict: options.strict,
            warnings,
        })
    }
}

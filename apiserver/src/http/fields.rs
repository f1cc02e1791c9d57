//! Field validation, and the warnings of a write.

use serde_json::Value;

use super::call::Call;
use super::call::parsed;
use crate::api::write::{WriteOptions, members_of, not_strict, unknown_field, unknown_fields};
use crate::registry::Resource;
use crate::registry::target::Target;
use crate::status::ApiError;
use crate::store::Stored;

/// Finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["foregroundDeletion", "kubernetes", "orphan"];

/// Treatment of unknown and duplicate fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldValidation {
    Ignore,
    /// Warn the client. This is the default.
    Warn,
    /// Reject the write.
    Strict,
}

// === impl FieldValidation ===

impl FieldValidation {
    /// Returns the validation that `call` requests. The check of the options rejects unknown
    /// values.
    pub(super) fn of(call: &Call) -> Self {
        match call.query.get("fieldValidation") {
            "Ignore" => Self::Ignore,
            "Strict" => Self::Strict,
            _ => Self::Warn,
        }
    }
}

/// Returns the object of a create or an update, and warns about its unknown and duplicate fields.
pub(super) fn object_of(
    target: &Target,
    call: &Call,
    warnings: &mut Vec<String>,
) -> Result<Value, ApiError> {
    let (document, duplicates) = parsed(call)?;
    let validation = FieldValidation::of(call);
    // Without duplicates, the write itself rejects unknown fields after it has checked the whole
    // object.
    let is_refused = validation == FieldValidation::Strict && !duplicates.is_empty();
    if validation != FieldValidation::Warn && !is_refused {
        return Ok(document);
    }
    let mut found: Vec<String> = duplicates
        .iter()
        .map(|path| format!("duplicate field {path:?}"))
        .collect();
    let unknown = unknown_fields(target, &document);
    found.extend(unknown.iter().map(|path| unknown_field(path)));
    if !found.is_empty()
        && let Err(error) = members_of(target, document.clone(), WriteOptions::default())
    {
        // An object that cannot be decoded is rejected for that reason. Only custom resources are
        // decoded before their type is checked.
        found.truncate(duplicates.len());
        warnings.extend(
            found
                .drain(..)
                .filter(|_| target.resource.custom && !is_refused),
        );
        return Err(error);
    }
    if is_refused {
        return Err(not_strict(target, &found));
    }
    warnings.extend(found);
    Ok(document)
}

/// Adds the real server's warnings about the names of new finalizers in a custom resource.
pub(super) fn warn_of_finalizers(
    resource: &Resource,
    before: Option<&Stored>,
    after: &Stored,
    warnings: &mut Vec<String>,
) {
    if !resource.custom {
        return;
    }
    let is_known = |name: &str| {
        name.contains('/')
            || STANDARD_FINALIZERS.contains(&name)
            || before.is_some_and(|before| before.finalizers().any(|known| known == name))
    };
    let mut new: Vec<&str> = after.finalizers().filter(|name| !is_known(name)).collect();
    new.sort_unstable();
    warnings.extend(new.iter().map(|name| {
        let path = if name.contains('.') {
            " including a path (/)"
        } else {
            ""
        };
        format!(
            "metadata.finalizers: {name:?}: prefer a domain-qualified finalizer name{path} to avoid \
             accidental conflicts with other finalizer writers"
        )
    }));
}

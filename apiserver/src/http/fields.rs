//! Validation of fields that the kind does not have (`fieldValidation`).

use serde_json::Value;

use super::call::{HttpCall, json_document};
use crate::api::write::{WriteOptions, members_of, unknown_field, unknown_fields};
use crate::registry::target::RequestTarget;
use crate::status::ApiError;

/// Reaction to unknown fields of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldValidation {
    Ignore,
    Warn,
    Strict,
}

// === impl FieldValidation ===

impl FieldValidation {
    /// Returns the requested reaction; a warning by default.
    pub(super) fn of(call: &HttpCall) -> Self {
        match call.query.get("fieldValidation") {
            "Ignore" => Self::Ignore,
            "Strict" => Self::Strict,
            _ => Self::Warn,
        }
    }
}

/// Returns the object of a create or an update, and adds a warning for each unknown field.
pub(super) fn object_of(
    target: &RequestTarget,
    call: &HttpCall,
    warnings: &mut Vec<String>,
) -> Result<Value, ApiError> {
    let document = json_document(call)?;
    if FieldValidation::of(call) == FieldValidation::Warn {
        let unknown = unknown_fields(target, &document);
        if !unknown.is_empty() {
            // A document that cannot be decoded is rejected without these warnings.
            members_of(target, document.clone(), WriteOptions::default())?;
        }
        warnings.extend(unknown.iter().map(|path| unknown_field(path)));
    }
    Ok(document)
}

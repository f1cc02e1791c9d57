//! Errors of single fields.

use std::borrow::Cow;
use std::fmt;

/// One invalid field of an object, for [`ApiError::invalid`].
#[derive(Debug)]
pub(crate) struct FieldCause {
    pub(super) reason: &'static str,
    pub(super) field: Cow<'static, str>,
    pub(super) message: String,
}

// === impl FieldCause ===

impl FieldCause {
    /// Creates a cause with any reason and message.
    pub(crate) fn new(reason: &'static str, field: String, message: String) -> Self {
        Self {
            reason,
            field: field.into(),
            message,
        }
    }

    pub(crate) fn required(field: &'static str, detail: &str) -> Self {
        Self {
            reason: "FieldValueRequired",
            field: field.into(),
            message: format!("Required value: {detail}"),
        }
    }

    pub(crate) fn forbidden(field: &'static str, detail: &str) -> Self {
        Self {
            reason: "FieldValueForbidden",
            field: field.into(),
            message: format!("Forbidden: {detail}"),
        }
    }

    pub(crate) fn invalid(field: &'static str, value: &str, detail: &str) -> Self {
        Self {
            reason: "FieldValueInvalid",
            field: field.into(),
            message: format!("Invalid value: {value:?}: {detail}"),
        }
    }

    /// Creates the cause that [`not_supported`](Self::not_supported) creates, for a list with one
    /// value.
    pub(crate) fn not_supported_list(field: &'static str, value: &str, supported: &str) -> Self {
        Self {
            reason: "FieldValueNotSupported",
            field: field.into(),
            message: format!("Unsupported value: [{value:?}]: supported values: {supported:?}"),
        }
    }

    pub(crate) fn not_supported(field: &'static str, value: &str, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|s| format!("{s:?}")).collect();
        Self {
            reason: "FieldValueNotSupported",
            field: field.into(),
            message: format!(
                "Unsupported value: {value:?}: supported values: {}",
                supported.join(", ")
            ),
        }
    }
}

impl fmt::Display for FieldCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

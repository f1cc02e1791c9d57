//! Error of a text.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::node::Place;

/// Error of a text that is neither YAML nor JSON, or of a document that is not of the requested
/// type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// Position. Its line is 0 if the position is unknown.
    pub at: Place,
    /// Reason, without the position.
    pub message: String,
}

// === impl ParseError ===

impl ParseError {
    pub(crate) fn new(at: Place, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }

    /// Sets the position, unless it is known already.
    pub(crate) fn or_at(mut self, at: Place) -> Self {
        if self.at.line == 0 {
            self.at = at;
        }
        self
    }
}

impl de::Error for ParseError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Place::default(), message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = if unexpected == Unexpected::Unit {
            Unexpected::Other("null")
        } else {
            unexpected
        };
        Self::custom(format_args!("invalid type: {found}, expected {expected}"))
    }
}

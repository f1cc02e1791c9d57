//! [`Error`]: the error of a text that does not decode, with its path.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

/// Error of a text that is not a value of its type.
///
/// The content is boxed to keep results small.
#[derive(Debug)]
pub(in crate::wire::decode) struct Error(Box<Reason>);

#[derive(Debug)]
struct Reason {
    /// `None` for a text that is not JSON.
    message: Option<String>,
    /// From the innermost step to the outermost one.
    path: Vec<PathSegment>,
}

/// A step from a value into one of its parts.
#[derive(Debug, Clone, Copy)]
pub(super) enum PathSegment {
    /// Into an element of an array.
    Element(usize),
    /// Into a member of an object; holds the offset of the opening quote of its key.
    Member(usize),
}

// === impl Error ===

impl Error {
    /// Returns the error of a text that is not JSON.
    pub(super) fn malformed() -> Self {
        Self::new(None)
    }

    fn new(message: Option<String>) -> Self {
        let path = Vec::new();
        Self(Box::new(Reason { message, path }))
    }

    /// Adds the step that leads from the containing value to the value of this error.
    #[cold]
    pub(super) fn enter(&mut self, step: PathSegment) {
        self.0.path.push(step);
    }

    /// Returns the message, which may quote the text; `None` if the text is not JSON.
    pub(in crate::wire::decode) fn message(&self) -> Option<&str> {
        self.0.message.as_deref()
    }

    /// Returns the path to the invalid value, such as `spec.containers[0].ports`; `.` for the whole
    /// text.
    pub(in crate::wire::decode) fn path(&self, text: &[u8]) -> String {
        let mut path = String::new();
        for step in self.0.path.iter().rev() {
            match *step {
                PathSegment::Element(index) => path.extend(["[", &index.to_string(), "]"]),
                PathSegment::Member(key) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&string_at(text, key).unwrap_or_else(|| "?".to_owned()));
                }
            }
        }
        if path.is_empty() {
            path.push('.');
        }
        path
    }
}

/// Returns the string whose opening quote is at this offset.
fn string_at(text: &[u8], quote: usize) -> Option<String> {
    let strings = serde_json::Deserializer::from_slice(text.get(quote..)?);
    strings.into_iter::<String>().next()?.ok()
}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Some(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        if found == Unexpected::Unit {
            // JSON's term for unit.
            return Self::custom(format_args!("invalid type: null, expected {expected}"));
        }
        Self::custom(format_args!("invalid type: {found}, expected {expected}"))
    }
}

impl From<serde_json::Error> for Error {
    /// Converts the error of a number that `serde_json` parsed.
    fn from(error: serde_json::Error) -> Self {
        if !error.is_data() {
            return Self::malformed();
        }
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&place).unwrap_or(&message);
        Self::new(Some(message.to_owned()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message().unwrap_or("malformed JSON"))
    }
}

impl std::error::Error for Error {}

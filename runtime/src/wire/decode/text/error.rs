//! [`Error`]: why a text does not decode, and where in it.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

/// A text that is no value of its type.
///
/// Boxed, so that a result is no larger for it.
#[derive(Debug)]
pub(in crate::wire::decode) struct Error(Box<Reason>);

#[derive(Debug)]
struct Reason {
    /// `None` for a text that is not JSON.
    message: Option<String>,
    /// From the inside out.
    path: Vec<Step>,
}

/// A step from a value into one of its parts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Into an element of an array.
    Element(usize),
    /// Into a member of an object: the offset of its key's opening quote.
    Member(usize),
}

// === impl Error ===

impl Error {
    /// The text is not JSON.
    pub(super) fn malformed() -> Self {
        Self::new(None)
    }

    fn new(message: Option<String>) -> Self {
        let path = Vec::new();
        Self(Box::new(Reason { message, path }))
    }

    /// Returns the error as one of the value that this step starts from.
    #[cold]
    pub(super) fn behind(mut self, step: Step) -> Self {
        self.0.path.push(step);
        self
    }

    /// Returns what is wrong, which may quote the text; `None` if the text is not JSON.
    pub(in crate::wire::decode) fn message(&self) -> Option<&str> {
        self.0.message.as_deref()
    }

    /// Returns the path to the value that is wrong, as in `spec.containers[0].ports`; `.` for the
    /// whole text.
    pub(in crate::wire::decode) fn path(&self, text: &[u8]) -> String {
        let mut path = String::new();
        for step in self.0.path.iter().rev() {
            match *step {
                Step::Element(index) => path.extend(["[", &index.to_string(), "]"]),
                Step::Member(key) => {
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
            // JSON's name for it.
            return Self::custom(format_args!("invalid type: null, expected {expected}"));
        }
        Self::custom(format_args!("invalid type: {found}, expected {expected}"))
    }
}

impl From<serde_json::Error> for Error {
    /// Of a number, which `serde_json` reads.
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

//! Segments of a path, and the error of a text that is not one.

use std::fmt;
use std::ops::Range;

/// Spelling of the field names in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Names of the fields in JSON.
    Json,
    /// Names of the fields in Rust.
    Rust,
}

/// Segment of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Field of an object.
    Field(Name),
    /// Key of a map.
    Key(Name),
}

/// Name in a path, with its position in the path's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Name without `r#` and without quotes.
    pub text: String,
    /// Byte range in the path's text.
    pub at: Range<usize>,
}

/// Error of a text that is not a path, or of a path that does not resolve. The message says what to
/// write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// Byte range of the wrong part of the path's text.
    pub at: Range<usize>,
    reason: String,
}

/// Displays a path in canonical form, in which all keys without single quotes have these quotes.
#[derive(Clone, Copy, Debug)]
pub struct Canonical<'a>(pub &'a [Segment]);

// === impl Segment ===

impl Segment {
    /// Returns the name of the field or key.
    #[must_use]
    pub fn name(&self) -> &Name {
        match self {
            Self::Field(name) | Self::Key(name) => name,
        }
    }

    /// Returns the text of the name.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.name().text
    }

    /// Reports whether the segment is a key.
    #[must_use]
    pub fn is_key(&self) -> bool {
        matches!(self, Self::Key(_))
    }
}

impl fmt::Display for Canonical<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if position == 0 => f.write_str(&name.text)?,
                Segment::Field(name) => write!(f, ".{}", name.text)?,
                Segment::Key(key) if key.text.contains('\'') => write!(f, "[\"{}\"]", key.text)?,
                Segment::Key(key) => write!(f, "['{}']", key.text)?,
            }
        }
        Ok(())
    }
}

// === impl PathError ===

impl PathError {
    pub(super) fn new(at: Range<usize>, reason: impl Into<String>) -> Self {
        Self {
            at,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for PathError {}

/// Reports whether a label or annotation with this key can be indexed.
#[must_use]
pub fn is_entry_key(key: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    key.contains(|letter: char| letter.is_ascii_alphanumeric()) && key.chars().all(allowed)
}

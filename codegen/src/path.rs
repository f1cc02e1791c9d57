//! The grammar of index paths, and where they lead.
//!
//! `spec.nodeName` and `metadata.labels['app']` as JSON spells them, `spec.node_name` and
//! `metadata.labels["app"]` as Rust does. Neither spelling is guessed from the other.

mod grammar;
mod metadata;

use std::fmt;
use std::ops::Range;

pub use self::grammar::parse;
pub use self::metadata::{Metadata, metadata};

/// How the names of fields in a path are spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// By the names in JSON.
    Json,
    /// By the names of the fields in Rust.
    Rust,
}

/// One segment of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// The field of an object.
    Field(Name),
    /// The key of a map.
    Key(Name),
}

/// A name in a path, and where in its text it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name, without `r#` and without quotes.
    pub text: String,
    /// The bytes of the path's text.
    pub at: Range<usize>,
}

/// Says that a text is no path, or that a path leads nowhere; and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// The bytes of the path's text that are wrong.
    pub at: Range<usize>,
    reason: String,
}

/// The text of a path, which two ways to quote its keys share.
#[derive(Clone, Copy, Debug)]
pub struct Canonical<'a>(pub &'a [Segment]);

// === impl Segment ===

impl Segment {
    /// The name, of whatever it is.
    #[must_use]
    pub fn name(&self) -> &Name {
        match self {
            Self::Field(name) | Self::Key(name) => name,
        }
    }

    /// The text of the name.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.name().text
    }

    /// Whether it is a key.
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
                Segment::Key(key) => write!(f, "['{}']", key.text)?,
            }
        }
        Ok(())
    }
}

// === impl PathError ===

impl PathError {
    fn new(at: Range<usize>, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { at, reason }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for PathError {}

/// Returns whether an index can be over a label or an annotation of this key.
#[must_use]
pub fn is_entry_key(key: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    key.contains(|letter: char| letter.is_ascii_alphanumeric()) && key.chars().all(allowed)
}

#[cfg(test)]
mod tests;

//! [`FieldPath`]: the path of a field, as in `spec.containers[*].image`.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

/// Path from an object to one of its fields, by the JSON names of the fields.
///
/// Names are separated by dots; map keys are quoted, in brackets. A path passes through arrays
/// implicitly, as in `#[informer(index = "..")]`; an explicit `[*]` is allowed. A path must end
/// with a name or a map key.
///
/// Two spellings of one path are equal. A path prints as it was written, without `[*]`.
///
/// # Examples
///
/// ```
/// # use informer_wire::wire::FieldPath;
///
/// let image: FieldPath = "spec.containers[*].image".parse()?;
/// assert_eq!(image, "spec.containers.image".parse()?);
/// let app: FieldPath = "metadata.labels['app.kubernetes.io/name']".parse()?;
/// assert_eq!(app.names().last(), Some("app.kubernetes.io/name"));
/// # Ok::<(), informer_wire::wire::FieldPathError>(())
/// ```
#[derive(Clone)]
pub struct FieldPath {
    /// At least one name.
    names: Arc<[Box<str>]>,
    text: Arc<str>,
}

/// Error of a text that is not the path of a field. The message states the correct form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {reason}")]
pub struct FieldPathError {
    path: String,
    reason: String,
}

// === impl FieldPath ===

impl FieldPath {
    /// Returns the names along the path, starting at the object; at least one.
    #[must_use]
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Returns the path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns `true` if `other` is this field, or a field inside it.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.names.starts_with(&self.names)
    }

    /// Returns the key of the label that this is the path of, if it is the path of a label.
    #[doc(hidden)]
    #[must_use]
    pub fn as_label(&self) -> Option<&str> {
        match self.segments() {
            [metadata, labels, key] if &**metadata == "metadata" && &**labels == "labels" => {
                Some(key)
            }
            _ => None,
        }
    }

    /// Creates a path of valid names.
    pub(super) fn of(names: &[&str]) -> Self {
        Self {
            names: names.iter().map(|&name| name.into()).collect(),
            text: names.join(".").into(),
        }
    }

    pub(super) fn segments(&self) -> &[Box<str>] {
        &self.names
    }
}

impl FromStr for FieldPath {
    type Err = FieldPathError;

    fn from_str(path: &str) -> Result<Self, FieldPathError> {
        parse(path).map_err(|reason| FieldPathError {
            path: path.to_owned(),
            reason,
        })
    }
}

fn parse(path: &str) -> Result<FieldPath, String> {
    if path.trim().is_empty() {
        return Err("the path is empty: write one such as `spec.nodeName`".to_owned());
    }
    if let Some(rest) = path.strip_prefix("$.").or_else(|| path.strip_prefix('.')) {
        return Err(format!(
            "a path starts at the object itself: write `{rest}`"
        ));
    }
    if path == "$" || path.starts_with("$[") {
        return Err(
            "a path starts at a field of the object: write one such as `spec.nodeName`".to_owned(),
        );
    }
    let mut names: Vec<Box<str>> = Vec::new();
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    loop {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        check_field(name)?;
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(name);
        names.push(name.into());
        rest = after;
        let mut ends_with_field = true;
        while let Some(inside) = rest.strip_prefix('[') {
            if let Some(after) = inside.strip_prefix("*]") {
                rest = after;
                ends_with_field = false;
                continue;
            }
            let (key, after) = key(inside)?;
            let quote = if key.contains('\'') { '"' } else { '\'' };
            let _infallible = write!(text, "[{quote}{key}{quote}]");
            names.push(key.into());
            rest = after;
            ends_with_field = true;
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if !rest.is_empty() => {
                return Err(format!(
                    "`{rest}` cannot follow `]`: write `.` between the two"
                ));
            }
            None if !ends_with_field => {
                return Err(format!(
                    "a path ends with the name of a field: write `{text}`"
                ));
            }
            None => {
                return Ok(FieldPath {
                    names: names.into(),
                    text: text.into(),
                });
            }
        }
    }
}

fn check_field(name: &str) -> Result<(), String> {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let continues = |c: char| starts(c) || c.is_ascii_digit() || c == '-';
    if name.is_empty() {
        return Err("a name is missing: write one between two dots".to_owned());
    }
    if name.starts_with(starts) && name.chars().all(continues) {
        return Ok(());
    }
    Err(format!(
        "`{name}` is not the name of a field: write a path such as `spec.nodeName` or \
         `metadata.labels['app']`"
    ))
}

/// Parses the key at the start of `inside`, which follows a `[`. Returns the key and the text after
/// its `]`.
fn key(inside: &str) -> Result<(&str, &str), String> {
    let Some(quote) = inside.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
        let name = inside.split(']').next().unwrap_or_default();
        return Err(match name {
            "" => "a key is missing after `[`: write `['key']`".to_owned(),
            _ if name.chars().all(|c| c.is_ascii_digit()) => {
                "a path covers all elements of an array: leave the position out".to_owned()
            }
            _ => format!("the key of a map is quoted: write `['{name}']`"),
        });
    };
    let inside = inside.get(1..).unwrap_or_default();
    match inside.split_once(quote) {
        Some(("", _)) => Err("the key between `[` and `]` is empty: write `['key']`".to_owned()),
        Some((key, rest)) => match rest.strip_prefix(']') {
            Some(rest) => Ok((key, rest)),
            None => Err(format!("`]` is missing: write `['{key}']`")),
        },
        None => Err(format!(
            "the quote of `[{quote}{inside}` is not closed: write `['key']`"
        )),
    }
}

impl PartialEq for FieldPath {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names
    }
}

impl Eq for FieldPath {}

impl PartialOrd for FieldPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FieldPath {
    fn cmp(&self, other: &Self) -> Ordering {
        self.names.cmp(&other.names)
    }
}

impl Hash for FieldPath {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.names.hash(state);
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text, f)
    }
}

#[cfg(test)]
mod tests;

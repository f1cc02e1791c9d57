//! [`FieldSelector`]: conditions on an object's fields, which the API server evaluates.

use std::fmt;
use std::str::FromStr;

/// Conditions on an object's fields, all of which must hold. Without conditions (the default) it
/// selects all objects.
///
/// Field selectors are only sent to the server, which supports a few selectable fields of each
/// resource. client-go's counterpart is `fields.Selector`.
///
/// Equal selections compare and print equal: terms are sorted and deduplicated.
///
/// # Examples
///
/// ```
/// # extern crate informer_wire as informer;
/// use informer::FieldSelector;
///
/// let selector = FieldSelector::everything()
///     .equals("spec.nodeName", "node-1")?
///     .not_equals("status.phase", "Succeeded")?;
/// assert_eq!(selector.to_string(), "spec.nodeName=node-1,status.phase!=Succeeded");
/// assert_eq!(selector.to_string().parse(), Ok(selector));
/// # Ok::<(), informer_wire::FieldSelectorError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldSelector {
    /// Sorted, without duplicates.
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Term {
    path: String,
    equal: bool,
    value: String,
}

/// Error of an invalid [`FieldSelector`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldSelectorError {
    /// The path is not a valid field path.
    #[error(
        "`{0}` is not the path of a field: expected names of letters, digits, `-` and `_`, \
         separated by `.`"
    )]
    Path(String),
    /// The operator is missing.
    #[error("`{0}` is not a field requirement: expected `path=value` or `path!=value`")]
    Operator(String),
    /// A special character of the value is not escaped.
    #[error(
        "`{0}` is not a field requirement: expected `\\` before each `,`, `=` and `\\` of the value"
    )]
    Escape(String),
}

// === impl FieldSelector ===

impl FieldSelector {
    /// Selects every object.
    #[must_use]
    pub const fn everything() -> Self {
        Self { terms: Vec::new() }
    }

    /// Selects the object with this name.
    #[doc(hidden)]
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let term = Term {
            path: "metadata.name".to_owned(),
            equal: true,
            value: name.to_owned(),
        };
        Self { terms: vec![term] }
    }

    /// Adds the condition that the field `path` equals `value`.
    ///
    /// # Errors
    ///
    /// Returns [`FieldSelectorError::Path`] if `path` is not a valid field path.
    pub fn equals(
        self,
        path: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, FieldSelectorError> {
        self.and(path.into(), true, value.into())
    }

    /// Adds the condition that the field `path` does not equal `value`.
    ///
    /// # Errors
    ///
    /// Returns [`FieldSelectorError::Path`] if `path` is not a valid field path.
    pub fn not_equals(
        self,
        path: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, FieldSelectorError> {
        self.and(path.into(), false, value.into())
    }

    /// Returns `true` if this selects all objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Evaluates the selector as the API server does. `value` returns the text of a field, or `None`
    /// if the object does not have the field: then the default of its type counts.
    #[doc(hidden)]
    #[must_use]
    pub fn matches_by(&self, value: impl Fn(&str) -> Option<String>) -> bool {
        self.terms.iter().all(|term| {
            let is_equal = match value(&term.path) {
                Some(value) => value == term.value,
                None => matches!(term.value.as_str(), "" | "false" | "0"),
            };
            is_equal == term.equal
        })
    }

    fn and(mut self, path: String, equal: bool, value: String) -> Result<Self, FieldSelectorError> {
        let name = |name: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            !name.is_empty() && name.bytes().all(allowed)
        };
        if !path.split('.').all(name) {
            return Err(FieldSelectorError::Path(path));
        }
        let term = Term { path, equal, value };
        if let Err(position) = self.terms.binary_search(&term) {
            self.terms.insert(position, term);
        }
        Ok(self)
    }
}

impl FromStr for FieldSelector {
    type Err = FieldSelectorError;

    /// Parses `path=value` (or `==`) and `path!=value`, separated by commas, as
    /// `fields.ParseSelector` does. An empty text selects all objects.
    ///
    /// # Errors
    ///
    /// The error quotes the first invalid term and states what was expected.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let terms = split_terms(text).into_iter();
        terms
            // client-go ignores empty terms too.
            .filter(|term| !term.is_empty())
            .try_fold(Self::everything(), |selector, term| {
                // A path contains no `=`, so the first one belongs to the operator.
                let (path, value) = term
                    .split_once('=')
                    .ok_or_else(|| FieldSelectorError::Operator(term.to_owned()))?;
                let value = match path.strip_suffix('!') {
                    Some(_) => value,
                    None => value.strip_prefix('=').unwrap_or(value),
                };
                let value =
                    unescape(value).ok_or_else(|| FieldSelectorError::Escape(term.to_owned()))?;
                match path.strip_suffix('!') {
                    Some(path) => selector.not_equals(path, value),
                    None => selector.equals(path, value),
                }
            })
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, Term { path, equal, value }) in self.terms.iter().enumerate() {
            let comma = if position > 0 { "," } else { "" };
            let operator = if *equal { "=" } else { "!=" };
            write!(f, "{comma}{path}{operator}{}", escape(value))?;
        }
        Ok(())
    }
}

/// Splits at commas that are not escaped by `\`.
fn split_terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    text.split(|symbol| {
        let separates = symbol == ',' && !escaped;
        escaped = symbol == '\\' && !escaped;
        separates
    })
    .collect()
}

fn escape(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for symbol in value.chars() {
        if matches!(symbol, '\\' | ',' | '=') {
            escaped.push('\\');
        }
        escaped.push(symbol);
    }
    escaped
}

/// Returns the unescaped value; `None` if `escaped` is not correctly escaped.
fn unescape(escaped: &str) -> Option<String> {
    let mut value = String::with_capacity(escaped.len());
    let mut symbols = escaped.chars();
    while let Some(symbol) = symbols.next() {
        value.push(match symbol {
            '\\' => symbols.next().filter(|s| matches!(s, '\\' | ',' | '='))?,
            ',' | '=' => return None,
            other => other,
        });
    }
    Some(value)
}

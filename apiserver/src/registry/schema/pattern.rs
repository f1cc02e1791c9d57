//! Patterns of schemas: Go's regular expressions, executed by the crate `regex`.
//!
//! Both engines run in linear time and have no look-around. They differ in details of the syntax,
//! which are translated: in Go, `\d`, `\s`, `\w` and `\b` are ASCII-only, brackets do not nest and
//! have no set operations, a `{` that starts no repetition is a literal, and `\Q..\E` quotes.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use regex::bytes::{Regex, RegexBuilder};

/// Maximum number of compiled patterns that one schema caches; others are compiled at each use.
const MAX_KEPT: usize = 100;

/// Maximum size of a compiled pattern, in bytes.
const MAX_SIZE: usize = 10 << 20;

/// Maximum nesting of brackets in a pattern, which Go limits too.
const MAX_DEPTH: u32 = 250;

/// Patterns of a schema, each compiled at its first use.
#[derive(Debug, Clone, Default)]
pub(super) struct Patterns(Arc<Mutex<HashMap<String, Arc<Compiled>>>>);

type Compiled = Result<Regex, regex::Error>;

// === impl Patterns ===

impl Patterns {
    /// Reports whether `pattern` matches in `text`. A pattern that is too large to be compiled
    /// matches every text.
    pub(super) fn is_match(&self, pattern: &str, text: &str) -> bool {
        match self.compiled(pattern).as_ref() {
            Ok(regex) => regex.is_match(text.as_bytes()),
            Err(error) => {
                tracing::warn!(%error, "cannot compile a pattern of a schema, so it is not checked");
                true
            }
        }
    }

    fn compiled(&self, pattern: &str) -> Arc<Compiled> {
        let mut kept = self.0.lock();
        if let Some(compiled) = kept.get(pattern) {
            return Arc::clone(compiled);
        }
        let compiled = Arc::new(compile(pattern));
        if kept.len() < MAX_KEPT {
            kept.insert(pattern.to_owned(), Arc::clone(&compiled));
        }
        compiled
    }
}

/// The compiled patterns are a cache, which does not count in a comparison of schemas.
impl PartialEq for Patterns {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Patterns {}

/// Checks the syntax of a pattern.
///
/// # Errors
///
/// The reason why Go would reject the regular expression.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    match compile(pattern) {
        Err(regex::Error::Syntax(text)) => Err(text
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Compiles a regular expression of Go.
pub(super) fn compile(pattern: &str) -> Compiled {
    RegexBuilder::new(&translated(pattern))
        .size_limit(MAX_SIZE)
        .nest_limit(MAX_DEPTH)
        .octal(true)
        .build()
}

/// Translates the pattern to the engine's syntax.
fn translated(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(character) = rest.chars().next() {
        let (part, length) = match character {
            '\\' => escape(rest, false),
            '[' => class(rest),
            '{' if !is_repetition(rest) => ("\\{".to_owned(), 1),
            other => (other.to_string(), other.len_utf8()),
        };
        text.push_str(&part);
        rest = rest.get(length..).unwrap_or_default();
    }
    text
}

/// Translates the escape at the start of `text`; returns it with its original length.
fn escape(text: &str, in_class: bool) -> (String, usize) {
    if let Some(quoted) = text.strip_prefix("\\Q").filter(|_| !in_class) {
        let end = quoted.find("\\E").unwrap_or(quoted.len());
        let literal = quoted.get(..end).unwrap_or_default();
        return (regex::escape(literal), text.len().min(end + 4));
    }
    let Some(character) = text.chars().nth(1) else {
        return (text.to_owned(), text.len());
    };
    if let ('p' | 'P', Some('{'), Some(end)) = (character, text.chars().nth(2), text.find('}')) {
        let name = text.get(..=end).unwrap_or_default();
        return (name.to_owned(), name.len());
    }
    let own = match character {
        'd' | 'D' => Some("0-9"),
        's' | 'S' => Some("\\t\\n\\f\\r "),
        'w' | 'W' => Some("0-9A-Za-z_"),
        _ => None,
    };
    let part = match (own, character) {
        (Some(members), _) if character.is_ascii_uppercase() => format!("[^{members}]"),
        (Some(members), _) => format!("[{members}]"),
        (None, 'b' | 'B') if !in_class => format!("(?-u:\\{character})"),
        (None, '<' | '>') => character.to_string(),
        (None, _) => format!("\\{character}"),
    };
    (part, 1 + character.len_utf8())
}

/// Translates the bracket expression at the start of `text`; returns it with its original length.
fn class(text: &str) -> (String, usize) {
    let mut out = String::from("[");
    let mut position = 1;
    if text
        .get(position..)
        .is_some_and(|rest| rest.starts_with('^'))
    {
        out.push('^');
        position += 1;
    }
    let first = position;
    while let Some(rest) = text.get(position..).filter(|rest| !rest.is_empty()) {
        let character = rest.chars().next().unwrap_or_default();
        let (part, length) = match character {
            ']' if position > first => {
                out.push(']');
                return (out, position + 1);
            }
            ']' => ("\\]".to_owned(), 1),
            '\\' => escape(rest, true),
            '[' => match rest.find(":]").filter(|_| rest.starts_with("[:")) {
                Some(end) => (rest.get(..end + 2).unwrap_or_default().to_owned(), end + 2),
                None => ("\\[".to_owned(), 1),
            },
            // Operators of sets in the engine, literals in Go.
            '&' | '~' => (format!("\\{character}"), 1),
            '-' if out.ends_with('-') => ("\\-".to_owned(), 1),
            other => (other.to_string(), other.len_utf8()),
        };
        out.push_str(&part);
        position += length;
    }
    (out, text.len())
}

/// Reports whether `text` begins with `{n}`, `{n,}` or `{n,m}`.
fn is_repetition(text: &str) -> bool {
    let Some((inner, _)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match inner.split_once(',') {
        None => is_number(inner),
        Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
    }
}

#[cfg(test)]
mod tests;

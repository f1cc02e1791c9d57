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
    let Err(regex::Error::Syntax(text)) = compile(pattern) else {
        return Ok(());
    };
    let reason = text.lines().last().unwrap_or_default();
    Err(reason.trim_start_matches("error: ").to_owned())
}

/// Compiles a regular expression of Go.
pub(super) fn compile(pattern: &str) -> Compiled {
    RegexBuilder::new(&translated(pattern))
        .size_limit(MAX_SIZE)
        .nest_limit(MAX_DEPTH)
        .octal(true)
        .build()
}

/// A translated part of a pattern.
struct PatternPart {
    text: String,
    /// Length of the original in bytes.
    length: usize,
}

// === impl PatternPart ===

impl PatternPart {
    /// Keeps a character.
    fn same(character: char) -> Self {
        Self {
            text: character.to_string(),
            length: character.len_utf8(),
        }
    }

    /// Makes a character a literal.
    fn literal(character: char) -> Self {
        Self {
            text: format!("\\{character}"),
            length: character.len_utf8(),
        }
    }

    /// Keeps a text.
    fn whole(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            length: text.len(),
        }
    }
}

/// Translates the pattern to the engine's syntax.
fn translated(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(character) = rest.chars().next() {
        let part = match character {
            '\\' => escape(rest, false),
            '[' => class(rest),
            '{' if !is_repetition(rest) => PatternPart::literal('{'),
            other => PatternPart::same(other),
        };
        text.push_str(&part.text);
        rest = rest.get(part.length..).unwrap_or_default();
    }
    text
}

/// Translates the escape at the start of `text`.
fn escape(text: &str, in_class: bool) -> PatternPart {
    if !in_class && let Some(quoted) = text.strip_prefix("\\Q") {
        let end = quoted.find("\\E").unwrap_or(quoted.len());
        let literal = quoted.get(..end).unwrap_or_default();
        return PatternPart {
            text: regex::escape(literal),
            length: text.len().min(end + 4),
        };
    }
    let Some(character) = text.chars().nth(1) else {
        return PatternPart::whole(text);
    };
    if matches!(character, 'p' | 'P')
        && text.chars().nth(2) == Some('{')
        && let Some(end) = text.find('}')
    {
        let name = text.get(..=end).unwrap_or_default();
        return PatternPart::whole(name);
    }
    let translated = match character {
        'd' => "[0-9]".to_owned(),
        'D' => "[^0-9]".to_owned(),
        's' => "[\\t\\n\\f\\r ]".to_owned(),
        'S' => "[^\\t\\n\\f\\r ]".to_owned(),
        'w' => "[0-9A-Za-z_]".to_owned(),
        'W' => "[^0-9A-Za-z_]".to_owned(),
        'b' | 'B' if !in_class => format!("(?-u:\\{character})"),
        '<' | '>' => character.to_string(),
        _ => format!("\\{character}"),
    };
    PatternPart {
        text: translated,
        length: 1 + character.len_utf8(),
    }
}

/// Translates the bracket expression at the start of `text`.
fn class(text: &str) -> PatternPart {
    let mut out = String::from("[");
    let mut position = 1;
    if text.starts_with("[^") {
        out.push('^');
        position += 1;
    }
    let first = position;
    loop {
        let rest = text.get(position..).unwrap_or_default();
        let Some(character) = rest.chars().next() else {
            break;
        };
        let part = match character {
            ']' if position > first => {
                out.push(']');
                position += 1;
                break;
            }
            '\\' => escape(rest, true),
            '[' => named_class(rest).unwrap_or_else(|| PatternPart::literal('[')),
            // Operators of sets in the engine, literals in Go.
            ']' | '&' | '~' => PatternPart::literal(character),
            '-' if out.ends_with('-') => PatternPart::literal('-'),
            other => PatternPart::same(other),
        };
        out.push_str(&part.text);
        position += part.length;
    }
    PatternPart {
        text: out,
        length: position,
    }
}

/// Keeps a class such as `[:alpha:]` at the start of `text`; `None` if there is none.
fn named_class(text: &str) -> Option<PatternPart> {
    if !text.starts_with("[:") {
        return None;
    }
    let end = text.find(":]")?;
    Some(PatternPart::whole(text.get(..end + 2)?))
}

/// Reports whether `text` begins with `{n}`, `{n,}` or `{n,m}`.
fn is_repetition(text: &str) -> bool {
    let Some(start) = text.strip_prefix('{') else {
        return false;
    };
    let Some((inner, _)) = start.split_once('}') else {
        return false;
    };
    match inner.split_once(',') {
        None => is_number(inner),
        Some((least, "")) => is_number(least),
        Some((least, most)) => is_number(least) && is_number(most),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;

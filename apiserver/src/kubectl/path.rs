//! The part of JSON path that printer columns use: `.a.b`, `['a']`, `[0]`, `[*]` and
//! `[?(@.type=="Ready")]`.

use jsonpath_rust::parser::model::JpQuery;
use jsonpath_rust::parser::parse_json_path;
use jsonpath_rust::query::js_path_process;
use serde::Deserialize;
use serde_json::Value;

use crate::document::Members;

/// A parsed path: a field, and the path from its value. A path that cannot be parsed finds nothing.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "String")]
pub(super) struct Path(Option<(String, JpQuery)>);

// === impl Path ===

impl From<String> for Path {
    fn from(text: String) -> Self {
        let path = text
            .trim()
            .trim_start_matches('{')
            .trim_end_matches('}')
            .trim_start_matches('$');
        Self(parsed(path))
    }
}

impl Path {
    /// Returns all values that the path leads to.
    pub(super) fn find<'a>(&self, members: &'a Members) -> Vec<&'a Value> {
        let Some((field, rest)) = &self.0 else {
            return Vec::new();
        };
        let Some(start) = members.get(field) else {
            return Vec::new();
        };
        let mut values = Vec::new();
        for found in js_path_process(rest, start).unwrap_or_default() {
            values.push(found.val);
        }
        values
    }

    #[cfg(test)]
    pub(super) fn is_valid(&self) -> bool {
        self.0.is_some()
    }
}

fn parsed(text: &str) -> Option<(String, JpQuery)> {
    let all = steps(text)?;
    let (first, rest) = all.split_first()?;
    let field = first.trim_matches(['\'', '"']).to_owned();
    let mut path = String::from("$");
    for step in rest {
        path.push('[');
        path.push_str(step);
        path.push(']');
    }
    let query = parse_json_path(&path).ok()?;
    Some((field, query))
}

/// Returns the steps of a path as they are written in brackets. Names after a dot may have
/// characters that are not allowed in RFC 9535, such as `-` and, after a backslash, dots.
fn steps(mut text: &str) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    while !text.is_empty() {
        if let Some(rest) = text.strip_prefix('[') {
            let (inside, rest) = bracket(rest)?;
            steps.push(inside.to_owned());
            text = rest;
        } else {
            let (name, rest) = name(text.strip_prefix('.')?);
            if name == "*" {
                steps.push(name);
            } else if !name.is_empty() {
                steps.push(Value::from(name).to_string());
            }
            text = rest;
        }
    }
    Some(steps)
}

/// Splits a field name off, in which `\.` is a dot.
fn name(text: &str) -> (String, &str) {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            '.' | '[' => return (name, text.get(at..).unwrap_or_default()),
            _ => name.push(c),
        }
    }
    (name, "")
}

/// Splits the text in a bracket off. Brackets inside quotes do not count.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, ']') => return Some((text.get(..at)?, text.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;

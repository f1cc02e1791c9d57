//! The part of JSON path that printer columns use: `.a.b`, `['a']`, `[0]`, `[*]` and
//! `[?(@.type=="Ready")]`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::document::Members;

/// A parsed path. A path that cannot be parsed finds nothing.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "String")]
pub(super) struct Path(Option<Vec<Step>>);

#[derive(Debug, Clone)]
enum Step {
    Field(String),
    Index(i64),
    Each,
    /// Elements whose field is, or is not, equal to the value.
    Where {
        field: Vec<String>,
        equal: bool,
        value: String,
    },
}

// === impl Path ===

impl From<String> for Path {
    fn from(text: String) -> Self {
        let text = text.trim().trim_start_matches('{').trim_end_matches('}');
        Self(steps(text.trim_start_matches('$')))
    }
}

impl Path {
    /// Returns all values that the path leads to.
    pub(super) fn find<'a>(&self, members: &'a Members) -> Vec<&'a Value> {
        let steps = self.0.as_deref().and_then(<[Step]>::split_first);
        let Some((Step::Field(field), rest)) = steps else {
            return Vec::new();
        };
        let start = members.get(field).into_iter().collect();
        rest.iter().fold(start, |values, step| step.follow(&values))
    }

    #[cfg(test)]
    pub(super) fn is_valid(&self) -> bool {
        self.0.is_some()
    }
}

// === impl Step ===

impl Step {
    fn follow<'a>(&self, values: &[&'a Value]) -> Vec<&'a Value> {
        let values = values.iter().copied();
        let elements = |value: &'a Value| value.as_array().into_iter().flatten();
        match self {
            Self::Field(name) => values.filter_map(|value| value.get(name)).collect(),
            Self::Index(index) => values
                .filter_map(|value| element(value.as_array()?, *index))
                .collect(),
            Self::Each => values.flat_map(elements).collect(),
            Self::Where {
                field,
                equal,
                value,
            } => values
                .flat_map(elements)
                .filter(|element| {
                    let found = field.iter().try_fold(*element, |at, name| at.get(name));
                    let same = found.is_some_and(|found| {
                        let text = found.as_str().map(Cow::Borrowed);
                        text.unwrap_or_else(|| found.to_string().into()) == *value
                    });
                    same == *equal
                })
                .collect(),
        }
    }
}

/// Returns the element at `index`, which counts from the end if it is negative.
fn element(list: &[Value], index: i64) -> Option<&Value> {
    let distance = usize::try_from(index.unsigned_abs()).ok()?;
    if index < 0 {
        list.get(list.len().checked_sub(distance)?)
    } else {
        list.get(distance)
    }
}

fn steps(mut text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !text.is_empty() {
        if let Some(rest) = text.strip_prefix('[') {
            let (inside, rest) = bracket(rest)?;
            steps.push(bracketed(inside)?);
            text = rest;
        } else {
            let (name, rest) = name(text.strip_prefix('.')?);
            if name == "*" {
                steps.push(Step::Each);
            } else if !name.is_empty() {
                steps.push(Step::Field(name));
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

fn bracketed(inside: &str) -> Option<Step> {
    let inside = inside.trim();
    if inside == "*" {
        return Some(Step::Each);
    }
    if let Some(filter) = inside.strip_prefix("?(") {
        let filter = filter.strip_suffix(')')?;
        let (field, equal, value) = if let Some((field, value)) = filter.split_once("==") {
            (field, true, value)
        } else {
            let (field, value) = filter.split_once("!=")?;
            (field, false, value)
        };
        let field = field.trim().strip_prefix("@.")?.split('.');
        return Some(Step::Where {
            field: field.map(str::to_owned).collect(),
            equal,
            value: unquoted(value.trim()).to_owned(),
        });
    }
    if let Ok(index) = inside.parse() {
        return Some(Step::Index(index));
    }
    Some(Step::Field(unquoted(inside).to_owned()))
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(|c| c == '\'' || c == '"')
}

#[cfg(test)]
mod tests;

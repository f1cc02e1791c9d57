//! The part of JSON path that printer columns use: `.a.b`, `['a']`, `[0]`, `[*]` and
//! `[?(@.type=="Ready")]`.

use std::borrow::Cow;

use serde_json::Value;

use crate::document::Members;

/// A parsed path; one that cannot be parsed finds nothing.
#[derive(Debug)]
pub(super) struct Path(Option<Vec<Step>>);

#[derive(Debug)]
enum Step {
    Field(String),
    Index(i64),
    Each,
    /// Elements in which the field is, or is not, the value.
    Where {
        field: Vec<String>,
        equal: bool,
        value: String,
    },
}

// === impl Path ===

impl Path {
    pub(super) fn parse(text: &str) -> Self {
        let text = text.trim().trim_start_matches('{').trim_end_matches('}');
        Self(steps(text.trim_start_matches('$')))
    }

    /// The first value that the path leads to.
    pub(super) fn first<'a>(&self, members: &'a Members) -> Option<&'a Value> {
        let (start, rest) = self.0.as_deref()?.split_first()?;
        let Step::Field(field) = start else {
            return None;
        };
        follow(members.get(field)?, rest)
    }
}

fn follow<'a>(value: &'a Value, steps: &[Step]) -> Option<&'a Value> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(value);
    };
    match step {
        Step::Field(field) => follow(value.get(field)?, rest),
        Step::Index(index) => {
            let list = value.as_array()?;
            let index = if *index < 0 {
                list.len()
                    .checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?
            } else {
                usize::try_from(*index).ok()?
            };
            follow(list.get(index)?, rest)
        }
        Step::Each => value.as_array()?.iter().find_map(|each| follow(each, rest)),
        Step::Where {
            field,
            equal,
            value: wanted,
        } => value
            .as_array()?
            .iter()
            .filter(|element| {
                let found = field.iter().try_fold(*element, |at, name| at.get(name));
                let same = found.is_some_and(|found| {
                    let text = found.as_str().map(Cow::Borrowed);
                    text.unwrap_or_else(|| found.to_string().into()) == *wanted
                });
                same == *equal
            })
            .find_map(|element| follow(element, rest)),
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

/// A field name, in which `\.` is a dot, and the rest.
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

/// What is in the bracket, and the rest; a bracket inside quotes does not count.
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
mod tests {
    use super::Path;
    use serde_json::{Value, json};

    #[test]
    fn paths_of_printer_columns_are_followed() {
        let object = json!({ "spec": { "a.b": 1, "list": [{ "n": 1 }, { "n": 2 }] }, "status": {
            "conditions": [
                { "type": "Ready", "status": "False" }, { "type": "Synced", "status": "True" },
            ],
        }});
        let members = object.as_object().unwrap();
        for (path, expected) in [
            (".spec.list[1].n", json!(2)),
            (".spec.list[-1].n", json!(2)),
            (".spec.list[*].n", json!(1)),
            (r".spec.a\.b", json!(1)),
            (".spec['a.b']", json!(1)),
            (
                r#".status.conditions[?(@.type=="Synced")].status"#,
                json!("True"),
            ),
            (
                ".status.conditions[?(@.type!='Synced')].status",
                json!("False"),
            ),
            ("{.spec.list[0].n}", json!(1)),
        ] {
            assert_eq!(Path::parse(path).first(members), Some(&expected), "{path}");
        }
        for path in [".spec.none", "spec", ".spec.list[7]", ".spec[?(x)]", ""] {
            assert_eq!(Path::parse(path).first(members), None::<&Value>, "{path}");
        }
    }
}

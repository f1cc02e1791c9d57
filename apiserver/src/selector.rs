//! Label and field selectors, evaluated on stored objects.
//!
//! Which fields there are to select by says [`fields`](crate::fields).

use std::borrow::Cow;

use serde_json::Value;

use crate::fields::{self, Place, Selectable};
use crate::status::ApiError;
use crate::store::{Stored, metadata};

/// The conditions of one list or watch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selector {
    labels: Vec<LabelTerm>,
    fields: Vec<FieldTerm>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct LabelTerm {
    key: String,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Above(i64),
    Below(i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FieldTerm {
    place: Place,
    value: String,
    equal: bool,
}

// === impl Selector ===

impl Selector {
    /// Parses `labelSelector` and `fieldSelector`, which may name what is `selectable`.
    pub(crate) fn parse(
        labels: &str,
        fields: &str,
        selectable: Selectable<'_>,
    ) -> Result<Self, ApiError> {
        let labels = parse_labels(labels).map_err(|why| {
            ApiError::bad_request(format!(
                "unable to parse requirement: {why} in label selector {labels:?}"
            ))
        })?;
        let fields = parse_fields(fields).map_err(|why| {
            ApiError::bad_request(format!("invalid field selector {fields:?}: {why}"))
        })?;
        let term = |(label, value, equal): (String, _, _)| {
            let place = selectable.find(&label)?;
            Ok(FieldTerm {
                place,
                value,
                equal,
            })
        };
        let fields = fields.into_iter().map(term).collect::<Result<_, _>>()?;
        Ok(Self { labels, fields })
    }

    /// Adds the condition that the object has this name: a watch of one object.
    pub(crate) fn and_name(mut self, name: &str) -> Self {
        if !name.is_empty() {
            self.fields.push(FieldTerm {
                place: Place::name(),
                value: name.to_owned(),
                equal: true,
            });
        }
        self
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, object: &Stored) -> bool {
        if self.is_everything() {
            return true;
        }
        let labels = metadata(&object.members).and_then(|metadata| metadata.get("labels"));
        self.labels.iter().all(|term| {
            let value = labels
                .and_then(|labels| labels.get(&term.key))
                .and_then(Value::as_str);
            term.test.accepts(value)
        }) && self
            .fields
            .iter()
            .all(|term| (field(object, &term.place) == term.value) == term.equal)
    }
}

impl Test {
    fn accepts(&self, value: Option<&str>) -> bool {
        let number = || value?.parse::<i64>().ok();
        match self {
            Self::In(values) => value.is_some_and(|v| values.iter().any(|wanted| wanted == v)),
            Self::NotIn(values) => !value.is_some_and(|v| values.iter().any(|not| not == v)),
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::Above(limit) => number().is_some_and(|n| n > *limit),
            Self::Below(limit) => number().is_some_and(|n| n < *limit),
        }
    }
}

fn field<'a>(object: &'a Stored, place: &'a Place) -> Cow<'a, str> {
    // An object's identity holds even where an injected document says otherwise.
    match &*place.pointer {
        "/metadata/name" => return Cow::Borrowed(&object.name),
        "/metadata/namespace" => return Cow::Borrowed(&object.namespace),
        _ => {}
    }
    let (first, rest) = match place.pointer.trim_start_matches('/').split_once('/') {
        Some((first, _)) => (first, place.pointer.get(first.len() + 1..)),
        None => (place.pointer.trim_start_matches('/'), None),
    };
    let start = object.members.get(first);
    let found = start.and_then(|value| value.pointer(rest.unwrap_or_default()));
    fields::value(place, found)
}

// === labels ===

/// Splits at commas that are not inside parentheses.
fn split_terms(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .collect()
}

fn parse_labels(text: &str) -> Result<Vec<LabelTerm>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    split_terms(text).into_iter().map(parse_label).collect()
}

fn parse_label(term: &str) -> Result<LabelTerm, String> {
    let one = |value: &str| vec![value.trim().to_owned()];
    let (key, test) = if let Some(key) = term.strip_prefix('!') {
        (key, Test::Absent)
    } else if let Some((key, value)) = term.split_once("!=") {
        (key, Test::NotIn(one(value)))
    } else if let Some((key, value)) = term.split_once("==") {
        (key, Test::In(one(value)))
    } else if let Some((key, value)) = term.split_once('=') {
        (key, Test::In(one(value)))
    } else if let Some((key, value)) = term.split_once('>') {
        (key, Test::Above(number(value)?))
    } else if let Some((key, value)) = term.split_once('<') {
        (key, Test::Below(number(value)?))
    } else if let Some(open) = term.find('(') {
        parse_set(term, open)?
    } else {
        (term, Test::Exists)
    };
    let key = key.trim();
    let valid = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if key.is_empty() || !key.chars().all(valid) {
        return Err(format!("found {term:?}, expected a label key"));
    }
    Ok(LabelTerm {
        key: key.to_owned(),
        test,
    })
}

/// `key in (a, b)`, `key notin (a, b)`; `open` is where the parenthesis is.
fn parse_set(term: &str, open: usize) -> Result<(&str, Test), String> {
    let (head, values) = term.split_at(open);
    let values = values
        .strip_prefix('(')
        .and_then(|values| values.strip_suffix(')'))
        .ok_or_else(|| format!("found {term:?}, expected ')'"))?
        .split(',')
        .map(|value| value.trim().to_owned())
        .collect();
    match head.trim().rsplit_once(char::is_whitespace) {
        Some((key, "in")) => Ok((key, Test::In(values))),
        Some((key, "notin")) => Ok((key, Test::NotIn(values))),
        _ => Err(format!("found {term:?}, expected 'in' or 'notin'")),
    }
}

fn number(text: &str) -> Result<i64, String> {
    text.trim().parse().map_err(|_| {
        format!("for 'Gt', 'Lt' operators, the value must be an integer, not {text:?}")
    })
}

// === fields ===

/// Parses `a.b=c,d!=e`; a backslash escapes `,`, `=` and itself. A term is a label, a value, and
/// whether they are to be equal.
fn parse_fields(text: &str) -> Result<Vec<(String, String, bool)>, String> {
    let mut terms = Vec::new();
    let mut chars = text.chars().peekable();
    while chars.peek().is_some() {
        let mut path = String::new();
        let mut value = String::new();
        let mut equal = None;
        while let Some(c) = chars.next() {
            let side = if equal.is_none() {
                &mut path
            } else {
                &mut value
            };
            match c {
                ',' => break,
                '\\' => match chars.next() {
                    Some(escaped @ ('\\' | ',' | '=')) => side.push(escaped),
                    _ => return Err("invalid escape sequence".to_owned()),
                },
                '!' if equal.is_none() && chars.next_if_eq(&'=').is_some() => equal = Some(false),
                '=' if equal.is_none() => {
                    chars.next_if_eq(&'=');
                    equal = Some(true);
                }
                _ => side.push(c),
            }
        }
        let Some(equal) = equal else {
            if path.trim().is_empty() {
                continue;
            }
            return Err("can't understand a term without = or !=".to_owned());
        };
        terms.push((path.trim().to_owned(), value, equal));
    }
    Ok(terms)
}

#[cfg(test)]
mod tests;

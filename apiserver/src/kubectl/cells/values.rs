//! Cells that are made of the values at one or more paths.

use std::borrow::{Borrow, Cow};

use serde_json::Value;

use super::age::elapsed;
use crate::document::str_of;
use crate::registry::scale::selector_text;

/// Returns the values that are set.
fn set<'a>(values: &[&'a Value]) -> impl Iterator<Item = &'a Value> {
    values
        .iter()
        .copied()
        .filter(|value| !value.is_null() && **value != "")
}

/// Returns the values that are set, as texts.
fn texts<'a>(values: &[&'a Value]) -> Vec<Cow<'a, str>> {
    set(values).map(printed).collect()
}

fn first_text<'a>(values: &[&'a Value]) -> Option<Cow<'a, str>> {
    set(values).next().map(printed)
}

/// Returns a string as it is, and the JSON of everything else.
fn printed(value: &Value) -> Cow<'_, str> {
    match value.as_str() {
        Some(text) => text.into(),
        None => value.to_string().into(),
    }
}

/// Returns all texts in one; `None` if there are none.
fn joined<T: Borrow<str>>(texts: &[T], separator: &str) -> Option<Value> {
    if texts.is_empty() {
        return None;
    }
    Some(texts.join(separator).into())
}

pub(super) fn first(values: &[&Value]) -> Option<Value> {
    set(values).next().cloned()
}

pub(super) fn text(values: &[&Value]) -> Option<Value> {
    Some(first_text(values)?.into())
}

pub(super) fn trimmed(values: &[&Value]) -> Option<Value> {
    Some(first_text(values)?.trim().into())
}

pub(super) fn lowercase(values: &[&Value]) -> Option<Value> {
    Some(first_text(values)?.to_lowercase().into())
}

/// Writes a flag as Go writes one that a pointer points to.
pub(super) fn flag(values: &[&Value]) -> Option<Value> {
    let value = set(values).next()?;
    let word = if value.as_bool()? { "True" } else { "False" };
    Some(word.into())
}

/// Returns the time since the first timestamp.
pub(super) fn since(values: &[&Value]) -> Option<Value> {
    let time = first_text(values)?;
    Some(elapsed(&time).into())
}

/// Counts the elements or members of all values.
pub(super) fn count(values: &[&Value]) -> Option<Value> {
    if values.is_empty() {
        return None;
    }
    let mut count = 0;
    for value in values {
        count += match value {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        };
    }
    Some(count.into())
}

pub(super) fn join(values: &[&Value]) -> Option<Value> {
    joined(&texts(values), ",")
}

/// Writes kind and name, or namespace and name.
pub(super) fn reference(values: &[&Value]) -> Option<Value> {
    joined(&texts(values), "/")
}

/// Writes the first three values and the number of the others, as the real server does.
pub(super) fn few(values: &[&Value]) -> Option<Value> {
    const SHOWN: usize = 3;
    let all = texts(values);
    match all.split_at_checked(SHOWN) {
        Some((shown, others)) if !others.is_empty() => {
            let first = shown.join(",");
            let more = others.len();
            Some(format!("{first} + {more} more...").into())
        }
        _ => joined(&all, ","),
    }
}

/// Writes a label selector, or a map of labels.
pub(super) fn selector(values: &[&Value]) -> Option<Value> {
    match selector_text(values.first()?).as_str() {
        "" => None,
        text => Some(text.into()),
    }
}

pub(super) fn access_modes(values: &[&Value]) -> Option<Value> {
    let mut short = Vec::new();
    for mode in values {
        match mode.as_str() {
            Some("ReadWriteOnce") => short.push("RWO"),
            Some("ReadOnlyMany") => short.push("ROX"),
            Some("ReadWriteMany") => short.push("RWX"),
            Some("ReadWriteOncePod") => short.push("RWOP"),
            _ => {}
        }
    }
    joined(&short, ",")
}

/// Writes the subjects of a role binding.
pub(super) fn subjects(values: &[&Value]) -> Option<Value> {
    let mut names = Vec::new();
    for subject in values {
        let name = str_of(subject.get("name"));
        match str_of(subject.get("namespace")) {
            "" => names.push(name.to_owned()),
            namespace => names.push(format!("{namespace}/{name}")),
        }
    }
    joined(&names, ", ")
}

// === columns that definitions declare, by type ===

pub(super) fn boolean(values: &[&Value]) -> Option<Value> {
    let found = *values.first()?;
    found.is_boolean().then(|| found.clone())
}

pub(super) fn date(values: &[&Value]) -> Option<Value> {
    let time = values.first()?.as_str()?;
    Some(elapsed(time).into())
}

pub(super) fn integer(values: &[&Value]) -> Option<Value> {
    let found = number(values)?;
    match found.as_i64() {
        Some(integer) => Some(integer.into()),
        None => Some(found),
    }
}

pub(super) fn number(values: &[&Value]) -> Option<Value> {
    let found = *values.first()?;
    found.is_number().then(|| found.clone())
}

pub(super) fn string(values: &[&Value]) -> Option<Value> {
    let found = values.first()?;
    Some(printed(found).into())
}

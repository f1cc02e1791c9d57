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

fn texts<'a>(values: &[&'a Value]) -> impl Iterator<Item = Cow<'a, str>> {
    set(values).map(|value| match value.as_str() {
        Some(text) => text.into(),
        None => value.to_string().into(),
    })
}

/// Returns all texts in one; `None` if there are none.
fn joined<T: Borrow<str>>(texts: impl Iterator<Item = T>, separator: &str) -> Option<Value> {
    let texts: Vec<T> = texts.collect();
    (!texts.is_empty()).then(|| texts.join(separator).into())
}

pub(super) fn first(values: &[&Value]) -> Option<Value> {
    set(values).next().cloned()
}

pub(super) fn text(values: &[&Value]) -> Option<Value> {
    Some(texts(values).next()?.into())
}

pub(super) fn trimmed(values: &[&Value]) -> Option<Value> {
    Some(texts(values).next()?.trim().into())
}

pub(super) fn lowercase(values: &[&Value]) -> Option<Value> {
    Some(texts(values).next()?.to_lowercase().into())
}

/// Writes a flag as Go writes one that a pointer points to.
pub(super) fn flag(values: &[&Value]) -> Option<Value> {
    let flag = set(values).next()?.as_bool()?;
    Some(if flag { "True" } else { "False" }.into())
}

/// Returns the time since the first timestamp.
pub(super) fn since(values: &[&Value]) -> Option<Value> {
    Some(elapsed(&texts(values).next()?).into())
}

/// Counts the elements or members of all values.
pub(super) fn count(values: &[&Value]) -> Option<Value> {
    let sizes = values.iter().map(|value| match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    });
    (!values.is_empty()).then(|| sizes.sum::<usize>().into())
}

pub(super) fn join(values: &[&Value]) -> Option<Value> {
    joined(texts(values), ",")
}

/// Writes kind and name, or namespace and name.
pub(super) fn reference(values: &[&Value]) -> Option<Value> {
    joined(texts(values), "/")
}

/// Writes the first three values and the number of the others, as the real server does.
pub(super) fn few(values: &[&Value]) -> Option<Value> {
    const SHOWN: usize = 3;
    let shown = joined(texts(values).take(SHOWN), ",")?;
    match texts(values).count().saturating_sub(SHOWN) {
        0 => Some(shown),
        more => Some(format!("{} + {more} more...", shown.as_str()?).into()),
    }
}

/// Writes a label selector, or a map of labels.
pub(super) fn selector(values: &[&Value]) -> Option<Value> {
    let text = selector_text(values.first()?);
    (!text.is_empty()).then(|| text.into())
}

pub(super) fn access_modes(values: &[&Value]) -> Option<Value> {
    let short = values.iter().filter_map(|mode| match mode.as_str()? {
        "ReadWriteOnce" => Some("RWO"),
        "ReadOnlyMany" => Some("ROX"),
        "ReadWriteMany" => Some("RWX"),
        "ReadWriteOncePod" => Some("RWOP"),
        _ => None,
    });
    joined(short, ",")
}

/// Writes the subjects of a role binding.
pub(super) fn subjects(values: &[&Value]) -> Option<Value> {
    let names = values
        .iter()
        .map(|subject| match str_of(subject.get("namespace")) {
            "" => str_of(subject.get("name")).to_owned(),
            namespace => format!("{namespace}/{}", str_of(subject.get("name"))),
        });
    joined(names, ", ")
}

// === columns that definitions declare, by type ===

pub(super) fn boolean(values: &[&Value]) -> Option<Value> {
    let found = *values.first()?;
    found.is_boolean().then(|| found.clone())
}

pub(super) fn date(values: &[&Value]) -> Option<Value> {
    Some(elapsed(values.first()?.as_str()?).into())
}

pub(super) fn integer(values: &[&Value]) -> Option<Value> {
    let found = number(values)?;
    Some(found.as_i64().map_or(found, Value::from))
}

pub(super) fn number(values: &[&Value]) -> Option<Value> {
    let found = *values.first()?;
    found.is_number().then(|| found.clone())
}

pub(super) fn string(values: &[&Value]) -> Option<Value> {
    let found = *values.first()?;
    let text = found.as_str().map(str::to_owned);
    Some(text.unwrap_or_else(|| found.to_string()).into())
}

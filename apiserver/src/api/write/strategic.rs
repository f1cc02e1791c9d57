//! Strategic merge patch: a merge patch that merges associative lists by key.
//!
//! The merge keys are those of the kind's schema (`x-kubernetes-patch-merge-key`).

use serde_json::{Map, Value};

use crate::registry::models::member;
use crate::status::ApiError;

const PATCH: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const ORDER: &str = "$setElementOrder/";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";

/// Merge rule of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListRule<'a> {
    /// The new list replaces the old one.
    Atomic,
    /// The list is a set of strings or numbers.
    Set,
    /// Elements with an equal value of this field are merged.
    By(&'a str),
}

/// Returns the rule for lists with this schema.
fn rule_of(schema: Option<&Value>) -> ListRule<'_> {
    let text = |field: &str| schema.and_then(|schema| schema.get(field)?.as_str());
    let merges = text("x-kubernetes-patch-strategy").is_some_and(|all| all.contains("merge"));
    match text("x-kubernetes-patch-merge-key") {
        _ if !merges => ListRule::Atomic,
        Some(key) => ListRule::By(key),
        None => ListRule::Set,
    }
}

/// Merges `patch` into a document with this schema.
pub(super) fn apply(
    document: &mut Value,
    patch: &Value,
    schema: Option<&Value>,
) -> Result<(), ApiError> {
    let (Value::Object(document), Value::Object(patch)) = (document, patch) else {
        return Err(ApiError::bad_request(
            "a strategic merge patch must be a JSON object",
        ));
    };
    merge_map(document, patch, schema)
}

fn merge_map(
    original: &mut Map<String, Value>,
    patch: &Map<String, Value>,
    schema: Option<&Value>,
) -> Result<(), ApiError> {
    let schema_of = |field: &str| schema.and_then(|schema| member(schema, field));
    match patch.get(PATCH).and_then(Value::as_str) {
        Some("replace") => {
            original.clear();
            let content = patch.iter().filter(|(name, _)| *name != PATCH);
            original.extend(content.map(|(name, value)| (name.clone(), value.clone())));
            return Ok(());
        }
        Some("delete") => {
            original.clear();
            return Ok(());
        }
        Some("merge") | None => {}
        Some(other) => {
            return Err(ApiError::bad_request(format!(
                "unknown patch type found: {other}"
            )));
        }
    }
    if let Some(retained) = patch.get(RETAIN_KEYS).and_then(Value::as_array) {
        original.retain(|name, _| retained.iter().any(|kept| kept == name));
    }
    for (directive, value) in patch {
        if let Some(field) = directive.strip_prefix(DELETE_FROM) {
            if let (Some(Value::Array(list)), Value::Array(gone)) = (original.get_mut(field), value)
            {
                list.retain(|element| !gone.contains(element));
            }
        } else if let Some(field) = directive.strip_prefix(ORDER)
            && !patch.contains_key(field)
            && let (Some(Value::Array(list)), Value::Array(order)) =
                (original.get_mut(field), value)
        {
            let rule = rule_of(schema_of(field));
            let before = std::mem::take(list);
            *list = ordered(before.clone(), order, &before, rule);
        }
    }
    for (field, value) in patch.iter().filter(|(name, _)| !name.starts_with('$')) {
        let order = patch
            .get(&format!("{ORDER}{field}"))
            .and_then(Value::as_array);
        merge_field(original, field, value, order, schema_of(field))?;
    }
    Ok(())
}

fn merge_field(
    original: &mut Map<String, Value>,
    field: &str,
    value: &Value,
    order: Option<&Vec<Value>>,
    schema: Option<&Value>,
) -> Result<(), ApiError> {
    match (original.get_mut(field), value) {
        (_, Value::Null) => {
            original.remove(field);
        }
        (Some(Value::Object(known)), Value::Object(patch)) => merge_map(known, patch, schema)?,
        (Some(Value::Array(known)), Value::Array(patch)) => {
            let merged = merge_list(std::mem::take(known), patch, order, schema)?;
            *known = merged;
        }
        (_, Value::Object(patch)) => {
            // A new value may contain directives, too.
            let mut fresh = Map::new();
            merge_map(&mut fresh, patch, schema)?;
            original.insert(field.to_owned(), fresh.into());
        }
        (_, Value::Array(patch)) => {
            let merged = merge_list(Vec::new(), patch, order, schema)?;
            original.insert(field.to_owned(), merged.into());
        }
        (_, scalar) => {
            original.insert(field.to_owned(), scalar.clone());
        }
    }
    Ok(())
}

fn merge_list(
    original: Vec<Value>,
    patch: &[Value],
    order: Option<&Vec<Value>>,
    schema: Option<&Value>,
) -> Result<Vec<Value>, ApiError> {
    let rule = rule_of(schema);
    let element_schema = schema.and_then(|schema| schema.get("items"));
    let directive = |element: &Value| {
        element
            .get(PATCH)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let elements = || patch.iter().filter(|element| directive(element).is_none());
    let replaces = patch
        .iter()
        .any(|element| directive(element).as_deref() == Some("replace"));
    if rule == ListRule::Atomic || replaces {
        return Ok(elements().cloned().collect());
    }
    let before = original.clone();
    let mut merged = original;
    for element in patch {
        match (rule, directive(element).as_deref()) {
            (ListRule::By(key), Some("delete")) => {
                let gone = element.get(key);
                merged.retain(|known| known.get(key) != gone);
            }
            (ListRule::By(key), _) => merge_element(&mut merged, element, key, element_schema)?,
            _ if merged.contains(element) => {}
            _ => merged.push(element.clone()),
        }
    }
    let content: Vec<Value> = elements().cloned().collect();
    Ok(ordered(merged, order.unwrap_or(&content), &before, rule))
}

fn merge_element(
    merged: &mut Vec<Value>,
    element: &Value,
    key: &str,
    schema: Option<&Value>,
) -> Result<(), ApiError> {
    let Some(fields) = element.as_object() else {
        return Ok(());
    };
    if element.get(key).is_none() {
        return Err(ApiError::bad_request(format!(
            "map: {element} does not contain declared merge key: {key}"
        )));
    }
    let known = merged
        .iter_mut()
        .find(|known| known.get(key) == element.get(key));
    if let Some(known) = known.and_then(Value::as_object_mut) {
        return merge_map(known, fields, schema);
    }
    let mut fresh = Map::new();
    merge_map(&mut fresh, fields, schema)?;
    merged.push(fresh.into());
    Ok(())
}

/// Sorts the elements that `order` names in that order, and keeps the others at their previous
/// position as far as possible.
///
/// As in the real server, new elements come before those that the patch does not name.
fn ordered(
    merged: Vec<Value>,
    order: &[Value],
    before: &[Value],
    rule: ListRule<'_>,
) -> Vec<Value> {
    let position = |list: &[Value], element: &Value| {
        list.iter().position(|other| match rule {
            ListRule::By(key) => other.get(key) == element.get(key),
            ListRule::Set | ListRule::Atomic => other == element,
        })
    };
    let (mut listed, others): (Vec<_>, Vec<_>) = merged
        .into_iter()
        .partition(|element| position(order, element).is_some());
    listed.sort_by_key(|element| position(order, element));
    let mut named = listed.into_iter().peekable();
    let mut rest = others.into_iter().peekable();
    let mut sorted = Vec::new();
    while let (Some(left), Some(right)) = (rest.peek(), named.peek()) {
        let stays = match (position(before, left), position(before, right)) {
            (Some(left), Some(right)) => left < right,
            _ => false,
        };
        sorted.extend(if stays { rest.next() } else { named.next() });
    }
    sorted.extend(named);
    sorted.extend(rest);
    sorted
}

#[cfg(test)]
mod tests;

//! Strategic merge patch: a merge patch that merges associative lists by key.
//!
//! The merge keys are those of the kind's schema (`x-kubernetes-patch-merge-key`).

use serde_json::{Map, Value};

use crate::document::str_of;
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

// === impl ListRule ===

impl ListRule<'_> {
    /// Returns the position of the element that counts as the same.
    fn position(self, list: &[Value], element: &Value) -> Option<usize> {
        list.iter().position(|other| match self {
            Self::By(key) => other.get(key) == element.get(key),
            Self::Set | Self::Atomic => other == element,
        })
    }
}

/// Returns the rule for lists with this schema.
fn rule_of(schema: Option<&Value>) -> ListRule<'_> {
    let Some(schema) = schema else {
        return ListRule::Atomic;
    };
    let strategy = str_of(schema.get("x-kubernetes-patch-strategy"));
    if !strategy.contains("merge") {
        return ListRule::Atomic;
    }
    let key = schema.get("x-kubernetes-patch-merge-key");
    match key.and_then(Value::as_str) {
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
    match patch.get(PATCH).and_then(Value::as_str) {
        Some("replace") => {
            original.clone_from(patch);
            original.remove(PATCH);
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
        let Value::Array(listed) = value else {
            continue;
        };
        if let Some(field) = directive.strip_prefix(DELETE_FROM) {
            if let Some(Value::Array(list)) = original.get_mut(field) {
                list.retain(|element| !listed.contains(element));
            }
        } else if let Some(field) = directive.strip_prefix(ORDER)
            && !patch.contains_key(field)
            && let Some(Value::Array(list)) = original.get_mut(field)
        {
            let rule = rule_of(member_of(schema, field));
            let before = std::mem::take(list);
            *list = ordered(before.clone(), listed, &before, rule);
        }
    }
    for (field, value) in patch {
        if field.starts_with('$') {
            continue;
        }
        let order = patch
            .get(&format!("{ORDER}{field}"))
            .and_then(Value::as_array);
        merge_field(original, field, value, order, member_of(schema, field))?;
    }
    Ok(())
}

fn member_of<'a>(schema: Option<&'a Value>, field: &str) -> Option<&'a Value> {
    member(schema?, field)
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
    let mut content = Vec::new();
    let mut replaces = false;
    for element in patch {
        match directive(element) {
            None => content.push(element.clone()),
            Some(directive) => replaces |= directive == "replace",
        }
    }
    if rule == ListRule::Atomic || replaces {
        return Ok(content);
    }
    let before = original.clone();
    let mut merged = original;
    for element in patch {
        if let ListRule::By(key) = rule {
            if directive(element) == Some("delete") {
                let gone = element.get(key);
                merged.retain(|known| known.get(key) != gone);
            } else {
                merge_element(&mut merged, element, key, element_schema)?;
            }
        } else if !merged.contains(element) {
            merged.push(element.clone());
        }
    }
    let wanted = order.unwrap_or(&content);
    Ok(ordered(merged, wanted, &before, rule))
}

fn directive(element: &Value) -> Option<&str> {
    element.get(PATCH)?.as_str()
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
    let mut listed = Vec::new();
    let mut others = Vec::new();
    for element in merged {
        if rule.position(order, &element).is_some() {
            listed.push(element);
        } else {
            others.push(element);
        }
    }
    listed.sort_by_key(|element| rule.position(order, element));
    let mut named = listed.into_iter().peekable();
    let mut rest = others.into_iter().peekable();
    let mut sorted = Vec::new();
    while let Some(left) = rest.peek()
        && let Some(right) = named.peek()
    {
        let stays = match rule.position(before, left) {
            // A new element has no position.
            Some(left) => rule
                .position(before, right)
                .is_some_and(|right| left < right),
            None => false,
        };
        let next = if stays { rest.next() } else { named.next() };
        sorted.extend(next);
    }
    sorted.extend(named);
    sorted.extend(rest);
    sorted
}

#[cfg(test)]
mod tests;

//! Structural schemas of custom resources: defaulting, pruning and validation.
//!
//! The order is the real server's: unknown fields are pruned and forbidden nulls dropped, then
//! defaults are set, then the whole object is validated. Schemas are used as they stand in the
//! definition; the server does not check that they are structural.

mod format;
mod pattern;
mod read;
mod validate;

use std::sync::Arc;

use serde_json::{Map, Value};

use self::pattern::Patterns;
use self::read::{OF_EVERY_RESOURCE, flag, member, properties};
use crate::document::Members;
use crate::registry::models::{built_in, prefix};
use crate::status::FieldCause;
use crate::typed::{Types, Typing, compile_custom};

/// Schema of one version of a custom resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Schema {
    root: Arc<Value>,
    prunes: bool,
    patterns: Patterns,
    /// Ownership types of the schema.
    typing: Typing,
}

// === impl Schema ===

impl Schema {
    /// Creates a schema. `prunes` is `false` for definitions with `preserveUnknownFields`.
    pub(crate) fn new(root: Value, prunes: bool) -> Self {
        Self {
            root: Arc::new(root),
            prunes,
            patterns: Patterns::default(),
            typing: Typing::default(),
        }
    }

    /// Returns the schema as the definition contains it.
    pub(crate) fn document(&self) -> &Value {
        &self.root
    }

    /// Returns the paths of the fields that are pruned from these members.
    pub(crate) fn unknown_fields(&self, members: &Members) -> Vec<String> {
        let mut pruned = Vec::new();
        if self.prunes {
            prune_map(&mut members.clone(), &self.root, true, &mut pruned);
        }
        pruned
    }

    /// Returns the ownership types of the schema.
    pub(crate) fn types(&self) -> Arc<Types> {
        self.typing
            .get_or_make(|| compile_custom(Some(&self.root), !self.prunes, &built_in))
    }

    /// Prunes and defaults the members that a client has written. A forbidden null is dropped, or
    /// replaced by the default. With `keep_nulls`, a null without a default stays, and validation
    /// reports it.
    pub(crate) fn complete(&self, members: &mut Members, keep_nulls: bool) {
        if self.prunes {
            prune_map(members, &self.root, true, &mut Vec::new());
        }
        default_map(members, &self.root, keep_nulls);
    }

    /// Returns the violations of an object; empty if it is valid.
    pub(crate) fn violations(&self, members: &Members) -> Vec<FieldCause> {
        validate::object(members, &self.root, &self.patterns)
    }
}

/// A pattern that is not a regular expression.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadPattern {
    pub(crate) path: String,
    pub(crate) pattern: String,
    pub(crate) reason: String,
}

/// Returns the first bad pattern of a schema.
pub(crate) fn bad_pattern(schema: &Value, path: &str) -> Option<BadPattern> {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                let found = bad_pattern_in(name, member, path);
                if found.is_some() {
                    return found;
                }
            }
        }
        Value::Array(schemas) => {
            for (index, schema) in schemas.iter().enumerate() {
                let found = bad_pattern(schema, &format!("{path}[{index}]"));
                if found.is_some() {
                    return found;
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    None
}

/// Returns the first bad pattern in the member `name` of the schema at `path`.
fn bad_pattern_in(name: &str, member: &Value, path: &str) -> Option<BadPattern> {
    match (name, member) {
        ("pattern", Value::String(text)) => {
            let reason = pattern::check(text).err()?;
            Some(BadPattern {
                path: format!("{path}.pattern"),
                pattern: text.clone(),
                reason,
            })
        }
        ("properties", Value::Object(fields)) => {
            for (field, schema) in fields {
                let found = bad_pattern(schema, &format!("{path}.properties[{field}]"));
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        // These members contain values, which can look like a schema.
        ("default" | "enum" | "example", _) => None,
        (_, member) => bad_pattern(member, &format!("{path}.{name}")),
    }
}

// === pruning ===

/// Prunes the value at `path`, and adds the paths of the fields that it removes.
fn prune(path: &str, value: &mut Value, schema: &Value, pruned: &mut Vec<String>) {
    let known = pruned.len();
    match value {
        Value::Object(members) => {
            let is_resource = flag(schema, "x-kubernetes-embedded-resource");
            prune_map(members, schema, is_resource, pruned);
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for (at, item) in items.iter_mut().enumerate() {
                    prune(&format!("[{at}]"), item, schema, pruned);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    prefix(path, pruned.get_mut(known..).unwrap_or_default());
}

fn prune_map(
    members: &mut Map<String, Value>,
    schema: &Value,
    is_resource: bool,
    pruned: &mut Vec<String>,
) {
    let keeps_all = flag(schema, "x-kubernetes-preserve-unknown-fields");
    members.retain(|name, value| {
        if is_resource && OF_EVERY_RESOURCE.contains(&name.as_str()) {
            return true;
        }
        match member(schema, name) {
            Some(schema) => prune(name, value, schema, pruned),
            None if keeps_all => {}
            None => {
                pruned.push(name.clone());
                return false;
            }
        }
        true
    });
}

// === defaulting ===

fn fill_defaults(value: &mut Value, schema: &Value, keep_nulls: bool) {
    match value {
        Value::Object(members) => default_map(members, schema, keep_nulls),
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    fill_defaults(item, schema, keep_nulls);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn default_map(members: &mut Map<String, Value>, schema: &Value, keep_nulls: bool) {
    // A forbidden null counts as absent.
    members.retain(|name, value| {
        if !value.is_null() {
            return true;
        }
        let Some(schema) = member(schema, name) else {
            return true;
        };
        flag(schema, "nullable") || (keep_nulls && schema.get("default").is_none())
    });
    for (name, schema) in properties(schema).into_iter().flatten() {
        if let Some(default) = schema.get("default")
            && !members.contains_key(name)
        {
            members.insert(name.clone(), default.clone());
        }
    }
    for (name, value) in members.iter_mut() {
        if let Some(schema) = member(schema, name) {
            fill_defaults(value, schema, keep_nulls);
        }
    }
}

#[cfg(test)]
mod tests;

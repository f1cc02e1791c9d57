//! Structural schema: the description of one value and of the values inside of it.
//!
//! Reading never fails. Parts that do not affect types are ignored: bounds, patterns, rules, and
//! everything below `allOf`, `anyOf`, `oneOf` and `not`, which cannot define members in a
//! structural schema.

use std::collections::{BTreeMap, BTreeSet};

use crate::node::{Node, Value};

/// Schema of a value.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the extensions of the schema format are flags"
)]
pub(crate) struct Schema {
    /// `object`, `array`, `string`, ... Empty if missing.
    pub(crate) kind: String,
    pub(crate) format: String,
    pub(crate) description: String,
    /// Members by their names in JSON.
    pub(crate) properties: BTreeMap<String, Schema>,
    pub(crate) required: BTreeSet<String>,
    /// Schema of the elements of an array.
    pub(crate) items: Option<Box<Schema>>,
    /// Schema of the values of a map.
    pub(crate) values: Option<Box<Schema>>,
    /// Allowed strings. Empty if all are allowed, or if the value is not a string.
    pub(crate) texts: Vec<String>,
    pub(crate) is_nullable: bool,
    pub(crate) is_int_or_string: bool,
    /// `true` for an object with `apiVersion`, `kind` and `metadata`.
    pub(crate) is_embedded: bool,
    /// `true` if the API server keeps members that are not in the schema.
    pub(crate) keeps_unknown: bool,
}

// === impl Schema ===

impl Schema {
    pub(crate) fn new(node: &Node) -> Self {
        let text = |key| node.get(key).and_then(Node::as_str).unwrap_or_default();
        let is = |key| node.get(key).and_then(Node::as_bool) == Some(true);
        let below = |key| node.get(key).map(|node| Box::new(Self::new(node)));
        let members = node.get("properties").into_iter().flat_map(Node::entries);
        let required = node.get("required").and_then(Node::as_sequence);
        let required = required.into_iter().flatten().filter_map(Node::as_str);
        let values = node.get("additionalProperties");
        Self {
            kind: text("type").to_owned(),
            format: text("format").to_owned(),
            description: text("description").to_owned(),
            properties: members
                .map(|(name, node)| (name.clone(), Self::new(node)))
                .collect(),
            required: required.map(str::to_owned).collect(),
            items: below("items"),
            values: values
                .filter(|values| values.as_bool() != Some(false))
                .map(|values| Box::new(Self::new(values))),
            texts: texts(node),
            is_nullable: is("nullable"),
            is_int_or_string: is("x-kubernetes-int-or-string"),
            is_embedded: is("x-kubernetes-embedded-resource"),
            keeps_unknown: is("x-kubernetes-preserve-unknown-fields"),
        }
    }

    /// Reports whether a member is required.
    pub(crate) fn requires(&self, member: &str) -> bool {
        self.required.contains(member)
    }
}

/// Returns the strings of an `enum`. A nullable value allows `null` in addition.
fn texts(node: &Node) -> Vec<String> {
    let values = node.get("enum").and_then(Node::as_sequence);
    let mut texts = Vec::new();
    for value in values.into_iter().flatten() {
        match &value.value {
            Value::String(text) if !texts.contains(text) => texts.push(text.clone()),
            Value::String(_) | Value::Other => {}
            Value::Bool(_) | Value::Sequence(_) | Value::Mapping(_) => return Vec::new(),
        }
    }
    texts
}

//! Structural schema: the description of one value and of the values inside of it.
//!
//! Reading never fails. Parts that do not affect types are ignored: bounds, patterns, rules, and
//! everything below `allOf`, `anyOf`, `oneOf` and `not`, which cannot define members in a
//! structural schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use informer_manifest::{Node, Place, Value};

use crate::error::escaped;

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
    /// Bounds of an integer.
    pub(crate) minimum: Option<i128>,
    pub(crate) maximum: Option<i128>,
    pub(crate) is_nullable: bool,
    /// `true` if the API server sets a missing value.
    pub(crate) has_default: bool,
    pub(crate) is_int_or_string: bool,
    /// `true` for an object with `apiVersion`, `kind` and `metadata`.
    pub(crate) is_embedded: bool,
    /// `true` if the API server keeps members that are not in the schema.
    pub(crate) keeps_unknown: bool,
}

/// Mistakes and oddities of a schema, with their positions.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// Parts that the API server rejects.
    pub(crate) mistakes: Vec<(Place, &'static str)>,
    /// Parts that the author probably means otherwise.
    pub(crate) oddities: Vec<(Place, &'static str)>,
}

/// Difference between two schemas.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SchemaDifference {
    /// Names of the members up to the difference.
    path: Vec<String>,
    /// Keyword with two values. `None` if only one schema has the member.
    keyword: Option<&'static str>,
}

const NO_NAME: &str =
    "`required` must have strings only; quote words such as `y` and `on`, and numbers";

const NO_TEXT: &str = "an `enum` of strings has a value that is not a string; quote words such as `y` \
                       and `on`, and numbers";

// === impl Schema ===

impl Schema {
    pub(crate) fn new(node: &Node, remarks: &mut Remarks) -> Self {
        let text = |key| {
            let value = node.get(key).and_then(Node::as_str);
            value.unwrap_or_default()
        };
        let is = |key| {
            let value = node.get(key).and_then(Node::as_bool);
            value == Some(true)
        };
        let kind = text("type").to_owned();
        let mut properties = BTreeMap::new();
        if let Some(members) = node.get("properties").and_then(Node::as_mapping) {
            for (name, member) in members {
                properties.insert(name.clone(), Self::new(member, remarks));
            }
        }
        let mut below = |key| {
            let inner = node.get(key)?;
            // `additionalProperties: false` allows no other members.
            if inner.as_bool() == Some(false) {
                return None;
            }
            Some(Box::new(Self::new(inner, remarks)))
        };
        Self {
            format: text("format").to_owned(),
            description: text("description").to_owned(),
            items: below("items"),
            values: below("additionalProperties"),
            properties,
            required: required(node, remarks),
            texts: texts(node, kind == "string", remarks),
            minimum: node.get("minimum").and_then(bound),
            maximum: node.get("maximum").and_then(bound),
            is_nullable: is("nullable"),
            has_default: node.get("default").is_some(),
            is_int_or_string: is("x-kubernetes-int-or-string"),
            is_embedded: is("x-kubernetes-embedded-resource"),
            keeps_unknown: is("x-kubernetes-preserve-unknown-fields"),
            kind,
        }
    }

    /// Reports whether a member is required.
    pub(crate) fn requires(&self, member: &str) -> bool {
        self.required.contains(member)
    }

    /// Returns the Rust type of an integer.
    ///
    /// The API server checks the ranges of `int32` and `int64`. Every other format is a convention, and
    /// its type is used only if the bounds of the schema exclude all other values.
    pub(super) fn integer(&self) -> &'static str {
        match self.format.as_str() {
            "int8" if self.has_range(i8::MIN.into(), i8::MAX.into()) => "i8",
            "int16" if self.has_range(i16::MIN.into(), i16::MAX.into()) => "i16",
            "int32" => "i32",
            "uint8" if self.has_range(0, u8::MAX.into()) => "u8",
            "uint16" if self.has_range(0, u16::MAX.into()) => "u16",
            "uint32" if self.has_range(0, u32::MAX.into()) => "u32",
            // No integer exceeds an `i64`.
            "uint64" if self.minimum.is_some_and(|bound| bound >= 0) => "u64",
            _ => "i64",
        }
    }

    /// Reports whether the bounds exclude all values outside of a range.
    fn has_range(&self, least: i128, greatest: i128) -> bool {
        match (self.minimum, self.maximum) {
            (Some(minimum), Some(maximum)) => minimum >= least && maximum <= greatest,
            (None, _) | (_, None) => false,
        }
    }

    /// Returns a difference that can matter to a type. Descriptions do not count.
    pub(crate) fn difference(&self, other: &Self) -> Option<SchemaDifference> {
        let keywords = [
            ("type", self.kind == other.kind),
            ("format", self.format == other.format),
            ("enum", self.texts == other.texts),
            ("required", self.required == other.required),
            ("nullable", self.is_nullable == other.is_nullable),
            ("default", self.has_default == other.has_default),
            ("minimum and maximum", self.integer() == other.integer()),
            (
                "x-kubernetes-int-or-string",
                self.is_int_or_string == other.is_int_or_string,
            ),
            (
                "x-kubernetes-embedded-resource",
                self.is_embedded == other.is_embedded,
            ),
            (
                "x-kubernetes-preserve-unknown-fields",
                self.keeps_unknown == other.keeps_unknown,
            ),
        ];
        for (keyword, is_equal) in keywords {
            if !is_equal {
                return Some(SchemaDifference {
                    path: Vec::new(),
                    keyword: Some(keyword),
                });
            }
        }
        let names: BTreeSet<&String> = self
            .properties
            .keys()
            .chain(other.properties.keys())
            .collect();
        let mut members = Vec::new();
        for name in names {
            let ours = self.properties.get(name);
            members.push((name.as_str(), ours, other.properties.get(name)));
        }
        members.push(("[]", self.items.as_deref(), other.items.as_deref()));
        members.push(("['key']", self.values.as_deref(), other.values.as_deref()));
        members
            .into_iter()
            .find_map(|(name, ours, theirs)| SchemaDifference::below(name, ours, theirs))
    }
}

fn required(node: &Node, remarks: &mut Remarks) -> BTreeSet<String> {
    let names = node.get("required").and_then(Node::as_sequence);
    let mut required = BTreeSet::new();
    for name in names.unwrap_or_default() {
        if let Some(text) = name.as_str() {
            required.insert(text.to_owned());
        } else {
            remarks.mistakes.push((name.at, NO_NAME));
        }
    }
    required
}

/// Returns the strings of an `enum`. A nullable value allows `null` in addition.
fn texts(node: &Node, is_string: bool, remarks: &mut Remarks) -> Vec<String> {
    let values = node.get("enum").and_then(Node::as_sequence);
    let mut texts = Vec::new();
    for value in values.unwrap_or_default() {
        if let Value::String(text) = &value.value {
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        } else if value.value != Value::Null {
            if is_string {
                remarks.oddities.push((value.at, NO_TEXT));
            }
            return Vec::new();
        }
    }
    texts
}

/// Returns a bound of integers. The API server rejects one with a fraction.
fn bound(node: &Node) -> Option<i128> {
    match node.value {
        Value::Integer(value) => Some(value.into()),
        Value::Unsigned(value) => Some(value.into()),
        Value::Null
        | Value::Bool(_)
        | Value::Float(_)
        | Value::String(_)
        | Value::Sequence(_)
        | Value::Mapping(_) => None,
    }
}

// === impl SchemaDifference ===

impl SchemaDifference {
    /// Returns a difference between the schemas of a member, with the path from its owner.
    fn below(name: &str, ours: Option<&Schema>, theirs: Option<&Schema>) -> Option<Self> {
        let mut difference = match (ours, theirs) {
            (Some(ours), Some(theirs)) => ours.difference(theirs)?,
            (None, None) => return None,
            (Some(_), None) | (None, Some(_)) => Self {
                path: Vec::new(),
                keyword: None,
            },
        };
        difference.path.insert(0, name.to_owned());
        Some(difference)
    }
}

impl fmt::Display for SchemaDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = String::new();
        for name in &self.path {
            if !path.is_empty() && !name.starts_with('[') {
                path.push('.');
            }
            path.push_str(name);
        }
        let shown = escaped(&path);
        match self.keyword {
            Some(keyword) if path.is_empty() => write!(f, "`{keyword}` of the schema differs"),
            Some(keyword) => write!(f, "`{keyword}` of `{shown}` differs"),
            None => write!(f, "only one has `{shown}`"),
        }
    }
}

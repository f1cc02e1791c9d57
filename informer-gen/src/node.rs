//! YAML (and JSON) as a tree with the position of each value.
//!
//! The tree accepts every document, so documents next to a definition cannot make reading fail.

use std::fmt;
use std::path::Path;

use informer_manifest::ParseError;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use crate::error::{Error, Location};

/// Value with its position.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(super) line: u64,
    pub(super) column: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Bool(bool),
    String(String),
    Sequence(Vec<Node>),
    Mapping(Vec<(String, Node)>),
    /// Null or a number, which no caller reads.
    Other,
}

/// Returns the documents of a file, without empty documents.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Vec<Node>, Error> {
    informer_manifest::parse(text).map_err(|error| refusal(path, text, &error))
}

fn refusal(path: &Path, text: &str, error: &ParseError) -> Error {
    let at = Location {
        path: path.to_owned(),
        line: error.line,
        column: error.column,
    };
    let hint = if text.contains("{{") {
        "; the file looks like a template, pass its rendered form"
    } else {
        ""
    };
    at.error(format!("cannot be parsed as YAML: {}{hint}", error.message))
}

// === impl Node ===

impl Node {
    /// Returns the value of a mapping's key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let mut entries = self.entries().iter();
        entries.find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Returns the keys and values of a mapping.
    pub(crate) fn entries(&self) -> &[(String, Node)] {
        match &self.value {
            Value::Mapping(entries) => entries,
            Value::Bool(_) | Value::String(_) | Value::Sequence(_) | Value::Other => &[],
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            Value::Bool(_) | Value::Sequence(_) | Value::Mapping(_) | Value::Other => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match &self.value {
            Value::Bool(value) => Some(*value),
            Value::String(_) | Value::Sequence(_) | Value::Mapping(_) | Value::Other => None,
        }
    }

    pub(crate) fn as_sequence(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Sequence(items) => Some(items),
            Value::Bool(_) | Value::String(_) | Value::Mapping(_) | Value::Other => None,
        }
    }

    pub(super) fn at(&self, path: &Path) -> Location {
        Location {
            path: path.to_owned(),
            line: self.line,
            column: self.column,
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        Ok(Self {
            line: spanned.referenced.line(),
            column: spanned.referenced.column(),
            value: spanned.value,
        })
    }
}

// === impl Value ===

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = items.next_element()? {
            nodes.push(node);
        }
        Ok(Value::Sequence(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            nodes.push((key, entries.next_value()?));
        }
        Ok(Value::Mapping(nodes))
    }
}

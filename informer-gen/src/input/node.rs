//! YAML (and so JSON) as a tree that knows where each value stands.
//!
//! A tree, and not structs, as the documents beside a definition can be anything and must not
//! make reading it fail.

use std::fmt;
use std::panic;
use std::path::Path;
use std::thread;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use crate::error::{Error, Location};

/// A value and its place.
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
    /// Null, a number: nothing that is looked at.
    Other,
}

/// How deep a document may be; a field of a schema takes two levels.
const MAX_DEPTH: usize = 256;

/// How many values, keys and brackets all aliases together may stand for.
const MAX_REPLAYED: usize = 100_000;

/// Without optimisation, as in build scripts, the parser takes 35 KiB of stack for each level. A
/// main thread has 1 MiB on some systems, less than real definitions need.
const STACK_SIZE: usize = MAX_DEPTH * 128 * 1024;

/// The documents of a file, without empty ones.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Vec<Node>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parser = thread::Builder::new().stack_size(STACK_SIZE);
    let parsed = thread::scope(|scope| {
        let parsing = parser.spawn_scoped(scope, || documents(text))?;
        Ok(parsing.join())
    });
    match parsed {
        Ok(Ok(documents)) => documents.map_err(|error| refusal(path, text, &error)),
        Ok(Err(panic)) => panic::resume_unwind(panic),
        Err(source) => Err(Error::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

fn documents(text: &str) -> Result<Vec<Node>, serde_saphyr::Error> {
    // Size is no sign of hostile input here: a bundle of many definitions is just large.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_depth: MAX_DEPTH,
            max_total_scalar_bytes: usize::MAX,
        },
        // But a few aliases of aliases can stand for more than a machine can hold.
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_REPLAYED,
        },
    };
    serde_saphyr::from_multiple_with_options(text, options)
}

fn refusal(path: &Path, text: &str, error: &serde_saphyr::Error) -> Error {
    let error = error.without_snippet();
    let place = error.location();
    let line = place.map_or(0, |place| place.line());
    let column = place.map_or(0, |place| place.column());
    let message = error.to_string();
    let repeated = format!(" at line {line}, column {column}");
    // Advice for those who program with the parser.
    let message = match message.split_once(", set DuplicateKeyPolicy") {
        Some((message, _)) => format!("{message}{repeated}"),
        None => message,
    };
    Error::Parse {
        at: Location {
            path: path.to_owned(),
            line,
            column,
        },
        message: message
            .strip_suffix(&repeated)
            .unwrap_or(&message)
            .to_owned(),
        hint: if text.contains("{{") {
            "; it looks like a template, give its rendered form"
        } else {
            ""
        },
    }
}

// === impl Node ===

impl Node {
    /// The value of a mapping's key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Mapping(entries) => {
                let mut entries = entries.iter();
                entries.find(|(name, _)| name == key).map(|(_, node)| node)
            }
            Value::Bool(_) | Value::String(_) | Value::Sequence(_) | Value::Other => None,
        }
    }

    /// The keys of a mapping and their values.
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

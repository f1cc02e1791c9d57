//! Documents as trees with the position of each value.

use std::collections::BTreeMap;

/// Document of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Content, which is not null.
    pub root: Node,
    /// Keys that their author may have meant otherwise, in the order of the text.
    pub oddities: Vec<Oddity>,
}

/// Key that its author may have meant otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// Place of the key.
    pub at: Place,
    /// Key as it is in the text.
    pub key: String,
    /// Reason.
    pub kind: OddKey,
}

/// Reason why a key is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddKey {
    /// The mapping has the key already. The value of the later key is used.
    Repeated,
    /// The text is a boolean or a number, so that the member may have another name: `true` for `y`,
    /// `8` for `010`.
    NoString,
}

/// Value with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Value.
    pub value: Value,
    /// Place of the value. Of an alias, position of the aliased value.
    pub at: Place,
}

/// Value of JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null, or no value.
    Null,
    /// Boolean, among them the words of YAML 1.1, such as `y` and `off`.
    Bool(bool),
    /// Integer.
    Integer(i64),
    /// Integer above the maximum of `i64`.
    Unsigned(u64),
    /// Any other number. Never infinite.
    Float(f64),
    /// String.
    String(String),
    /// List.
    Sequence(Vec<Node>),
    /// Members by their keys.
    Mapping(BTreeMap<String, Node>),
}

/// Place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

// === impl Place ===

impl Place {
    /// Beginning of a text.
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// Returns the position in a text of a position in a part of the text that begins here.
    pub(crate) fn and(self, within: Self) -> Self {
        if within.line == 1 {
            return Self {
                line: self.line,
                column: self.column.saturating_add(within.column - 1),
            };
        }
        Self {
            line: self.line.saturating_add(within.line - 1),
            column: within.column,
        }
    }
}

// === impl Node ===

impl Node {
    /// Returns the value of a mapping's key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_mapping()?.get(key)
    }

    /// Returns the members of a mapping.
    #[must_use]
    pub fn as_mapping(&self) -> Option<&BTreeMap<String, Self>> {
        let Value::Mapping(members) = &self.value else {
            return None;
        };
        Some(members)
    }

    /// Returns the elements of a list.
    #[must_use]
    pub fn as_sequence(&self) -> Option<&[Self]> {
        let Value::Sequence(items) = &self.value else {
            return None;
        };
        Some(items)
    }

    /// Returns a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        let Value::String(text) = &self.value else {
            return None;
        };
        Some(text)
    }

    /// Returns a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        let Value::Bool(value) = &self.value else {
            return None;
        };
        Some(*value)
    }
}

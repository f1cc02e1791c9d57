//! One step of a path into a document.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::scalar::Scalar;

/// One step of a path. Fields sort before keys, keys before values, values before indices.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    /// A member of a map: `.spec`.
    Field(String),
    /// The element of a list with these members, by name: `[name="a"]`.
    Key(Vec<(String, Scalar)>),
    /// The element of a set with this value: `[="a"]`.
    Value(Scalar),
    /// The element of a list at this index: `[0]`.
    Index(i64),
}

// === impl Element ===

impl Element {
    pub(crate) fn field(name: impl Into<String>) -> Self {
        Self::Field(name.into())
    }

    /// Creates a key; sorts its members.
    pub(super) fn key(members: impl IntoIterator<Item = (String, Value)>) -> Self {
        let mut sorted = Vec::new();
        for (name, value) in members {
            sorted.push((name, Scalar::new(value)));
        }
        sorted.sort_unstable();
        Self::Key(sorted)
    }

    pub(super) fn value(value: Value) -> Self {
        Self::Value(Scalar::new(value))
    }

    /// Returns the step as in `fieldsV1`: `f:spec`, `k:{"name":"a"}`, `v:"a"`, `i:0`.
    pub(super) fn to_v1(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(members) => {
                let mut object = Map::new();
                for (name, value) in members {
                    object.insert(name.clone(), value.as_value().clone());
                }
                format!("k:{}", escaped(&object.into()))
            }
            Self::Value(value) => format!("v:{}", escaped(value.as_value())),
            Self::Index(at) => format!("i:{at}"),
        }
    }

    /// Parses the output of [`to_v1`](Self::to_v1); `None` for an unknown kind of step.
    pub(super) fn from_v1(text: &str) -> Result<Option<Self>, String> {
        let Some((kind, rest)) = text.split_at_checked(2) else {
            return Err("key must be 2 characters long:".to_owned());
        };
        if !kind.ends_with(':') {
            return Err(format!("missing colon: {text}"));
        }
        let step = match kind {
            "f:" => Self::Field(rest.to_owned()),
            "k:" => {
                let members: Map<String, Value> = decoded(rest)?;
                Self::key(members)
            }
            "v:" => Self::value(decoded(rest)?),
            "i:" => match rest.parse() {
                Ok(at) => Self::Index(at),
                Err(_) => {
                    return Err(format!("strconv.Atoi: parsing {rest:?}: invalid syntax"));
                }
            },
            _ => return Ok(None),
        };
        Ok(Some(step))
    }
}

fn decoded<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Encodes JSON as Go does, with HTML characters escaped.
fn escaped(value: &Value) -> String {
    let text = value.to_string();
    if text.contains(['<', '>', '&']) {
        text.replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace('&', "\\u0026")
    } else {
        text
    }
}

/// Writes the step as in conflicts: `.spec`, `[name="a"]`, `[="a"]`, `[0]`.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(members) => {
                f.write_str("[")?;
                for (at, (name, value)) in members.iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    write!(f, "{comma}{name}={}", value.as_value())?;
                }
                f.write_str("]")
            }
            Self::Value(value) => write!(f, "[={}]", value.as_value()),
            Self::Index(at) => write!(f, "[{at}]"),
        }
    }
}

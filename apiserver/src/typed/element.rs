//! One step of a path into a document.

use std::fmt;

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
        let members = members.into_iter();
        let mut members: Vec<_> = members.map(|(name, v)| (name, Scalar::new(v))).collect();
        members.sort_unstable();
        Self::Key(members)
    }

    pub(super) fn value(value: Value) -> Self {
        Self::Value(Scalar::new(value))
    }

    /// Returns the step as in `fieldsV1`: `f:spec`, `k:{"name":"a"}`, `v:"a"`, `i:0`.
    pub(super) fn to_v1(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| (name.clone(), value.as_value().clone()));
                format!("k:{}", escaped(&Value::Object(members.collect())))
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
        let unreadable = |error: serde_json::Error| error.to_string();
        Ok(Some(match kind {
            "f:" => Self::Field(rest.to_owned()),
            "k:" => {
                let members: Map<String, Value> = serde_json::from_str(rest).map_err(unreadable)?;
                Self::key(members)
            }
            "v:" => Self::value(serde_json::from_str(rest).map_err(unreadable)?),
            "i:" => {
                let at = rest.parse();
                let syntax = |_| format!("strconv.Atoi: parsing {rest:?}: invalid syntax");
                Self::Index(at.map_err(syntax)?)
            }
            _ => return Ok(None),
        }))
    }
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

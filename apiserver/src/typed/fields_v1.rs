//! Encoding of sets as `fieldsV1`: `{"f:spec":{"f:replicas":{}}}`.

use serde_json::{Map, Value};

use super::element::Element;
use super::set::{Node, Set};

/// Key for the step itself, if it is a member as well as a step below it.
const SELF: &str = ".";

// === impl Set ===

impl Set {
    pub(crate) fn to_v1(&self) -> Value {
        let mut members = Map::new();
        for (step, node) in self.iter() {
            let mut below = node.below.to_v1();
            if let Value::Object(below) = &mut below
                && node.member
                && !below.is_empty()
            {
                below.insert(SELF.to_owned(), Value::Object(Map::new()));
            }
            members.insert(step.to_v1(), below);
        }
        Value::Object(members)
    }

    /// Decodes the output of [`to_v1`](Self::to_v1). Skips unknown kinds of steps.
    pub(crate) fn from_v1(fields: &Value) -> Result<Self, String> {
        let Value::Object(fields) = fields else {
            return Err("fieldsV1 is not an object".to_owned());
        };
        let mut set = Self::default();
        for (step, below) in fields {
            if step == SELF {
                continue;
            }
            if let Some(step) = Element::from_v1(step)? {
                let inner = Self::from_v1(below)?;
                // A step without further steps below it is a member.
                let member = inner.is_empty() || below.get(SELF).is_some();
                let node = Node {
                    member,
                    below: inner,
                };
                set.add(step, node);
            }
        }
        Ok(set)
    }
}

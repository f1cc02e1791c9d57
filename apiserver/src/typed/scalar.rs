//! Values that identify elements of lists, in the total order of the Go library.

use std::cmp::Ordering;

use serde_json::Value;

/// A value in a path. Numbers sort first, then strings, booleans, lists, maps and null; integers
/// and floating-point numbers compare by value.
#[derive(Debug, Clone)]
pub(crate) struct Scalar(Value);

// === impl Scalar ===

impl Scalar {
    pub(super) fn new(value: Value) -> Self {
        Self(value)
    }

    pub(super) fn as_value(&self) -> &Value {
        &self.0
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scalar {}

impl PartialOrd for Scalar {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scalar {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
                a.cmp(&b)
            } else {
                let float = |n: &serde_json::Number| n.as_f64().unwrap_or(f64::INFINITY);
                float(a).total_cmp(&float(b))
            }
        }
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        // Keys of lists are scalars; anything else only needs some order.
        _ => rank(a)
            .cmp(&rank(b))
            .then_with(|| a.to_string().cmp(&b.to_string())),
    }
}

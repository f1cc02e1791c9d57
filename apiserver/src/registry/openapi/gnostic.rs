//! `/openapi/v2` in protobuf: gnostic's message `openapi.v2.Document`.
//!
//! The messages are data: `gnostic.jsonl` is written by `apiserver/gnostic` from the published
//! descriptor. Encoding never fails: it leaves out members that gnostic does not know.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::LazyLock;

use informer_protobuf::{WireType, put_bytes, put_nested, put_tag, put_varint};
use serde::Deserialize;
use serde_json::Value;

/// Messages by name.
static MESSAGES: LazyLock<HashMap<String, Message>> = LazyLock::new(|| {
    let lines = include_str!("gnostic.jsonl").lines();
    let messages = lines.filter_map(|line| serde_json::from_str::<Message>(line).ok());
    messages
        .map(|message| (message.name.clone(), message))
        .collect()
});

#[derive(Debug, Deserialize)]
struct Message {
    #[serde(rename = "message")]
    name: String,
    /// `true` if the fields are alternatives.
    #[serde(default)]
    oneof: bool,
    fields: Vec<Field>,
}

#[derive(Debug, Deserialize)]
struct Field {
    number: u32,
    /// `string`, `bool`, `int64`, `double`, `Any` or the name of a message.
    #[serde(rename = "type")]
    kind: String,
    /// Member of the JSON object that the field holds. Empty if it holds the whole value.
    #[serde(default)]
    key: String,
    /// Set if the field is a map, which holds all members whose names begin with this prefix.
    prefix: Option<String>,
    #[serde(default)]
    repeated: bool,
    /// Members that an alternative needs, with their constant values. Any value fits an empty one.
    #[serde(default, rename = "if")]
    conditions: BTreeMap<String, String>,
}

/// Encodes a document of OpenAPI version 2 in protobuf.
pub(crate) fn encode(document: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(message) = MESSAGES.get("Document") {
        message.put(&mut out, document);
    }
    out
}

// === impl Message ===

impl Message {
    /// Appends the fields of the message that holds `value`.
    fn put(&self, out: &mut Vec<u8>, value: &Value) {
        if self.oneof {
            // The last one counts, because gnostic tries all of them in order.
            if let Some(field) = self.fields.iter().rfind(|field| field.fits(value)) {
                put(out, field.number, &field.kind, value, true);
            }
            return;
        }
        for field in &self.fields {
            if let Some(prefix) = &field.prefix {
                let members = value.as_object().into_iter().flatten();
                for (name, member) in members.filter(|(name, _)| self.prefix_of(name) == prefix) {
                    put_message(out, field.number, |out| {
                        put_bytes(out, 1, name.as_bytes());
                        put(out, 2, &field.kind, member, false);
                    });
                }
                continue;
            }
            let held = if field.key.is_empty() {
                Some(value)
            } else {
                value.get(&field.key)
            };
            match held {
                Some(Value::Array(items)) if field.repeated => {
                    for item in items {
                        put(out, field.number, &field.kind, item, true);
                    }
                }
                Some(held) => put(out, field.number, &field.kind, held, field.repeated),
                None => {}
            }
        }
    }

    /// Prefix of the map that holds a member: the longest that fits.
    fn prefix_of(&self, name: &str) -> &str {
        let prefixes = self.fields.iter().filter_map(|field| field.prefix.as_ref());
        prefixes
            .filter(|prefix| name.starts_with(*prefix))
            .max_by_key(|prefix| prefix.len())
            .map_or("", String::as_str)
    }
}

// === impl Field ===

impl Field {
    /// Reports whether this alternative of a oneof can hold `value`.
    fn fits(&self, value: &Value) -> bool {
        if self.kind == "bool" {
            return value.is_boolean();
        }
        value.is_object()
            && self.conditions.iter().all(|(key, constant)| {
                let member = value.get(key);
                member.is_some_and(|member| constant.is_empty() || member == constant)
            })
    }
}

/// Appends a field. Leaves out a zero scalar unless it is `explicit`, as elements and alternatives
/// are.
fn put(out: &mut Vec<u8>, number: u32, kind: &str, value: &Value, explicit: bool) {
    match (kind, value) {
        ("string", Value::String(text)) if explicit || !text.is_empty() => {
            put_bytes(out, number, text.as_bytes());
        }
        ("bool", Value::Bool(flag)) if explicit || *flag => {
            put_tag(out, number, WireType::Varint);
            put_varint(out, u64::from(*flag));
        }
        ("int64", Value::Number(integer)) if integer.as_f64() != Some(0.0) => {
            if let Some(integer) = integer.as_i64() {
                put_tag(out, number, WireType::Varint);
                put_varint(out, integer.cast_unsigned());
            }
        }
        ("double", Value::Number(double)) if double.as_f64() != Some(0.0) => {
            if let Some(double) = double.as_f64() {
                put_tag(out, number, WireType::Fixed64);
                out.extend_from_slice(&double.to_le_bytes());
            }
        }
        // A document in YAML, which JSON is.
        ("Any", value) => put_message(out, number, |out| {
            put_bytes(out, 2, value.to_string().as_bytes());
        }),
        (name, value) => {
            if let Some(message) = MESSAGES.get(name) {
                put_message(out, number, |out| message.put(out, value));
            }
        }
    }
}

fn put_message(out: &mut Vec<u8>, number: u32, fields: impl FnOnce(&mut Vec<u8>)) {
    let Ok(()) = put_nested(out, number, |out| {
        fields(out);
        Ok::<_, Infallible>(())
    });
}

#[cfg(test)]
mod tests;

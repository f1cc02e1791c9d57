//! `/openapi/v2` in protobuf: gnostic's message `openapi.v2.Document`.
//!
//! The messages are data: `gnostic.jsonl` is written by `apiserver/gnostic` from the published
//! descriptor. Encoding never fails: it leaves out members that gnostic does not know.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

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
    MESSAGES
        .get("Document")
        .map_or_else(Vec::new, |message| message.encode(document))
}

// === impl Message ===

impl Message {
    fn encode(&self, value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        if self.oneof {
            // The last one counts, because gnostic tries all of them in order.
            if let Some(field) = self.fields.iter().rfind(|field| field.fits(value)) {
                put(&mut out, field.number, &field.kind, value, true);
            }
            return out;
        }
        for field in &self.fields {
            if let Some(prefix) = &field.prefix {
                let members = value.as_object().into_iter().flatten();
                for (name, member) in members.filter(|(name, _)| self.prefix_of(name) == prefix) {
                    let mut entry = Vec::new();
                    put_bytes(&mut entry, 1, name.as_bytes());
                    put(&mut entry, 2, &field.kind, member, false);
                    put_bytes(&mut out, field.number, &entry);
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
                        put(&mut out, field.number, &field.kind, item, true);
                    }
                }
                Some(held) => put(&mut out, field.number, &field.kind, held, field.repeated),
                None => {}
            }
        }
        out
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
            put_tag(out, number, 0);
            put_varint(out, u64::from(*flag));
        }
        ("int64", Value::Number(integer)) if integer.as_f64() != Some(0.0) => {
            if let Some(integer) = integer.as_i64() {
                put_tag(out, number, 0);
                put_varint(out, integer.cast_unsigned());
            }
        }
        ("double", Value::Number(double)) if double.as_f64() != Some(0.0) => {
            if let Some(double) = double.as_f64() {
                put_tag(out, number, 1);
                out.extend_from_slice(&double.to_le_bytes());
            }
        }
        ("Any", value) => {
            // A document in YAML, which JSON is.
            let mut any = Vec::new();
            put_bytes(&mut any, 2, value.to_string().as_bytes());
            put_bytes(out, number, &any);
        }
        (name, value) => {
            if let Some(message) = MESSAGES.get(name) {
                put_bytes(out, number, &message.encode(value));
            }
        }
    }
}

fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_tag(out, number, 2);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_tag(out: &mut Vec<u8>, number: u32, wire_type: u32) {
    put_varint(out, u64::from(number << 3 | wire_type));
}

fn put_varint(out: &mut Vec<u8>, mut rest: u64) {
    loop {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests;

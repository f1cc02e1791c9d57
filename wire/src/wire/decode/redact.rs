//! Removes values from decoding errors.
//!
//! serde quotes the value that it found (`invalid type: string "hunter2", expected u32`). The
//! expected type is safe to show. The value that was found is content of the object and is removed.

use informer_protobuf::ErrorKind;

use crate::wire::text;

/// Maximum length of a path and of a message, in bytes.
const MAX_LENGTH: usize = 512;

/// Terms of serde for the kind of a value; none of them quotes the value.
const FOUND: [&str; 17] = [
    "boolean",
    "integer",
    "floating point",
    "character",
    "string",
    "byte array",
    "unit value",
    "Option value",
    "newtype struct",
    "sequence",
    "map",
    "enum",
    "unit variant",
    "newtype variant",
    "tuple variant",
    "struct variant",
    "null",
];

/// Prefixes of messages whose tail comes from the type, not from the object.
const STATIC: [&str; 3] = [
    "missing field `",
    "duplicate field `",
    "data did not match any variant of untagged enum ",
];

/// Message for all other errors.
const REJECTED: &str = "the type rejects the value";

/// Endings of serde's messages about a name if the type has no names.
const NO_NAMES: [&str; 2] = [", there are no fields", ", there are no variants"];

/// Returns a document path, truncated and printable.
pub(super) fn path(path: &str) -> String {
    text::printable(path, MAX_LENGTH)
}

/// Returns the message of an error of a value, without what was found in the document.
pub(super) fn message(message: &str) -> String {
    text::printable(&without_value(message), MAX_LENGTH)
}

/// Returns the syntax error of a text that is not JSON, with its position.
pub(super) fn syntax(text: &[u8]) -> String {
    match serde_json::from_slice::<serde_json::Value>(text) {
        // Messages of `serde_json` itself, which quote nothing.
        Err(error) => text::printable(&error.to_string(), MAX_LENGTH),
        Ok(_) => REJECTED.to_owned(),
    }
}

/// Returns the message of an error of protobuf, without the value that was found.
pub(super) fn protobuf_message(error: &ErrorKind) -> String {
    let message = if let ErrorKind::Data(message) = error {
        without_value(message)
    } else if matches!(error, ErrorKind::Json(_)) {
        // This message comes from a JSON text inside the object, and may quote it.
        "the type rejects JSON inside the object".to_owned()
    } else {
        error.to_string()
    };
    text::printable(&message, MAX_LENGTH)
}

fn without_value(message: &str) -> String {
    for prefix in ["invalid type", "invalid value"] {
        if let Some(tail) = message
            .strip_prefix(prefix)
            .and_then(|m| m.strip_prefix(": "))
        {
            return match FOUND.iter().find(|word| starts_with_word(tail, word)) {
                Some(word) => format!("{prefix}: {word}{}", expected(tail)),
                None => format!("{prefix}{}", expected(tail)),
            };
        }
    }
    for prefix in ["invalid length", "unknown variant", "unknown field"] {
        if let Some(tail) = message.strip_prefix(prefix).filter(|m| m.starts_with(' ')) {
            return format!("{prefix}{}", expected(tail));
        }
    }
    if STATIC.iter().any(|prefix| message.starts_with(prefix)) {
        return message.to_owned();
    }
    REJECTED.to_owned()
}

/// Returns `, expected …` with the comma, from its last occurrence, because the value may contain
/// the same text. Returns nothing if the type expects no names: the only occurrence would then be
/// in the value.
fn expected(tail: &str) -> &str {
    if NO_NAMES.iter().any(|end| tail.ends_with(end)) {
        return "";
    }
    tail.rfind(", expected ")
        .and_then(|at| tail.get(at..))
        .unwrap_or_default()
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|tail| tail.is_empty() || tail.starts_with([' ', ',']))
}

//! Takes values out of decoding errors.
//!
//! serde quotes what it found (`invalid type: string "hunter2", expected u32`). What was expected
//! is known from the type and kept; what was found is the object's content and is not.

use informer_protobuf::ErrorKind;

use crate::wire::text;

/// Longest path and message that is kept, in bytes.
const MAX_LENGTH: usize = 512;

/// Words by which serde names the kind of a value; none of them quotes it.
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

/// Messages whose tail comes from the type, not from the object.
const STATIC: [&str; 3] = [
    "missing field `",
    "duplicate field `",
    "data did not match any variant of untagged enum ",
];

/// Said of what nothing else is known.
const REFUSED: &str = "a value that the type refuses";

/// How serde ends a message about a name if the type has none.
const NO_NAMES: [&str; 2] = [", there are no fields", ", there are no variants"];

/// A document path, bounded and printable.
pub(super) fn path(path: &str) -> String {
    text::printable(path, MAX_LENGTH)
}

/// Returns the message of an error of a value, without what was found in the document.
pub(super) fn message(message: &str) -> String {
    text::printable(&without_value(message), MAX_LENGTH)
}

/// Returns what keeps a text from being JSON, and where.
pub(super) fn syntax(text: &[u8]) -> String {
    match serde_json::from_slice::<serde_json::Value>(text) {
        // Texts of serde_json's own, which quote nothing.
        Err(error) => text::printable(&error.to_string(), MAX_LENGTH),
        Ok(_) => REFUSED.to_owned(),
    }
}

/// The same for protobuf.
pub(super) fn protobuf_message(error: &ErrorKind) -> String {
    let message = if let ErrorKind::Data(message) = error {
        without_value(message)
    } else if matches!(error, ErrorKind::Json(_)) {
        // Of a text inside the object, which may be quoted.
        "JSON inside the object that the type refuses".to_owned()
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
    REFUSED.to_owned()
}

/// `, expected …` with the comma; from its last occurrence, since the value may hold one too. Nothing
/// where the type expects no name at all: the only occurrence would be the value's.
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

//! Consecutive JSON documents without a separator.

use crate::node::Place;

/// JSON object in a text.
pub(crate) struct JsonText<'a> {
    pub(crate) text: &'a str,
    /// Position of the object in the whole text.
    pub(crate) start: Place,
}

/// Returns the objects in a text of several JSON objects with only white space between them.
///
/// Returns `None` for any other text, such as YAML or a single object. O(n).
pub(crate) fn documents(text: &str) -> Option<Vec<JsonText<'_>>> {
    let mut parts = Vec::new();
    let mut start = Place::START;
    let mut rest = text;
    loop {
        let object = rest.trim_start();
        if object.is_empty() {
            return (parts.len() > 1).then_some(parts);
        }
        let (space, _) = rest.split_at(rest.len() - object.len());
        start = start.and(end(space));
        let (object, after) = object.split_at(object_length(object)?);
        parts.push(JsonText {
            text: object,
            start,
        });
        start = start.and(end(object));
        rest = after;
    }
}

/// Returns the position behind a text.
fn end(text: &str) -> Place {
    let last = text.rsplit('\n').next().unwrap_or_default();
    let count = |number| u32::try_from(number).unwrap_or(u32::MAX);
    Place {
        line: count(text.matches('\n').count()).saturating_add(1),
        column: count(last.chars().count()).saturating_add(1),
    }
}

/// Returns the length in bytes of the object at the start of `text`.
fn object_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut is_escaped = false;
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (byte == b'}').then_some(position + 1);
        }
    }
    None
}

//! Consecutive JSON documents without a separator.

use std::ops::Range;

/// Returns the ranges of the objects in a text of several JSON objects with only white space
/// between them.
///
/// Returns `None` for any other text, such as YAML or a single object.
pub(crate) fn documents(text: &str) -> Option<Vec<Range<usize>>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.trim().is_empty()) {
        let before = start + (rest.len() - rest.trim_start().len());
        let end = before + object_length(text.get(before..)?)?;
        parts.push(before..end);
        start = end;
    }
    (parts.len() > 1).then_some(parts)
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

/// Returns a part of a text, preceded by as many newlines and spaces as the text has before the
/// part. Positions in error messages then refer to the whole text.
pub(crate) fn placed(text: &str, part: Range<usize>) -> String {
    let before = text.get(..part.start).unwrap_or_default();
    let lines = before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap_or_default();
    let place = "\n".repeat(lines) + &" ".repeat(last.chars().count());
    place + text.get(part).unwrap_or_default()
}

//! Reads the values at a path from the text of an object.

use super::cut::MAX_DEPTH;
use super::members::{Elements, Members, Reason, scan, text};
use super::scan::skip_space;

/// Returns the scalars at a path as text, in the order of the document: the content of strings, and
/// numbers and booleans as in JSON. `null` is not a value.
///
/// # Errors
///
/// Fails if the text is malformed, or if the path ends at an object.
pub(in crate::wire) fn at_path(bytes: &[u8], names: &[Box<str>]) -> Result<Vec<String>, Reason> {
    let mut values = Vec::new();
    collect(bytes, skip_space(bytes), names, MAX_DEPTH, &mut values)?;
    Ok(values)
}

/// Collects values from the value at `at`, and returns the end of that value.
fn collect(
    bytes: &[u8],
    at: usize,
    names: &[Box<str>],
    depth: u32,
    values: &mut Vec<String>,
) -> Result<usize, Reason> {
    if let Some(mut elements) = Elements::open(bytes, at) {
        let depth = depth.checked_sub(1).ok_or("arrays are nested too deeply")?;
        while let Some(start) = elements.next()? {
            elements.resume(collect(bytes, start, names, depth, values)?);
        }
        return Ok(elements.at);
    }
    let Some((name, rest)) = names.split_first() else {
        return scalar(bytes, at, values);
    };
    let Some(mut members) = Members::open(bytes, at) else {
        return scan(bytes, at).map(|value| value.end);
    };
    let before = values.len();
    while let Some(member) = members.next()? {
        if *member.name(bytes)? == **name {
            // Among members with the same name, the last one counts.
            values.truncate(before);
            members.resume(collect(bytes, member.value, rest, MAX_DEPTH, values)?);
        } else {
            members.skip(&member)?;
        }
    }
    Ok(members.at)
}

fn scalar(bytes: &[u8], at: usize, values: &mut Vec<String>) -> Result<usize, Reason> {
    let range = scan(bytes, at)?;
    let end = range.end;
    let token = bytes.get(range.clone()).unwrap_or_default();
    match token.first() {
        Some(b'"') => {
            let text = text(bytes, &range).ok_or("a string is malformed")?;
            values.push(text.into_owned());
        }
        Some(b'{') => return Err("the path ends at an object, not at a scalar"),
        Some(b'n') => {}
        Some(b't') if token == b"true" => values.push("true".to_owned()),
        Some(b'f') if token == b"false" => values.push("false".to_owned()),
        _ => {
            // Normalizes different spellings of a number.
            let number: serde_json::Number =
                serde_json::from_slice(token).map_err(|_| "a number is malformed")?;
            values.push(number.to_string());
        }
    }
    Ok(end)
}

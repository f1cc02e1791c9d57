//! Warnings for the client in `Warning` headers, which `kubectl` prints.

use std::collections::HashSet;

use http::{HeaderMap, HeaderValue, header};

/// Total length of the warnings in bytes; further ones are dropped.
const MAX_TOTAL: usize = 4 * 1024;

/// Adds each distinct warning to `headers`; a warning that a header cannot contain is skipped.
pub(crate) fn add(headers: &mut HeaderMap, warnings: &[String]) {
    let mut left = MAX_TOTAL;
    let mut seen = HashSet::new();
    for text in warnings {
        if !seen.insert(text) {
            continue;
        }
        let Some(rest) = left.checked_sub(text.len()) else {
            continue;
        };
        if let Some(value) = value(text) {
            headers.append(header::WARNING, value);
            left = rest;
        }
    }
}

/// Returns `299 - "text"`; `None` if the text has control characters.
fn value(text: &str) -> Option<HeaderValue> {
    if text.chars().any(char::is_control) {
        return None;
    }
    let escaped = text.replace('\\', r"\\").replace('"', r#"\""#);
    let warning = format!("299 - \"{escaped}\"");
    HeaderValue::from_bytes(warning.as_bytes()).ok()
}

#[cfg(test)]
mod tests;

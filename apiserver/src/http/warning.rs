//! Warnings for the client in `Warning` headers, which `kubectl` prints.

use http::{HeaderMap, HeaderValue, header};

/// Total length of the warnings in bytes; further ones are dropped.
const MAX_TOTAL: usize = 4 * 1024;

/// Adds each distinct warning to `headers`; a warning that a header cannot contain is skipped.
pub(crate) fn add(headers: &mut HeaderMap, warnings: &[String]) {
    let mut left = MAX_TOTAL;
    for (at, text) in warnings.iter().enumerate() {
        let is_repeated = warnings.iter().take(at).any(|previous| previous == text);
        let room = left.checked_sub(text.len()).filter(|_| !is_repeated);
        if let (Some(rest), Some(value)) = (room, value(text)) {
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

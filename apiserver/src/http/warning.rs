//! Warnings for the client in `Warning` headers, which `kubectl` prints.

use http::{HeaderMap, HeaderValue, header};

/// Total number of characters beyond which each warning is truncated to [`SHORTENED`].
const MAX_TOTAL: usize = 4 * 1024;

/// Length of a truncated warning, in characters.
const SHORTENED: usize = 256;

/// Adds each distinct warning to `headers`; a warning that a header cannot contain is skipped.
pub(crate) fn add(headers: &mut HeaderMap, warnings: &[String]) {
    let length: usize = warnings.iter().map(|text| text.chars().count()).sum();
    let max_length = if length > MAX_TOTAL {
        SHORTENED
    } else {
        MAX_TOTAL
    };
    let mut left = MAX_TOTAL;
    for (at, text) in warnings.iter().enumerate() {
        if warnings.iter().take(at).any(|previous| previous == text) {
            continue;
        }
        let text: String = text.chars().take(max_length).collect();
        if let Some(value) = value(&text) {
            headers.append(header::WARNING, value);
        }
        left = left.saturating_sub(text.chars().count());
        if left == 0 {
            break;
        }
    }
}

/// Returns `299 - "text"`; `None` if the text has control characters.
fn value(text: &str) -> Option<HeaderValue> {
    if text.chars().any(char::is_control) {
        return None;
    }
    let text = text.replace('\\', r"\\").replace('"', r#"\""#);
    HeaderValue::from_bytes(format!("299 - \"{text}\"").as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::add;

    fn header_values(warnings: &[&str]) -> Vec<String> {
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        let mut headers = HeaderMap::new();
        add(&mut headers, &warnings);
        let values = headers.get_all("warning").iter();
        values
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect()
    }

    #[test]
    fn each_distinct_warning_is_a_header() {
        assert_eq!(
            header_values(&[r#"unknown field "a\b""#, "two", "two", "li\nne", "größer"]),
            [
                r#"299 - "unknown field \"a\\b\"""#,
                r#"299 - "two""#,
                r#"299 - "größer""#
            ]
        );
    }

    #[test]
    fn too_many_warnings_are_truncated_and_then_dropped() {
        let long: Vec<String> = (0..40)
            .map(|i| format!("{i:02}{}", "x".repeat(298)))
            .collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        let header_values = header_values(&long);
        assert_eq!(header_values.len(), 16);
        assert!(
            header_values.iter().all(|value| value.len() == 256 + 8),
            "{header_values:?}"
        );
    }
}

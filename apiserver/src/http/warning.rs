//! Warnings: what a client is told beside the answer, in `Warning` headers. `kubectl` prints them.

use http::{HeaderMap, HeaderValue, header};

/// Behind so many characters of warnings each is cut down to [`SHORT`].
const MOST: usize = 4 * 1024;

/// How much of a warning is left where there are too many.
const SHORT: usize = 256;

/// Says `warnings` in `headers`, each once; one that no header can say is left out.
pub(crate) fn say(headers: &mut HeaderMap, warnings: &[String]) {
    let length: usize = warnings.iter().map(|text| text.chars().count()).sum();
    let most = if length > MOST { SHORT } else { MOST };
    let mut left = MOST;
    for (at, text) in warnings.iter().enumerate() {
        if warnings.iter().take(at).any(|before| before == text) {
            continue;
        }
        let text: String = text.chars().take(most).collect();
        if let Some(value) = value(&text) {
            headers.append(header::WARNING, value);
        }
        left = left.saturating_sub(text.chars().count());
        if left == 0 {
            break;
        }
    }
}

/// `299 - "text"`; nothing if there are control characters in it.
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

    use super::say;

    fn said(warnings: &[&str]) -> Vec<String> {
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        let mut headers = HeaderMap::new();
        say(&mut headers, &warnings);
        let values = headers.get_all("warning").iter();
        values
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect()
    }

    #[test]
    fn each_warning_is_a_header_of_its_own_and_said_once() {
        assert_eq!(
            said(&[r#"unknown field "a\b""#, "two", "two", "li\nne", "größer"]),
            [
                r#"299 - "unknown field \"a\\b\"""#,
                r#"299 - "two""#,
                r#"299 - "größer""#
            ]
        );
    }

    #[test]
    fn of_too_many_each_is_cut_until_there_is_no_room() {
        let long: Vec<String> = (0..40)
            .map(|i| format!("{i:02}{}", "x".repeat(298)))
            .collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        let said = said(&long);
        assert_eq!(said.len(), 16);
        assert!(said.iter().all(|value| value.len() == 256 + 8), "{said:?}");
    }
}

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
fn too_many_warnings_are_dropped() {
    let long: Vec<String> = (0..40)
        .map(|i| format!("{i:02}{}", "x".repeat(298)))
        .collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    assert_eq!(header_values(&long).len(), 4 * 1024 / 300);
}

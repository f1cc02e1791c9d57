//! Replaces the values that may differ between the page and a run:
//!
//! - points in time (`2026-01-31T12:00:00Z`, and the `CreationTimestamp` of `describe`),
//! - ages (`5s`, `2m3s`),
//! - uids,
//! - the numbers after `resourceVersion:` and `Resource Version:`,
//! - the space between columns, whose width depends on their content, trailing space, and trailing
//!   empty lines.

use crate::shapes::{is_age, is_time, is_uid};

/// Returns `text` with these values replaced.
pub(crate) fn text(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n").trim_end().to_owned()
}

fn line(line: &str) -> String {
    if line.starts_with("CreationTimestamp:") {
        return "CreationTimestamp: TIME".to_owned();
    }
    let content = line.trim_start();
    let indent = &line[..line.len() - content.len()];
    let mut words: Vec<&str> = content.split_whitespace().map(word).collect();
    let is_version = matches!(
        words.as_slice(),
        ["resourceVersion:", _] | ["Resource", "Version:", _]
    );
    if let Some(last) = words.last_mut().filter(|_| is_version) {
        *last = "VERSION";
    }
    // A deeply indented line is a row whose first column is empty.
    let indent = if indent.len() > 12 { "  " } else { indent };
    format!("{indent}{}", words.join(" ")).trim_end().to_owned()
}

fn word(word: &str) -> &str {
    let bare = word.trim_matches('"');
    if is_time(bare) {
        "TIME"
    } else if is_uid(bare) {
        "UID"
    } else if is_age(word) {
        "AGE"
    } else {
        word
    }
}

#[test]
fn only_times_ages_and_identifiers_are_replaced() {
    let found = text(
        "  uid: f142cd0a-0d65-4aed-9e65-53732ab9ee25\n  resourceVersion: \"624\"\nweb    0/3     1s   web:2 \n\n",
    );
    assert_eq!(
        found,
        "  uid: UID\n  resourceVersion: VERSION\nweb 0/3 AGE web:2"
    );
    for kept in ["replicas: 3", "Generation: 3", "10", "s", "v1", "3/3"] {
        assert_eq!(text(kept), kept);
    }
    for age in ["0s", "2m3s", "324d"] {
        assert_eq!(text(age), "AGE");
    }
}

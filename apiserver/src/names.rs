//! Syntax of names, label keys and label values, with the error messages of the real server.

const QUALIFIED: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
    and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex \
    used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, \
    '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
    'my_value',  or '12345', regex used for validation is \
    '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters \
    or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', \
    regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or \
    '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
    '[-._a-zA-Z0-9]+')";

/// Returns the errors of `text` as the key of a label or annotation, or as a finalizer.
pub(crate) fn qualified(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let mut name = text;
    if let Some((prefix, rest)) = text.split_once('/') {
        if rest.contains('/') {
            return vec![format!(
                "a valid label key {QUALIFIED} with an optional DNS subdomain prefix and '/' \
                 (e.g. 'example.com/MyName')"
            )];
        }
        if prefix.is_empty() {
            errors.push("prefix part must be non-empty".to_owned());
        } else {
            for error in subdomain(prefix) {
                errors.push(format!("prefix part {error}"));
            }
        }
        name = rest;
    }
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        errors.push("name part must be no more than 63 bytes".to_owned());
    }
    if name.is_empty() || !is_word(name) {
        errors.push(format!("name part {QUALIFIED}"));
    }
    errors
}

/// Returns the errors of `text` as a key of a `ConfigMap` or of a `Secret`.
pub(crate) fn config_key(text: &str) -> Vec<String> {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let is_word = !text.is_empty() && text.chars().all(is_valid);
    let mut errors = violations(text, 253, "characters", is_word, CONFIG_KEY);
    match text {
        "." | ".." => errors.push(format!("must not be '{text}'")),
        text if text.starts_with("..") => errors.push("must not start with '..'".to_owned()),
        _ => {}
    }
    errors
}

/// Returns the errors of `text` as the value of a label.
pub(crate) fn label_value(text: &str) -> Vec<String> {
    violations(text, 63, "bytes", is_word(text), VALUE)
}

/// Returns the errors of `text` as a DNS subdomain: the name of most objects.
pub(crate) fn subdomain(text: &str) -> Vec<String> {
    let is_valid = text.split('.').all(is_label);
    violations(text, 253, "characters", is_valid, SUBDOMAIN)
}

/// Returns the errors of `text` as a DNS label: the name of a namespace.
pub(crate) fn label(text: &str) -> Vec<String> {
    violations(text, 63, "bytes", is_label(text), LABEL)
}

/// Returns the errors of `text` as a segment of a path: the name of a role.
pub(crate) fn segment(text: &str) -> Vec<String> {
    if matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    let mut errors = Vec::new();
    for c in ['/', '%'] {
        if text.contains(c) {
            errors.push(format!("may not contain '{c}'"));
        }
    }
    errors
}

/// Returns the errors of a text that is longer than `most`, or that the rule rejects.
fn violations(text: &str, most: usize, unit: &str, is_valid: bool, rule: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if text.len() > most {
        errors.push(format!("must be no more than {most} {unit}"));
    }
    if !is_valid {
        errors.push(rule.to_owned());
    }
    errors
}

/// Reports whether `text` is empty, or a word that begins and ends with an alphanumeric character.
fn is_word(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let outer = |c: char| c.is_ascii_alphanumeric();
    text.is_empty() || (text.starts_with(outer) && text.ends_with(outer) && text.chars().all(inner))
}

fn is_label(text: &str) -> bool {
    let inner = |c: char| outer_of_label(c) || c == '-';
    text.starts_with(outer_of_label) && text.ends_with(outer_of_label) && text.chars().all(inner)
}

/// Reports whether a label may begin and end with this character.
fn outer_of_label(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

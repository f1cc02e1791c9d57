//! What the API server allows in names.

/// What a group must be.
pub(super) const GROUP: &str = "must be a domain in lower case with at least one dot";
/// What a kind must be.
pub(super) const KIND: &str = "must be letters, digits and `-`, and begin with a letter";
/// What a version or a plural must be.
pub(super) const LABEL: &str =
    "must be lower-case letters, digits and `-`, and begin with a letter";

/// A DNS name with a dot.
pub(super) fn is_group(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(allowed)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.contains('.') && name.len() <= 253 && name.split('.').all(label)
}

/// A DNS label in any case.
pub(super) fn is_kind(name: &str) -> bool {
    is_label(&name.to_ascii_lowercase())
}

/// A DNS label as of RFC 1035.
pub(super) fn is_label(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_lowercase();
    let allowed = |byte: u8| letter(byte) || byte.is_ascii_digit() || byte == b'-';
    name.len() <= 63
        && name.bytes().next().is_some_and(letter)
        && name.bytes().all(allowed)
        && !name.ends_with('-')
}

/// A rule, and what breaks it.
pub(super) fn found(rule: &str, value: &str) -> String {
    format!("{rule}, found `{value}`")
}

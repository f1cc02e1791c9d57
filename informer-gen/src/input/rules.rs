//! Naming rules of the API server.

/// Rule for groups.
pub(super) const GROUP: &str = "must be a domain in lower case with at least one dot";
/// Rule for kinds.
pub(super) const KIND: &str = "must be letters, digits and `-`, and begin with a letter";
/// Rule for versions and plurals.
pub(super) const LABEL: &str =
    "must be lower-case letters, digits and `-`, and begin with a letter";

/// Reports whether `name` is a DNS name with a dot.
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

/// Reports whether `name` is a DNS label in any case.
pub(super) fn is_kind(name: &str) -> bool {
    is_label(&name.to_ascii_lowercase())
}

/// Reports whether `name` is a DNS label of RFC 1035.
pub(super) fn is_label(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_lowercase();
    let allowed = |byte: u8| letter(byte) || byte.is_ascii_digit() || byte == b'-';
    name.len() <= 63
        && name.bytes().next().is_some_and(letter)
        && name.bytes().all(allowed)
        && !name.ends_with('-')
}

/// Returns a rule with the value that violates it.
pub(super) fn found(rule: &str, value: &str) -> String {
    format!("{rule}, found `{}`", value.escape_debug())
}

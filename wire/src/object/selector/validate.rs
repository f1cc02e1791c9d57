//! Validation of label keys and values, as in `validation` of `k8s.io/apimachinery`.

/// Maximum number of characters of a value, and of the name in a key.
const MAX_NAME: usize = 63;
/// Maximum number of characters of the prefix in a key.
const MAX_PREFIX: usize = 253;

/// Checks a label key: `[prefix/]name`. Go's counterpart is `IsQualifiedName`.
///
/// The error states what was expected.
pub(super) fn key(key: &str) -> Result<(), &'static str> {
    let name = match key.split_once('/') {
        Some((prefix, name)) => {
            if !is_subdomain(prefix) {
                return Err("expected a DNS subdomain of at most 253 characters before `/`");
            }
            name
        }
        None => key,
    };
    if !name.is_empty() && is_name(name) {
        Ok(())
    } else {
        Err(
            "expected 1 to 63 letters, digits, `-`, `_` or `.`, the first and last a letter or \
             digit",
        )
    }
}

/// Checks a label value. Go's counterpart is `IsValidLabelValue`.
///
/// The error states what was expected.
pub(super) fn value(value: &str) -> Result<(), &'static str> {
    if is_name(value) {
        Ok(())
    } else {
        Err(
            "expected at most 63 letters, digits, `-`, `_` or `.`, the first and last a letter or \
             digit",
        )
    }
}

/// Returns `true` for letters, digits and `-_.` that begin and end with a letter or digit, and for
/// an empty text.
fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.len() <= MAX_NAME
        && text.bytes().all(inner)
        && ends_with(text, |byte| byte.is_ascii_alphanumeric())
}

fn is_subdomain(text: &str) -> bool {
    let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= MAX_PREFIX
        && text.split('.').all(|label| {
            !label.is_empty()
                && label.bytes().all(|byte| alphanumeric(byte) || byte == b'-')
                && ends_with(label, alphanumeric)
        })
}

/// Returns `true` if the first and the last byte, if any, are `allowed`.
fn ends_with(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    ends.into_iter().flatten().all(|byte| allowed(*byte))
}

//! What a label's key and value may look like, as `k8s.io/apimachinery`'s `validation` has it.

/// Most characters of a value, and of a key's name.
const MAX_NAME: usize = 63;
/// Most characters of a key's prefix.
const MAX_PREFIX: usize = 253;

/// Checks a label key: `[prefix/]name`. Go's counterpart is `IsQualifiedName`.
///
/// The error says what was expected.
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
/// The error says what was expected.
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

/// Letters, digits and `-_.`, beginning and ending with a letter or digit; or nothing.
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

/// Whether the first and the last byte, if any, are `allowed`.
fn ends_with(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    ends.into_iter().flatten().all(|byte| allowed(*byte))
}

//! Shapes of texts that differ between two runs of one server.

/// Recognizes an age as tables have it: `0s`, `2m4s`.
pub(crate) fn is_age(text: &str) -> bool {
    let mut parts = text.split_inclusive(['s', 'm', 'h', 'd']);
    !text.is_empty()
        && parts.all(|part| {
            let number = part.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or_default();
            !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())
        })
}

pub(crate) fn is_uid(text: &str) -> bool {
    let is_hex = |c: char| c == '-' || c.is_ascii_hexdigit();
    text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && text.chars().all(is_hex)
}

/// Recognizes `2026-01-31T12:00:00Z`, also with a fraction of the second.
pub(crate) fn is_time(text: &str) -> bool {
    let digit = |c: char| if c.is_ascii_digit() { '0' } else { c };
    let shape: String = text.chars().map(digit).collect();
    shape.starts_with("0000-00-00T00:00:00") && shape.ends_with('Z')
}

//! Bounds foreign text in messages, and keeps it on one line.

/// Returns the first `max` bytes of `text` at most, with control characters replaced by `�`.
pub(crate) fn printable(text: &str, max: usize) -> String {
    let mut kept = String::with_capacity(text.len().min(max));
    for c in text.chars() {
        let c = if c.is_control() { '\u{fffd}' } else { c };
        if kept.len() + c.len_utf8() > max {
            break;
        }
        kept.push(c);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W-20.
    #[test]
    fn w20_a_quoted_text_is_bounded_and_on_one_line() {
        assert_eq!(printable("a\nb\u{1b}c", 9), "a\u{fffd}b\u{fffd}c");
        assert_eq!(printable("aéb", 2), "a");
        assert_eq!(printable("aéb", 3), "aé");
        assert_eq!(printable("\n\n\n", 4), "\u{fffd}");
        assert_eq!(printable("", 3), "");
    }
}

//! Bounds foreign text in messages, and keeps it on one line.

/// Returns the first `max` bytes of `text` at most, with control characters replaced by `�`.
#[must_use]
pub fn printable(text: &str, max: usize) -> String {
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
mod tests;

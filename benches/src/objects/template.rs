//! JSON text with placeholders.

/// JSON text that is constant except at placeholders of the form `$name$`.
#[derive(Debug)]
pub(super) struct Template {
    /// Constant texts and placeholder names alternately, beginning with a constant text.
    parts: Vec<String>,
}

// === impl Template ===

impl Template {
    /// Parses minified JSON with placeholders.
    pub(super) fn new(json: &str) -> Self {
        let parts = json.split('$').map(str::to_owned).collect();
        Self { parts }
    }

    /// Writes the text. `put` writes the value of a placeholder.
    pub(super) fn write(&self, out: &mut Vec<u8>, mut put: impl FnMut(&str, &mut Vec<u8>)) {
        for (at, part) in self.parts.iter().enumerate() {
            if at % 2 == 0 {
                out.extend_from_slice(part.as_bytes());
            } else {
                put(part, out);
            }
        }
    }
}

/// Removes white space outside of strings.
pub(super) fn minify(json: &str) -> String {
    let mut in_string = false;
    let mut escaped = false;
    json.chars()
        .filter(|&letter| {
            in_string ^= letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            in_string || !letter.is_whitespace()
        })
        .collect()
}

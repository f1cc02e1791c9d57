//! Documentation of emitted items.
//!
//! Text of the input is arbitrary prose. It reaches the documentation as [`Doc`] only, which no
//! line break ends, and which holds no code to test. Lists and code spans are kept. Text that
//! rustdoc would treat as a link, a tag, a heading or code is escaped.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Path;

/// Placeholder for a space that ends no word. Text has no control characters at that point.
const GLUE: &str = "\0";

/// Lines of documentation, without `///`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc(Vec<String>);

// === impl Doc ===

impl Doc {
    /// Converts text, with an unlimited width.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::wrapped(text, usize::MAX)
    }

    /// Converts text, and breaks its lines between words at `width` letters.
    #[must_use]
    pub fn wrapped(text: &str, width: usize) -> Self {
        let mut lines: Vec<String> = Vec::new();
        for source in text.lines() {
            let line: String = source.chars().filter(|letter| is_shown(*letter)).collect();
            // A fence ends a paragraph. The enclosed text is treated as prose.
            let is_fence = ["```", "~~~"]
                .iter()
                .any(|fence| line.trim().starts_with(fence));
            if is_fence || line.trim().is_empty() {
                if lines.last().is_some_and(|last| !last.is_empty()) {
                    lines.push(String::new());
                }
                continue;
            }
            fill(&escaped(&line, width), width, &mut lines);
        }
        for line in &mut lines {
            *line = line.replace(GLUE, " ");
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        Self(lines)
    }

    /// Returns text of the generator itself, with its Markdown.
    #[must_use]
    pub fn written(text: &'static str) -> Self {
        Self(text.lines().map(str::to_owned).collect())
    }

    /// Returns the line ``before [`name`](target).``
    #[must_use]
    pub fn link(before: &'static str, name: &str, target: &Path) -> Self {
        let address = target.to_token_stream().to_string().replace(' ', "");
        let Self(text) = Self::new(&format!("`{name}`"));
        Self(vec![format!("{before} [{}]({address}).", text.concat())])
    }

    /// Returns `other` if there is no line.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.0.is_empty() { other } else { self }
    }

    /// Appends the lines of `next`.
    #[must_use]
    pub fn line(mut self, next: Self) -> Self {
        self.0.extend(next.0);
        self
    }

    /// Appends the lines of `next`, after an empty line.
    #[must_use]
    pub fn paragraph(mut self, next: Self) -> Self {
        if !self.0.is_empty() && !next.0.is_empty() {
            self.0.push(String::new());
        }
        self.line(next)
    }

    /// Returns the lines.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl ToTokens for Doc {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for line in &self.0 {
            let text = if line.is_empty() {
                String::new()
            } else {
                format!(" {line}")
            };
            tokens.extend(quote!(#[doc = #text]));
        }
    }
}

/// Reports whether a letter is kept. Direction marks could disguise the text, and rustc denies
/// them.
fn is_shown(letter: char) -> bool {
    match letter {
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => false,
        '\t' => true,
        _ => !letter.is_control(),
    }
}

/// Breaks a line between words.
fn fill(line: &str, width: usize, lines: &mut Vec<String>) {
    let mut current = String::new();
    for word in line.split_whitespace() {
        if !current.is_empty() && current.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut current));
        }
        if current.is_empty() {
            current = begun(word);
        } else {
            current.push(' ');
            current.push_str(word);
        }
    }
    lines.push(current);
}

/// Escapes a word at the beginning of a line, where some words are markup.
fn begun(word: &str) -> String {
    let is_rule = word.chars().all(|letter| matches!(letter, '-' | '=' | '_')) && word.len() > 1;
    if is_rule || word.starts_with(['#', '+', '=']) {
        format!("\\{word}")
    } else {
        word.to_owned()
    }
}

/// Escapes a line. [`GLUE`] replaces the spaces of code spans, so that no line breaks inside.
fn escaped(line: &str, width: usize) -> String {
    // A run of backticks may be a fence. With an odd number, one would begin a span without an end.
    let has_spans = !line.contains("``") && line.matches('`').count().is_multiple_of(2);
    let mut text = String::new();
    for (position, part) in line.split('`').enumerate() {
        let code = part.split_whitespace().collect::<Vec<_>>().join(GLUE);
        let is_span = has_spans && position % 2 == 1;
        if is_span && !code.is_empty() && code.chars().count() < width {
            text.extend(["`", &code, "`"]);
            continue;
        }
        let escape = if is_span || (position > 0 && !has_spans) {
            "\\`"
        } else {
            ""
        };
        text.push_str(escape);
        prose(part, &mut text);
        if is_span {
            text.push_str(escape);
        }
    }
    text
}

fn prose(part: &str, text: &mut String) {
    for (position, word) in part.split(' ').enumerate() {
        if position > 0 {
            text.push(' ');
        }
        match link(word) {
            Some((before, address, after)) => {
                characters(before, text);
                text.extend(["<", address, ">"]);
                characters(after, text);
            }
            None => characters(word, text),
        }
    }
}

/// Splits a word into its address and the text around it.
fn link(word: &str) -> Option<(&str, &str, &str)> {
    let start = ["https://", "http://"]
        .iter()
        .find_map(|scheme| word.find(scheme))?;
    let (before, rest) = word.split_at(start);
    let is_end = |letter: char| {
        letter.is_whitespace()
            || matches!(
                letter,
                '<' | '>' | '"' | '\'' | ')' | '(' | ']' | '[' | '\\' | '{' | '}' | '|'
            )
    };
    let (run, _) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
    // Punctuation at the end belongs to the sentence.
    let address = run.trim_end_matches(['.', ',', ';', ':', '!', '?', '*']);
    let after = rest.strip_prefix(address).unwrap_or_default();
    let is_scheme_alone = address.ends_with('/') && address.matches('/').count() <= 2;
    (!is_scheme_alone).then_some((before, address, after))
}

fn characters(word: &str, text: &mut String) {
    for letter in word.chars() {
        if matches!(letter, '[' | ']' | '<' | '>' | '\\' | '*' | '~' | '|') {
            text.push('\\');
        }
        text.push(letter);
    }
}

#[cfg(test)]
mod tests;

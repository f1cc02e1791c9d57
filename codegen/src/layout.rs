//! Lays out a declaration as text: one line for each entry, with doc comments.
//!
//! rustfmt does not format the arguments of macros, so the generator has to.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

const INDENT: &str = "    ";

/// Width above which an entry breaks after its `=`, and between the parts of its definition. Aliases
/// do not break.
const WIDTH: usize = 100;

/// Returns the text of a declaration, without a trailing newline.
#[must_use]
pub fn declaration(tokens: TokenStream) -> String {
    let mut lines = Lines::default();
    lines.add(tokens, 0);
    lines.end(0);
    lines.text.trim_end().to_owned()
}

#[derive(Default)]
struct Lines {
    text: String,
    line: String,
    /// Offsets in the line of the commas between the parts of a definition.
    commas: Vec<usize>,
    last: Last,
}

/// End of the current line, as far as the end decides about a following space.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Word,
    /// `,`, `=`, `|` after a parameter, a single `:`.
    Spaced,
    /// `>`, which takes a space before a word only.
    Angle,
    /// The first half of `::`.
    HalfPath,
    Other,
}

// === impl Lines ===

impl Lines {
    fn add(&mut self, tokens: TokenStream, depth: usize) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match &token {
                TokenTree::Punct(hash) if hash.as_char() == '#' => {
                    let Some(TokenTree::Group(attribute)) = tokens.peek() else {
                        continue;
                    };
                    if let Some(doc) = documentation(attribute) {
                        self.end(depth);
                        for line in doc.split(['\n', '\r']) {
                            self.line = format!("///{line}");
                            self.end(depth);
                        }
                        tokens.next();
                    }
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    self.space();
                    self.line.push('{');
                    self.end(depth);
                    self.add(group.stream(), depth + 1);
                    self.end(depth + 1);
                    self.line.push('}');
                    self.end(depth);
                }
                TokenTree::Punct(end) if end.as_char() == ';' => {
                    self.line.push(';');
                    self.end(depth);
                }
                TokenTree::Punct(comma) if comma.as_char() == ',' => {
                    self.token(&token);
                    self.commas.push(self.line.len());
                }
                TokenTree::Punct(_)
                | TokenTree::Group(_)
                | TokenTree::Ident(_)
                | TokenTree::Literal(_) => self.token(&token),
            }
        }
    }

    fn space(&mut self) {
        if !self.line.is_empty() && !self.line.ends_with([' ', '(']) {
            self.line.push(' ');
        }
    }

    fn token(&mut self, token: &TokenTree) {
        match token {
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                if matches!(self.last, Last::Word | Last::Spaced | Last::Angle) {
                    self.space();
                }
                self.line.push_str(&token.to_string());
                self.last = Last::Word;
            }
            TokenTree::Group(group) => self.group(group),
            TokenTree::Punct(punct) => {
                let letter = punct.as_char();
                let in_path = self.last == Last::HalfPath;
                // The first word of an entry is a keyword, not the beginning of a path.
                let begins_path = letter == ':'
                    && punct.spacing() == Spacing::Joint
                    && self.last == Last::Word
                    && !self.line.contains([' ', ':']);
                if letter == '=' || self.last == Last::Spaced || begins_path {
                    self.space();
                }
                self.line.push(letter);
                self.last = match (letter, punct.spacing()) {
                    (',' | '=', _) => Last::Spaced,
                    (':', Spacing::Joint) if !in_path => Last::HalfPath,
                    (':', _) if !in_path => Last::Spaced,
                    ('>', _) => Last::Angle,
                    ('|', _) if self.line.matches('|').count().is_multiple_of(2) => Last::Spaced,
                    _ => Last::Other,
                };
            }
        }
    }

    fn group(&mut self, group: &Group) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::None => ("", ""),
        };
        if self.last == Last::Spaced || self.line.ends_with("where") {
            self.space();
        }
        self.line.push_str(open);
        self.last = Last::Other;
        for token in group.stream() {
            self.token(&token);
        }
        self.line.push_str(close);
        self.last = Last::Word;
    }

    fn end(&mut self, depth: usize) {
        let line = std::mem::take(&mut self.line);
        let mut commas = std::mem::take(&mut self.commas);
        self.last = Last::Nothing;
        if line.is_empty() {
            return;
        }
        let indent = INDENT.repeat(depth);
        let entry = match line.split_once(" = ") {
            Some((head, definition))
                if indent.len() + line.len() > WIDTH
                    && !line.starts_with("///")
                    && !head.contains("type ") =>
            {
                let offset = line.len() - definition.len();
                commas.retain(|comma| *comma > offset);
                commas.push(line.len());
                let starts = std::iter::once(&offset).chain(&commas);
                let parts = starts.zip(&commas).map(|(start, end)| {
                    let part = line.get(*start..*end).unwrap_or_default().trim_start();
                    format!("\n{indent}{INDENT}{part}")
                });
                format!("{head} ={}", parts.collect::<String>())
            }
            _ => line,
        };
        self.text.push_str(&indent);
        self.text.push_str(entry.trim_end());
        self.text.push('\n');
    }
}

/// Returns the text of `#[doc = ".."]`, or `None` for another attribute.
fn documentation(attribute: &Group) -> Option<String> {
    let attribute = attribute.stream();
    let pair: syn::MetaNameValue = syn::parse2(attribute).ok()?;
    let syn::Expr::Lit(value) = pair.value else {
        return None;
    };
    let syn::Lit::Str(text) = value.lit else {
        return None;
    };
    pair.path.is_ident("doc").then(|| text.value())
}

#[cfg(test)]
mod tests;

//! Parses the text of a path into segments.

use std::ops::Range;

use super::segment::{Name, PathError, Segment, Spelling};

/// Parses a path. The first segment must be a field.
///
/// # Errors
///
/// Returns the position of the first syntax error, and what to write instead.
pub fn parse(text: &str, spelling: Spelling) -> Result<Vec<Segment>, PathError> {
    if text.trim().is_empty() {
        return Err(PathError::new(
            0..text.len(),
            format!(
                "the path is empty: write one such as {}",
                spelling.example()
            ),
        ));
    }
    if let Some(rest) = text.strip_prefix("$.").or_else(|| text.strip_prefix('.')) {
        return Err(PathError::new(
            0..text.len() - rest.len(),
            format!("a path starts at the fields of the object: write `{rest}`"),
        ));
    }
    let mut parser = Parser {
        text,
        position: 0,
        spelling,
        segments: Vec::new(),
    };
    parser.path()?;
    Ok(parser.segments)
}

struct Parser<'a> {
    text: &'a str,
    position: usize,
    spelling: Spelling,
    segments: Vec<Segment>,
}

// === impl Parser ===

impl<'a> Parser<'a> {
    fn path(&mut self) -> Result<(), PathError> {
        loop {
            self.field()?;
            while self.rest().starts_with('[') {
                self.key()?;
            }
            let rest = self.rest();
            if rest.is_empty() {
                return Ok(());
            }
            if !rest.starts_with('.') {
                return Err(self.error(
                    rest.len(),
                    format!("`{rest}` cannot follow `]`: write `.` between the two"),
                ));
            }
            self.position += 1;
        }
    }

    fn field(&mut self) -> Result<(), PathError> {
        let rest = self.rest();
        let name = rest.split(['.', '[']).next().unwrap_or_default();
        if name.is_empty() {
            let reason = if rest.is_empty() {
                let example = self.spelling.example();
                format!("the path ends before the name of a field: write one such as {example}")
            } else {
                format!(
                    "a segment of `{}` is empty: write one name between two dots",
                    self.text
                )
            };
            return Err(self.error(1, reason));
        }
        let word = match self.spelling {
            Spelling::Json => name,
            Spelling::Rust => name.strip_prefix("r#").unwrap_or(name),
        };
        if !self.spelling.is_field(word) {
            let advice = self.advice(name);
            let reason = format!("`{name}` is not the name of a field: {advice}");
            return Err(self.error(name.len(), reason));
        }
        let at = self.take(name.len());
        let text = word.to_owned();
        self.segments.push(Segment::Field(Name { text, at }));
        Ok(())
    }

    /// Returns what to write instead of the field `name`, which is not the name of one.
    fn advice(&self, name: &str) -> String {
        let is_member = self.spelling == Spelling::Json && !self.segments.is_empty();
        if !is_member || name.contains(char::is_control) {
            let example = self.spelling.example();
            let key = self.spelling.key_example();
            return format!("write a path such as {example} or {key}");
        }
        let is_position = name.chars().all(|letter| letter.is_ascii_digit());
        let hint = if is_position {
            ", or omit it: a path leads to all elements of a list"
        } else {
            ""
        };
        format!("write `['{name}']` instead of `.{name}`{hint}")
    }

    /// Parses a key in brackets.
    fn key(&mut self) -> Result<(), PathError> {
        let inside = self.rest().get(1..).unwrap_or_default();
        let end = inside.find(']').map_or(inside.len(), |end| end + 1);
        let refuse = |reason: String| Err(self.error(1 + end, reason));
        let Some(quote) = inside.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return refuse(self.unquoted(inside.split(']').next().unwrap_or_default()));
        };
        let quoted = inside.get(1..).unwrap_or_default();
        match quoted.split_once(quote) {
            Some(("", _)) => refuse("the key between `[` and `]` is empty: write `['key']`".into()),
            Some((key, _)) if key.contains(char::is_control) => refuse(
                "the key between `[` and `]` contains a control character: only the function of an \
                 index, `with = function`, can read it"
                    .into(),
            ),
            Some((key, rest)) if rest.starts_with(']') => {
                let text = key.to_owned();
                let at = self.take(key.len() + 4);
                self.segments.push(Segment::Key(Name { text, at }));
                Ok(())
            }
            Some((key, _)) => refuse(format!("`]` is missing: write `['{key}']`")),
            None => refuse(format!(
                "the quote of `[{quote}{quoted}` is not closed: write `['key']`"
            )),
        }
    }

    /// Returns the error for the key `name`, which has no quotes.
    fn unquoted(&self, name: &str) -> String {
        match name {
            "*" => format!(
                "paths traverse lists implicitly: write `{}`",
                self.text.replace("[*]", "")
            ),
            "" => "a key is missing after `[`: write `['key']`".to_owned(),
            _ if name.chars().all(|letter| letter.is_ascii_digit()) => {
                "a path leads to all elements of a list: omit the position; only the function of \
                 an index, `with = function`, can choose one"
                    .to_owned()
            }
            _ => format!("the key of a map must be quoted: write `['{name}']`"),
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> Range<usize> {
        let start = self.position;
        self.position += length;
        start..self.position
    }

    fn error(&self, length: usize, reason: String) -> PathError {
        let end = (self.position + length).min(self.text.len());
        PathError::new(self.position.min(end)..end, reason)
    }
}

// === impl Spelling ===

impl Spelling {
    /// Reports whether a path can have `name` as a field, without brackets.
    #[must_use]
    pub fn is_field(self, name: &str) -> bool {
        let json = self == Self::Json;
        let starts = |c: char| c.is_ascii_alphabetic() || c == '_' || (json && c == '$');
        let goes_on = |c: char| starts(c) || c.is_ascii_digit() || (json && c == '-');
        name.starts_with(starts) && name.chars().all(goes_on) && name != "_"
    }

    fn example(self) -> &'static str {
        match self {
            Self::Json => "`spec.deploymentName`",
            Self::Rust => "`spec.deployment_name`",
        }
    }

    fn key_example(self) -> &'static str {
        match self {
            Self::Json => "`metadata.labels['app']`",
            Self::Rust => "`metadata.labels[\"app\"]`",
        }
    }
}

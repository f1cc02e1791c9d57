//! The grammar of paths: `spec.nodeName` and `spec.selector['app']` as JSON spells them,
//! `spec.node_name` and `spec.selector['app']` as Rust does. The derive has the same, and says the
//! same of what is none.

use std::fmt;

/// How the names of fields in a path are spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    Json,
    Rust,
}

/// One segment of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Segment<'a> {
    /// The field of an object.
    Field(&'a str),
    /// The key of a map.
    Key(&'a str),
}

/// The text of a path, which two ways to quote its keys share.
pub(super) struct Canonical<'a>(pub(super) &'a [Segment<'a>]);

// === impl Segment ===

impl<'a> Segment<'a> {
    /// What the path says there.
    pub(super) fn text(&self) -> &'a str {
        match self {
            Self::Field(text) | Self::Key(text) => text,
        }
    }
}

impl fmt::Display for Canonical<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if position == 0 => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Key(key) => write!(f, "['{key}']")?,
            }
        }
        Ok(())
    }
}

/// The segments of a path, of which the first is a field; or what is wrong, and what to write.
pub(super) fn parse(text: &str, spelling: Spelling) -> Result<Vec<Segment<'_>>, String> {
    if text.trim().is_empty() {
        return Err("it is empty: write one such as `spec.nodeName`".to_owned());
    }
    if let Some(rest) = text.strip_prefix("$.").or_else(|| text.strip_prefix('.')) {
        return Err(format!(
            "a path starts at the object itself: write `{rest}`"
        ));
    }
    let mut segments = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        segments.push(Segment::Field(field(name, spelling)?));
        rest = after;
        while let Some(inside) = rest.strip_prefix('[') {
            let (found, after) = key(text, inside)?;
            segments.push(Segment::Key(found));
            rest = after;
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Ok(segments),
            None => {
                return Err(format!(
                    "`{rest}` cannot follow `]`: write `.` between the two"
                ));
            }
        }
    }
}

fn field(name: &str, spelling: Spelling) -> Result<&str, String> {
    if name.is_empty() {
        return Err("a segment is empty: write one name between two dots".to_owned());
    }
    let word = match spelling {
        Spelling::Json => name,
        Spelling::Rust => name.strip_prefix("r#").unwrap_or(name),
    };
    let starts = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let goes_on = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    // `_` alone is no identifier.
    if word.starts_with(starts) && word.chars().all(goes_on) && word != "_" {
        return Ok(word);
    }
    Err(format!(
        "`{name}` is not the name of a field: write a path such as `spec.nodeName` or \
         `metadata.labels['app']`"
    ))
}

/// The key at the start of `inside`, which follows a `[`, and what comes after its `]`.
fn key<'a>(text: &str, inside: &'a str) -> Result<(&'a str, &'a str), String> {
    let Some(quote) = inside.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
        let name = inside.split(']').next().unwrap_or_default();
        return Err(match name {
            "*" => format!(
                "lists are gone through by themselves: write `{}`",
                text.replace("[*]", "")
            ),
            "" => "a key is missing after `[`: write `['key']`".to_owned(),
            _ if name.chars().all(|letter| letter.is_ascii_digit()) => {
                "an index is over all elements of a list: leave the position out, or write a \
                 function, `Index::with(..)`, `with=..`"
                    .to_owned()
            }
            _ => format!("the key of a map is quoted: write `['{name}']`"),
        });
    };
    let inside = inside.get(1..).unwrap_or_default();
    match inside.split_once(quote) {
        Some(("", _)) => Err("the key between `[` and `]` is empty".to_owned()),
        Some((key, _)) if key.contains(char::is_control) => {
            Err("the key between `[` and `]` has a line break or the like in it".to_owned())
        }
        Some((key, rest)) => match rest.strip_prefix(']') {
            Some(rest) => Ok((key, rest)),
            None => Err(format!("`]` is missing: write `['{key}']`")),
        },
        None => Err(format!(
            "the quote of `[{quote}{inside}` is not closed: write `['key']`"
        )),
    }
}

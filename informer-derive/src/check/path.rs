//! The grammar of index paths: `"spec.deploymentName"` and `"metadata.labels['app']"` as JSON spells
//! them, `spec.deployment_name` and `metadata.labels["app"]` as Rust does.

use std::fmt;
use std::ops::Deref;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::LitStr;
use syn::ext::IdentExt;

/// One segment of a path.
#[derive(Clone, Debug)]
pub(crate) enum Segment {
    /// The field of an object.
    Field(Name),
    /// The key of a map.
    Key(Name),
}

/// A name, and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    text: String,
    span: Span,
}

// === impl Name ===

impl Name {
    pub(crate) fn new(text: impl Into<String>, span: Span) -> Self {
        let text = text.into();
        Self { text, span }
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// Parses a path as JSON spells it.
///
/// # Errors
///
/// What is wrong, and what to write instead.
pub(crate) fn parse(text: &str, span: Span) -> Result<Vec<Segment>, String> {
    if text.trim().is_empty() {
        return Err("the path is empty: write one such as `spec.deploymentName`".to_owned());
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
        segments.push(Segment::Field(Name::new(field(text, name)?, span)));
        rest = after;
        while let Some(inside) = rest.strip_prefix('[') {
            let (found, after) = key(text, inside)?;
            segments.push(Segment::Key(Name::new(found, span)));
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

/// Parses a path as Rust spells it.
///
/// # Errors
///
/// Where, and what to write instead.
pub(crate) fn parse_rust(tokens: TokenStream) -> syn::Result<Vec<Segment>> {
    let mut segments = Vec::new();
    let mut after_dot = true;
    let mut last = Span::call_site();
    for token in tokens {
        last = token.span();
        match (&token, after_dot) {
            (TokenTree::Ident(ident), true) => {
                segments.push(Segment::Field(Name::new(ident.unraw().to_string(), last)));
                after_dot = false;
            }
            (TokenTree::Punct(dot), false) if dot.as_char() == '.' => after_dot = true,
            (TokenTree::Group(key), false) if key.delimiter() == Delimiter::Bracket => {
                segments.push(Segment::Key(rust_key(key.stream(), last)?));
            }
            _ => return Err(no_rust_field(&token)),
        }
    }
    if after_dot {
        return Err(syn::Error::new(
            last,
            "the path ends before the name of a field: write one such as `spec.deployment_name`",
        ));
    }
    Ok(segments)
}

fn rust_key(tokens: TokenStream, span: Span) -> syn::Result<Name> {
    let key: LitStr = syn::parse2(tokens)
        .map_err(|_| syn::Error::new(span, "the key of a map is a string: write `[\"key\"]`"))?;
    Ok(Name::new(key.value(), key.span()))
}

fn no_rust_field(token: &TokenTree) -> syn::Error {
    let message = format!(
        "`{token}` is not the name of a field: write a path such as `spec.deployment_name` or \
         `metadata.labels[\"app\"]`"
    );
    syn::Error::new(token.span(), message)
}

fn field(text: &str, name: &str) -> Result<String, String> {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let goes_on = |c: char| starts(c) || c.is_ascii_digit() || c == '-';
    if name.is_empty() {
        return Err(format!(
            "a segment of `{text}` is empty: write one name between two dots"
        ));
    }
    if name.starts_with(starts) && name.chars().all(goes_on) {
        return Ok(name.to_owned());
    }
    Err(format!(
        "`{name}` is not the name of a field: write a path such as `spec.deploymentName` or \
         `metadata.labels['app']`"
    ))
}

/// The key at the start of `inside`, which follows a `[`, and what comes after its `]`.
fn key<'a>(text: &str, inside: &'a str) -> Result<(String, &'a str), String> {
    let Some(quote) = inside.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
        let name = inside.split(']').next().unwrap_or_default();
        return Err(match name {
            "*" => format!(
                "lists are gone through by themselves: write `{}`",
                text.replace("[*]", "")
            ),
            "" => "a key is missing after `[`: write `['key']`".to_owned(),
            _ if name.chars().all(|c| c.is_ascii_digit()) => {
                "an index is over all elements of a list: leave the position out, or write a \
                 function, `index(name = \"by_x\", with = function)`"
                    .to_owned()
            }
            _ => format!("the key of a map is quoted: write `['{name}']`"),
        });
    };
    let inside = inside.get(1..).unwrap_or_default();
    match inside.split_once(quote) {
        Some(("", _)) => Err("the key between `[` and `]` is empty".to_owned()),
        Some((key, rest)) => match rest.strip_prefix(']') {
            Some(rest) => Ok((key.to_owned(), rest)),
            None => Err(format!("`]` is missing: write `['{key}']`")),
        },
        None => Err(format!(
            "the quote of `[{quote}{inside}` is not closed: write `['key']`"
        )),
    }
}

/// The canonical text of a path, which two spellings of one path share.
pub(crate) struct Canonical<'a>(pub(crate) &'a [Segment]);

impl fmt::Display for Canonical<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if i == 0 => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{}", &**name)?,
                Segment::Key(key) => write!(f, "['{}']", &**key)?,
            }
        }
        Ok(())
    }
}

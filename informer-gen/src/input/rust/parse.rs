//! Parses Rust source, with a limit on nesting.

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr as _;

use proc_macro2::{TokenStream, TokenTree};

use crate::error::{Location, Result};

/// Maximum nesting of brackets. syn is recursive, and the stack of a main thread is 1 MiB on some
/// systems. Ordinary code has a dozen levels.
const MAX_DEPTH: usize = 128;

/// Parses a file.
pub(super) fn file(path: &Path, text: &str) -> Result<syn::File> {
    let refused = |span, problem: &dyn Display| {
        let at = Location::of(path, span);
        at.error(format!("cannot be parsed as Rust: {problem}"))
    };
    let tokens = match TokenStream::from_str(without_shebang(text)) {
        Ok(parsed) => parsed,
        Err(error) => {
            let problem =
                "this is not a Rust token; is a bracket or a quote missing, or one too many?";
            return Err(refused(error.span(), &problem));
        }
    };
    if let Some(deepest) = too_deep(&tokens) {
        let problem = format!("brackets are nested deeper than {MAX_DEPTH} levels");
        return Err(refused(deepest.span_open(), &problem));
    }
    syn::parse2(tokens).map_err(|error| refused(error.span(), &error))
}

/// Returns the text with an empty line in place of a shebang.
fn without_shebang(text: &str) -> &str {
    let source = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = source.strip_prefix("#!") else {
        return source;
    };
    // `#![..]` is an attribute, even with spaces inside.
    if rest.trim_start().starts_with('[') {
        return source;
    }
    let Some(end) = rest.find('\n') else {
        return "";
    };
    rest.get(end..).unwrap_or_default()
}

/// Returns a group that is nested too deep. Uses no recursion, which could overflow the stack
/// itself.
fn too_deep(tokens: &TokenStream) -> Option<proc_macro2::Group> {
    let mut levels = vec![tokens.clone().into_iter()];
    while let Some(level) = levels.last_mut() {
        match level.next() {
            None => {
                levels.pop();
            }
            Some(TokenTree::Group(group)) if levels.len() > MAX_DEPTH => return Some(group),
            Some(TokenTree::Group(group)) => levels.push(group.stream().into_iter()),
            Some(TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) => {}
        }
    }
    None
}

/// Returns the literal that an expression consists of.
pub(super) fn literal(value: &syn::Expr) -> Option<&syn::Lit> {
    let syn::Expr::Lit(value) = value else {
        return None;
    };
    Some(&value.lit)
}

//! Parses and displays Rust paths.

use informer_codegen::names;
use proc_macro2::Span;
use quote::ToTokens;

use crate::error::{OptionName, Result};

/// Parses a path that means the same in every module.
pub(crate) fn absolute(text: &str, option: OptionName) -> Result<syn::Path> {
    let path = match syn::parse_str(text) {
        Ok(parsed) => parsed,
        Err(error) => return Err(option.refuse(text, format!("is not a Rust path: {error}"))),
    };
    match check_absolute(&path) {
        Ok(()) => Ok(path),
        Err(reason) => Err(option.refuse(text, reason)),
    }
}

/// Checks that a path means the same in every module.
///
/// # Errors
///
/// Returns advice if the path begins with neither `::` nor `crate`.
pub(crate) fn check_absolute(path: &syn::Path) -> Result<(), String> {
    if path.leading_colon.is_some() {
        return Ok(());
    }
    if let Some(first) = path.segments.first()
        && first.ident == "crate"
    {
        return Ok(());
    }
    let text = display(path);
    Err(format!(
        "must begin with `crate::` or `::`, because nested modules use it; \
         is it `crate::{text}` or `::{text}`?"
    ))
}

/// Appends a segment to a path.
pub(crate) fn push(path: &mut syn::Path, segment: &str) {
    let ident = names::identifier(segment, Span::call_site());
    path.segments.push(ident.into());
}

/// Displays a path in the usual form: `crate::api::Foo`.
pub(crate) fn display(path: &impl ToTokens) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

/// Reports whether `path` begins with `root`.
pub(crate) fn is_below(path: &syn::Path, root: &syn::Path) -> bool {
    if path.leading_colon.is_some() != root.leading_colon.is_some() {
        return false;
    }
    if path.segments.len() < root.segments.len() {
        return false;
    }
    path.segments
        .iter()
        .zip(&root.segments)
        .all(|(own, expected)| own.ident == expected.ident)
}

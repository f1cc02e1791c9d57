//! Parses and displays Rust paths.

use quote::ToTokens;

use crate::error::{Error, OptionName};

/// Parses a path that means the same in every module.
pub(crate) fn absolute(text: &str, option: OptionName) -> Result<syn::Path, Error> {
    let path = syn::parse_str(text)
        .map_err(|error| option.refuse(text, format!("is not a Rust path: {error}")))?;
    check_absolute(&path).map_err(|reason| option.refuse(text, reason))?;
    Ok(path)
}

/// Checks that a path means the same in every module.
///
/// # Errors
///
/// Returns advice if the path begins with neither `::` nor `crate`.
pub(crate) fn check_absolute(path: &syn::Path) -> Result<(), String> {
    let first = path.segments.first();
    if path.leading_colon.is_some() || first.is_some_and(|first| first.ident == "crate") {
        return Ok(());
    }
    let text = display(path);
    Err(format!(
        "must begin with `crate::` or `::`, because nested modules use it; \
         is it `crate::{text}` or `::{text}`?"
    ))
}

/// Displays a path in the usual form: `crate::api::Foo`.
pub(crate) fn display(path: &impl ToTokens) -> String {
    let spaced = path.to_token_stream().to_string();
    spaced.replace(' ', "")
}

/// Reports whether `path` begins with `root`.
pub(crate) fn is_below(path: &syn::Path, root: &syn::Path) -> bool {
    let mut segments = path.segments.iter();
    let mut root_segments = root.segments.iter();
    path.leading_colon.is_some() == root.leading_colon.is_some()
        && root_segments.all(|root| segments.next().is_some_and(|own| own.ident == root.ident))
}

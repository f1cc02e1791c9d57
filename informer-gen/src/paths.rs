//! Parses and displays Rust paths.

use quote::ToTokens;

use crate::error::{Error, OptionName};

/// Parses a path that means the same in every module: it must begin with `::` or `crate`.
pub(crate) fn absolute(text: &str, option: OptionName) -> Result<syn::Path, Error> {
    let path: syn::Path = syn::parse_str(text)
        .map_err(|error| option.refuse(text, format!("is not a Rust path: {error}")))?;
    let from_crate = path
        .segments
        .first()
        .is_some_and(|first| first.ident == "crate");
    if path.leading_colon.is_none() && !from_crate {
        let reason = format!(
            "must begin with `crate::` or `::`, because nested modules use it; \
             is it `crate::{text}` or `::{text}`?"
        );
        return Err(option.refuse(text, reason));
    }
    Ok(path)
}

/// Displays a path in the usual form: `crate::api::Foo`.
pub(crate) fn display(path: &syn::Path) -> String {
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

//! Lays tokens out as text, and nests text in text.
//!
//! Items are formatted one by one and put together as text: the arguments of the macros that gate
//! some of them would not be formatted otherwise.

use proc_macro2::{Ident, TokenStream};

use super::Context;
use crate::error::Error;
use crate::ir::{Minors, NEWEST_MINOR, OLDEST_MINOR};

const INDENT: &str = "    ";

/// A program may use one accessor of many; the lint named second is about this very attribute.
pub(super) const UNUSED: &str =
    "#[allow(dead_code, clippy::allow_attributes, reason = \"not all of it needs a user\")]";

/// Formats items, with empty lines between them.
pub(super) fn items(what: &str, items: &[TokenStream]) -> Result<String, Error> {
    let texts: Vec<String> = items
        .iter()
        .map(|item| {
            let file = syn::parse2(item.clone()).map_err(|source| Error::Internal {
                what: what.to_owned(),
                text: item.to_string(),
                source,
            })?;
            Ok(spaced(&prettyplease::unparse(&file)))
        })
        .collect::<Result<_, Error>>()?;
    Ok(texts.join("\n"))
}

/// Puts empty lines between the methods of a block.
fn spaced(item: &str) -> String {
    let mut text = String::new();
    let mut lines = item.lines().peekable();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let ends_member = line.strip_prefix(INDENT) == Some("}");
        if ends_member && lines.peek().is_some_and(|&next| next != "}") {
            text.push('\n');
        }
    }
    text
}

/// Formats methods that stand in the body of an `impl`.
pub(super) fn members(what: &str, members: &TokenStream) -> Result<String, Error> {
    let whole = items(what, &[quote::quote!(impl Members { #members })])?;
    let body = whole
        .trim_end()
        .strip_prefix("impl Members {\n")
        .and_then(|body| body.strip_suffix('}'))
        .unwrap_or_default();
    let mut text = String::new();
    for line in body.lines() {
        text.push_str(line.strip_prefix(INDENT).unwrap_or(line));
        text.push('\n');
    }
    Ok(text)
}

/// `head { body }`.
pub(super) fn block(head: &str, body: &str) -> String {
    let mut text = format!("{head} {{\n");
    for line in body.lines() {
        if !line.is_empty() {
            text.push_str(INDENT);
            text.push_str(line);
        }
        text.push('\n');
    }
    text.push_str("}\n");
    text
}

/// A module with its content.
pub(super) fn module(head: &str, context: &Context, ident: &Ident, body: &str) -> String {
    let visibility = context.visibility_text();
    block(&format!("{head}\n{visibility} mod {ident}"), body)
}

/// The declaration of a module whose content is in a file of its own.
pub(super) fn module_in_file(head: &str, context: &Context, ident: &Ident) -> String {
    let visibility = context.visibility_text();
    format!("{head}\n{visibility} mod {ident};\n")
}

/// Restricts `text` to the versions of Kubernetes that have what it names, where what surrounds it
/// is not restricted to the same already.
pub(super) fn gated(
    minors: Option<&Minors>,
    surrounding: Option<&Minors>,
    context: &Context,
    text: &str,
) -> String {
    let runs = minors.map(Minors::runs).unwrap_or_default();
    if runs.is_empty() || minors == surrounding {
        return text.to_owned();
    }
    let copies: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| {
            let gate = |name: String, body: &str| {
                block(&format!("{}::{name}!", context.k8s_openapi), body)
            };
            let mut copy = text.to_owned();
            if first == last {
                return gate(format!("k8s_if_1_{first}"), &copy);
            }
            if last < NEWEST_MINOR {
                copy = gate(format!("k8s_if_le_1_{last}"), &copy);
            }
            if first > OLDEST_MINOR {
                copy = gate(format!("k8s_if_ge_1_{first}"), &copy);
            }
            copy
        })
        .collect();
    copies.join("\n")
}

/// Makes sure that a whole file is Rust.
pub(super) fn check(what: &str, text: &str) -> Result<(), Error> {
    match syn::parse_file(text) {
        Ok(_) => Ok(()),
        Err(source) => Err(Error::Internal {
            what: what.to_owned(),
            text: text.to_owned(),
            source,
        }),
    }
}

//! Formats tokens as text, and nests text in text.
//!
//! Items are formatted one by one and joined as text, because formatters do not format the
//! arguments of the macros that gate some items.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};

use super::Context;
use crate::error::Error;
use crate::ir::{Gate, Minors};

const INDENT: &str = "    ";

/// Disables rustfmt for items that the generator formats itself. rustfmt's result would depend on
/// its configured width. rustc never sees the attribute, because a module without a prelude could
/// not resolve it.
pub(super) const UNFORMATTED: &str = "#[cfg_attr(false, rustfmt::skip)]";

/// Lints that generated code may trigger: programs use few of the accessors, and generated
/// functions may be long. The last lint is about this attribute.
pub(super) const UNUSED: &str = "#[cfg_attr(false, rustfmt::skip)]\n#[allow(dead_code, clippy::too_many_lines, clippy::unused_self, \
     clippy::redundant_closure_for_method_calls, clippy::allow_attributes, reason = \"generated: a program may not use all of it\")]";

/// Lints that generated types may trigger: their size, number and names follow the schema.
pub(super) const WRITTEN_TYPES: &str = "#[allow(unused_imports, nonstandard_style, clippy::all, clippy::pedantic, \
     clippy::allow_attributes, reason = \"generated: names and sizes follow the schema\")]";

/// Formats items, with empty lines between them.
pub(super) fn items(what: &str, items: &[TokenStream]) -> Result<String, Error> {
    Ok(each(what, items)?.join("\n"))
}

/// Formats each item separately.
pub(super) fn each(what: &str, items: &[TokenStream]) -> Result<Vec<String>, Error> {
    items
        .iter()
        .map(|item| {
            let file = syn::parse2(item.clone()).map_err(|source| Error::Internal {
                what: what.to_owned(),
                text: item.to_string(),
                source,
            })?;
            Ok(spaced(&prettyplease::unparse(&file)))
        })
        .collect()
}

/// Separates the methods of a block with empty lines.
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

/// Formats methods in the body of an `impl`.
pub(super) fn members(what: &str, members: &TokenStream) -> Result<String, Error> {
    let whole = items(what, &[quote::quote!(impl Members { #members })])?;
    Ok(inside(&whole, "impl Members {\n"))
}

/// Formats methods with bodies in a trait.
pub(super) fn trait_members(what: &str, members: &TokenStream) -> Result<String, Error> {
    let whole = items(what, &[quote::quote!(trait Members { #members })])?;
    Ok(inside(&whole, "trait Members {\n"))
}

/// Formats statements in the body of a function.
pub(super) fn statements(what: &str, statements: &TokenStream) -> Result<String, Error> {
    let whole = items(what, &[quote::quote!(fn body() { #statements })])?;
    Ok(inside(&whole, "fn body() {\n"))
}

/// Returns the lines between `head` and the last brace, unindented.
fn inside(whole: &str, head: &str) -> String {
    let body = whole
        .trim_end()
        .strip_prefix(head)
        .and_then(|body| body.strip_suffix('}'))
        .unwrap_or_default();
    let mut text = String::new();
    for line in body.lines() {
        text.push_str(line.strip_prefix(INDENT).unwrap_or(line));
        text.push('\n');
    }
    text
}

/// Returns `head { body }`.
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

/// Returns a module with its content.
pub(super) fn module(head: &str, context: &Context, ident: &Ident, body: &str) -> String {
    let visibility = context.visibility_text();
    block(&format!("{head}\n{visibility} mod {ident}"), body)
}

/// Returns the declaration of a module in a separate file.
pub(super) fn module_in_file(head: &str, context: &Context, ident: &Ident) -> String {
    let visibility = context.visibility_text();
    format!("{head}\n{visibility} mod {ident};\n")
}

/// Wraps items in the conditions of `gate`, for a place that is already behind the gate
/// `surrounding`.
///
/// The macros of `k8s-openapi` test Kubernetes versions; `cfg` tests features.
pub(super) fn gated(
    gate: &Gate,
    surrounding: &Gate,
    context: &Context,
    items: &[String],
) -> String {
    let copies = gate.within(surrounding).into_iter().map(|run| {
        let condition = condition(&run.features);
        let items: Vec<String> = items
            .iter()
            .map(|item| format!("{condition}{item}"))
            .collect();
        let macro_call =
            |name: String, body: &str| block(&format!("{}::{name}!", context.k8s_openapi), body);
        let mut copy = items.join("\n");
        match run.minors {
            Minors::All => {}
            Minors::Only(minor) => copy = macro_call(format!("k8s_if_1_{minor}"), &copy),
            Minors::Range(first, last) => {
                if let Some(last) = last {
                    copy = macro_call(format!("k8s_if_le_1_{last}"), &copy);
                }
                if let Some(first) = first {
                    copy = macro_call(format!("k8s_if_ge_1_{first}"), &copy);
                }
            }
        }
        copy
    });
    copies.collect::<Vec<_>>().join("\n")
}

/// Returns the attribute that requires one of `features`.
fn condition(features: &BTreeSet<String>) -> String {
    let mut features = features.iter().map(|name| format!("feature = {name:?}"));
    match (features.next(), features.collect::<Vec<_>>()) {
        (None, _) => String::new(),
        (Some(only), others) if others.is_empty() => format!("#[cfg({only})]\n"),
        (Some(first), others) => format!("#[cfg(any({first}, {}))]\n", others.join(", ")),
    }
}

/// Checks that a whole file parses as Rust.
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

//! Formats tokens as text, and nests text in text.
//!
//! [`Code`] is made from tokens, [`Doc`]s and words of the generator only, so that no text of an
//! input becomes code.
//!
//! Items are formatted one by one and joined as text, because formatters do not format the
//! arguments of the macros that gate some items.

use std::collections::BTreeSet;

use informer_codegen::doc::Doc;
use informer_codegen::layout;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Item;

use super::context::Context;
use crate::error::Error;
use crate::ir::{Gate, Minors};
use crate::write::MARKER;

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

/// Rust code as text.
#[derive(Debug, Default)]
pub(super) struct Code(String);

/// Beginning of a block: documentation, attributes, and an item without its body.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) doc: Doc,
    /// Attributes that no formatter may break.
    pub(super) attributes: &'static str,
    pub(super) item: TokenStream,
}

// === impl Code ===

impl Code {
    /// Formats items, with empty lines between them.
    pub(super) fn items(items: &[TokenStream]) -> Result<Self, Error> {
        Ok(Self::spaced(&Self::each(items)?))
    }

    /// Formats each item separately.
    pub(super) fn each(items: &[TokenStream]) -> Result<Vec<Self>, Error> {
        let items = items.iter().map(|item| {
            let file: syn::File = syn::parse2(item.clone()).map_err(|error| {
                Error::new(format!(
                    "generated text is not valid Rust, please report it: {error}\n{item}"
                ))
            })?;
            let text = prettyplease::unparse(&file);
            let has_members = matches!(file.items.first(), Some(Item::Impl(_) | Item::Trait(_)));
            Ok(Self(if has_members { spaced(&text) } else { text }))
        });
        items.collect()
    }

    /// Formats methods in the body of an `impl`.
    pub(super) fn members(members: &TokenStream) -> Result<Self, Error> {
        Self::inside(&quote!(impl Members { #members }))
    }

    /// Formats methods with bodies in a trait.
    pub(super) fn trait_members(members: &TokenStream) -> Result<Self, Error> {
        Self::inside(&quote!(trait Members { #members }))
    }

    /// Formats statements in the body of a function.
    pub(super) fn statements(statements: &TokenStream) -> Result<Self, Error> {
        Self::inside(&quote!(fn body() { #statements }))
    }

    /// Lays out the arguments of a macro of the runtime.
    pub(super) fn declaration(tokens: TokenStream) -> Self {
        Self(layout::declaration(tokens))
    }

    /// Returns the lines between the first and the last brace, unindented.
    fn inside(item: &TokenStream) -> Result<Self, Error> {
        let Self(whole) = Self::items(std::slice::from_ref(item))?;
        let body = whole.trim_end().strip_suffix('}').unwrap_or_default();
        let lines = body.lines().skip(1);
        let lines = lines.map(|line| line.strip_prefix(INDENT).unwrap_or(line));
        Ok(Self(lines.flat_map(|line| [line, "\n"]).collect()))
    }

    /// Returns a list with a line for each part.
    pub(super) fn list(before: &'static str, parts: &[Self], after: &'static str) -> Self {
        let parts = parts.iter();
        let parts: String = parts.flat_map(|part| [INDENT, &part.0, ",\n"]).collect();
        Self(format!("{before}\n{parts}{after}\n"))
    }

    /// Joins parts without lines between them.
    pub(super) fn joined(parts: &[Self]) -> Self {
        Self(parts.iter().map(|part| part.0.as_str()).collect())
    }

    /// Joins parts with empty lines between them.
    pub(super) fn spaced(parts: &[Self]) -> Self {
        let parts: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
        Self(parts.join("\n"))
    }

    /// Returns a block with its content.
    pub(super) fn block(head: &Head, body: &Self) -> Result<Self, Error> {
        let item = &head.item;
        let mut text = head.beginning(quote!(#item {}), "{}\n")?;
        text.push_str("{\n");
        for line in body.0.lines() {
            if !line.is_empty() {
                text.push_str(INDENT);
                text.push_str(line);
            }
            text.push('\n');
        }
        text.push_str("}\n");
        Ok(Self(text))
    }

    /// Returns the text of a whole file.
    pub(super) fn file(self) -> String {
        format!("{MARKER}\n\n{}", self.0)
    }
}

// === impl Head ===

impl Head {
    /// Returns the head of an item without documentation.
    pub(super) fn new(item: TokenStream) -> Self {
        Self {
            item,
            ..Self::default()
        }
    }

    /// Returns the declaration of an item without a body, such as a module in a separate file.
    pub(super) fn declaration(&self) -> Result<Code, Error> {
        let item = &self.item;
        self.beginning(quote!(#item;), "").map(Code)
    }

    fn beginning(&self, item: TokenStream, end: &str) -> Result<String, Error> {
        let doc = &self.doc;
        let doc = doc
            .lines()
            .map(|line| format!("/// {line}").trim_end().to_owned() + "\n");
        let mut text: String = doc.collect();
        if !self.attributes.is_empty() {
            text.extend([self.attributes, "\n"]);
        }
        let Code(item) = Code::items(&[item])?;
        text.push_str(item.strip_suffix(end).unwrap_or(&item));
        Ok(text)
    }
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

/// Returns the head of a module.
pub(super) fn module(doc: Doc, attributes: &'static str, context: &Context, ident: &Ident) -> Head {
    let visibility = &context.visibility;
    Head {
        doc,
        attributes,
        item: quote!(#visibility mod #ident),
    }
}

/// Wraps items in the conditions of `gate`, for a place that is already behind the gate
/// `surrounding`.
///
/// The macros of `k8s-openapi` test Kubernetes versions; `cfg` tests features.
pub(super) fn gated(
    gate: &Gate,
    surrounding: &Gate,
    context: &Context,
    items: &[Code],
) -> Result<Code, Error> {
    let mut copies = Vec::new();
    for run in gate.within(surrounding) {
        let condition = condition(&run.features);
        let items: Vec<Code> = items
            .iter()
            .map(|item| Code(format!("{condition}{}", item.0)))
            .collect();
        let mut copy = Code::spaced(&items);
        let k8s_openapi = &context.k8s_openapi;
        let mut within = |test: &str, minor: u8| {
            let name = format_ident!("k8s_if_{test}1_{minor}");
            copy = Code::block(&Head::new(quote!(#k8s_openapi::#name!)), &copy)?;
            Ok(())
        };
        match run.minors {
            Minors::All => {}
            Minors::Only(minor) => within("", minor)?,
            Minors::Range(first, last) => {
                last.map_or(Ok(()), |last| within("le_", last))?;
                first.map_or(Ok(()), |first| within("ge_", first))?;
            }
        }
        copies.push(copy);
    }
    Ok(Code::spaced(&copies))
}

/// Returns the attribute that requires one of `features`.
fn condition(features: &BTreeSet<String>) -> String {
    let features = features.iter().map(|name| format!("feature = {name:?}"));
    match features.collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [only] => format!("#[cfg({only})]\n"),
        several => format!("#[cfg(any({}))]\n", several.join(", ")),
    }
}

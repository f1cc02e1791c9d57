//! Formats tokens as text.
//!
//! The macros that gate some items have no form that a formatter knows, and the body of a module is
//! formatted before the others exist. The tokens hold a stand-in for each, and [`Context::text`]
//! replaces the stand-ins in the formatted text, line by line.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::context::Context;
use crate::error::Error;
use crate::ir::VersionGate;
use crate::write::MARKER;

/// Prefix of the macros of `k8s-openapi` that test Kubernetes versions, and of their stand-ins:
/// functions, whose bodies a formatter accepts in modules, traits, `impl`s and functions.
const GATE: &str = "k8s_if_";

/// Attributes by their stand-ins, because a formatter would break their lines.
///
/// - Programs use few of the accessors, and generated functions may be long. The module may be
///   private.
/// - The size, number and names of generated types follow the schema.
const ATTRIBUTES: [(&str, &str); 2] = [
    (
        "#[generated]",
        "#[cfg_attr(false, rustfmt::skip)]\n#[allow(dead_code, unreachable_pub, clippy::too_many_lines, clippy::unused_self, \
         clippy::must_use_candidate, clippy::redundant_closure_for_method_calls, clippy::allow_attributes, reason = \"generated: a program may not use all of it\")]",
    ),
    (
        "#[generated_types]",
        "#[allow(unused_imports, nonstandard_style, unreachable_pub, clippy::all, clippy::pedantic, \
         clippy::allow_attributes, reason = \"generated: names and sizes follow the schema\")]",
    ),
];

/// Stand-in of text that is already formatted.
const FORMATTED: &str = "formatted!(";

/// Beginnings of items, which an empty line separates from the item before.
const ITEMS: [&str; 6] = ["///", "#[", "pub", "impl", "mod ", FORMATTED];

/// Beginnings of items, of which those without a block stand together.
const MEMBERS: [&str; 3] = ["fn ", "const ", "type "];

// === impl Context ===

impl Context {
    /// Returns the text of a whole file.
    pub(super) fn file(&self, items: &TokenStream) -> Result<String, Error> {
        Ok(format!("{MARKER}\n\n{}", self.text(items)?))
    }

    /// Formats items now, so that their tokens do not exist together with those of other kinds.
    pub(super) fn formatted(&self, items: &TokenStream) -> Result<TokenStream, Error> {
        let text = self.text(items)?;
        let mut texts = self.texts.borrow_mut();
        texts.push(text);
        let number = Literal::usize_unsuffixed(texts.len() - 1);
        Ok(quote!(formatted!(#number);))
    }

    fn text(&self, items: &TokenStream) -> Result<String, Error> {
        let file: syn::File = syn::parse2(items.clone()).map_err(|error| {
            Error::new(format!(
                "generated text is not valid Rust, please report it: {error}\n{items}"
            ))
        })?;
        let formatted = prettyplease::unparse(&file);
        let mut text = String::new();
        let mut before = "";
        let mut lines = formatted.lines().peekable();
        while let Some(line) = lines.next() {
            let next = lines.peek().copied().unwrap_or_default();
            if is_separate(before, line, next) {
                text.push('\n');
            }
            text.push_str(&self.replaced(line));
            before = line;
        }
        Ok(text)
    }

    /// Returns a formatted line, or the text for which it stands.
    fn replaced(&self, line: &str) -> String {
        let words = line.trim_start();
        let (indent, _) = line.split_at(line.len() - words.len());
        if let Some(gate) = gate(words) {
            let k8s_openapi = crate::paths::display(&self.k8s_openapi);
            return format!("{indent}{k8s_openapi}::{gate}! {{\n");
        }
        if let Some((_, text)) = ATTRIBUTES.iter().find(|(name, _)| *name == words) {
            return indented(text, indent);
        }
        let number = words.strip_prefix(FORMATTED);
        let number = number.and_then(|words| words.strip_suffix(");")?.parse().ok());
        let texts = self.texts.borrow();
        match number.and_then(|number: usize| texts.get(number)) {
            Some(text) => indented(text, indent),
            None => format!("{line}\n"),
        }
    }
}

/// Returns the name of the macro for which a line stands.
fn gate(words: &str) -> Option<&str> {
    let name = words.strip_prefix("fn ")?.strip_suffix("() {")?;
    name.starts_with(GATE).then_some(name)
}

/// Reports whether an empty line separates the item that begins at `line` from the item before. The
/// line after a gate decides whether the gate contains items or statements.
fn is_separate(before: &str, line: &str, next: &str) -> bool {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_one_of = |items: &[&str], line: &str| {
        let line = line.trim_start();
        items.iter().any(|item| line.starts_with(item))
    };
    let first = if gate(line.trim_start()).is_some() {
        next
    } else {
        line
    };
    let ends_block = before.ends_with('}') || is_one_of(&["//!", FORMATTED], before);
    let is_statement = first.ends_with(';') && is_one_of(&["#["], first);
    let is_item = is_one_of(&ITEMS, first) || (ends_block && is_one_of(&MEMBERS, first));
    let is_end = ends_block || before.ends_with(';');
    is_item && is_end && !is_statement && depth(before) == depth(line)
}

fn indented(text: &str, indent: &str) -> String {
    let lines = text.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("{indent}{line}\n"),
    });
    lines.collect()
}

/// Wraps items or statements in the conditions of `gate`, for a place that is already behind the
/// gate `surrounding`.
///
/// The macros of `k8s-openapi` test Kubernetes versions; `cfg` tests features.
pub(super) fn gated(
    gate: &VersionGate,
    surrounding: &VersionGate,
    items: &[TokenStream],
) -> TokenStream {
    let runs = gate.within(surrounding).into_iter().map(|run| {
        let features = run.features.iter();
        let condition = match run.features.len() {
            0 => None,
            1 => Some(quote!(#[cfg(#(feature = #features)*)])),
            _ => Some(quote!(#[cfg(any(#(feature = #features),*))])),
        };
        let items = quote!(#(#condition #items)*);
        run.minors.iter().rev().fold(items, |items, test| {
            let name = format_ident!("{GATE}{test}");
            quote!(fn #name() { #items })
        })
    });
    runs.collect()
}

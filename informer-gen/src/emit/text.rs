//! Formats tokens as text, and composes texts.
//!
//! The macros that gate some items have no form that a formatter knows. So each item, method and
//! statement is formatted by itself, and modules, `impl`s and gates are composed of the texts. Tokens
//! thus exist for one kind at a time.

use std::fmt;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parse;
use syn::{ImplItem, Item, ItemImpl, parse_quote};

use super::context::Context;
use crate::error::{Error, Result};
use crate::ir::{GateRun, VersionGate};

const INDENT: &str = "    ";

/// Formatted items, or formatted members of an item.
#[derive(Debug)]
pub(super) struct Text(String);

// === impl Text ===

impl Text {
    /// Formats items, with an empty line between them and between their members.
    pub(super) fn items(tokens: &TokenStream) -> Result<Self> {
        let file: syn::File = parse(tokens)?;
        let texts: Vec<Self> = file.items.into_iter().map(item_text).collect();
        Ok(Self::all(&texts))
    }

    /// Formats one method.
    pub(super) fn method(tokens: &TokenStream) -> Result<Self> {
        Ok(member_text(parse(tokens)?))
    }

    /// Formats one statement.
    pub(super) fn statement(tokens: &TokenStream) -> Result<Self> {
        let function: Item = parse(&quote!(fn x() { #tokens }))?;
        Ok(content_of(&unparse(function)))
    }

    /// Puts texts into the braces of an item, such as a module. The tokens are the item without its
    /// braces.
    pub(super) fn block(head: &TokenStream, content: &[Self]) -> Result<Self> {
        Ok(with_content(parse(&quote!(#head {}))?, content))
    }

    /// Puts texts one after the other, with an empty line between two.
    pub(super) fn all(texts: &[Self]) -> Self {
        let mut all = String::new();
        for Self(text) in texts.iter().filter(|text| !text.0.is_empty()) {
            if !all.is_empty() {
                all.push('\n');
            }
            all.push_str(text);
        }
        Self(all)
    }

    /// Puts imports or statements one after the other.
    pub(super) fn lines(texts: &[Self]) -> Self {
        Self(texts.iter().map(|text| text.0.as_str()).collect())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// === impl Context ===

impl Context {
    /// Puts items, methods or statements behind the conditions of `gate`, for a place that is already
    /// behind the gate `surrounding`.
    ///
    /// The macros of `k8s-openapi` test Kubernetes versions; `cfg` tests features.
    pub(super) fn gated(
        &self,
        gate: &VersionGate,
        surrounding: &VersionGate,
        texts: &[Text],
    ) -> Text {
        let runs = gate.within(surrounding);
        let gated: Vec<Text> = runs.iter().map(|run| self.behind(run, texts)).collect();
        Text::all(&gated)
    }

    fn behind(&self, run: &GateRun, texts: &[Text]) -> Text {
        let features = run
            .features
            .iter()
            .map(|name| format!("feature = {name:?}"));
        let condition = match features.collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            [feature] => format!("#[cfg({feature})]\n"),
            features => format!("#[cfg(any({}))]\n", features.join(", ")),
        };
        let conditional = texts.iter().map(|text| Text(format!("{condition}{text}")));
        let mut gated = Text::all(&conditional.collect::<Vec<_>>());
        let k8s_openapi = crate::paths::display(&self.k8s_openapi);
        for test in run.minors.iter().rev() {
            gated = braced(&format!("{k8s_openapi}::k8s_if_{test}!"), &gated);
        }
        gated
    }
}

/// Formats one item, and the members of an `impl` one by one.
fn item_text(item: Item) -> Text {
    let Item::Impl(mut block) = item else {
        return unparse(item);
    };
    if block.items.is_empty() {
        return unparse(Item::Impl(block));
    }
    let members = std::mem::take(&mut block.items);
    let texts: Vec<Text> = members.into_iter().map(member_text).collect();
    with_content(Item::Impl(block), &texts)
}

fn member_text(member: ImplItem) -> Text {
    let mut block: ItemImpl = parse_quote!(impl X {});
    block.items.push(member);
    content_of(&unparse(Item::Impl(block)))
}

/// Puts texts into the braces of an item that has none.
fn with_content(item: Item, content: &[Text]) -> Text {
    let Text(text) = unparse(item);
    let head = text.trim_end().trim_end_matches("{}").trim_end();
    braced(head, &Text::all(content))
}

fn braced(head: &str, Text(content): &Text) -> Text {
    let mut text = format!("{head} {{\n");
    for line in content.lines() {
        if !line.is_empty() {
            text.push_str(INDENT);
        }
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("}\n");
    Text(text)
}

/// Returns the content of an item whose braces are on lines of their own.
fn content_of(Text(item): &Text) -> Text {
    let mut content = String::new();
    for line in item.lines().skip(1).filter(|line| *line != "}") {
        content.push_str(line.strip_prefix(INDENT).unwrap_or(line));
        content.push('\n');
    }
    Text(content)
}

fn unparse(item: Item) -> Text {
    Text(prettyplease::unparse(&syn::File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items: vec![item],
    }))
}

fn parse<T: Parse>(tokens: &TokenStream) -> Result<T> {
    syn::parse2(tokens.clone()).map_err(|error| {
        Error::new(format!(
            "generated text is not valid Rust, please report it: {error}\n{tokens}"
        ))
    })
}

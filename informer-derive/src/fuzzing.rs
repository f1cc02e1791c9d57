//! Properties of the macro for any input: the output is Rust, and errors have positions.
//!
//! Each function takes the input of one fuzz target and panics if a property is violated. The
//! targets of `fuzz/` run them under libFuzzer, which sets `cfg(fuzzing)` and compiles this crate
//! as an ordinary library. `tests` runs them on the committed corpora and on random inputs.

#![expect(clippy::panic, reason = "a violated property panics")]

use proc_macro2::{Span, TokenStream, TokenTree};

/// Items in which the input replaces `{}`.
const ITEMS: [&str; 4] = [
    "#[kube(group = \"example.com\", version = \"v1\", kind = \"Foo\", namespaced)]
     #[informer({})] #[serde(rename_all = \"camelCase\")] pub struct FooSpec {
         pub deployment_name: String, pub replicas: Option<i32>, pub tls: Vec<Tls>,
         #[serde(rename = \"type\")] pub r#type: Option<Box<String>>, #[serde(flatten)] rest: Rest,
     }",
    "#[informer({})] pub(crate) struct Foo { metadata: ObjectMeta, spec: FooSpec }",
    "#[informer({})] struct NodePod;",
    "#[kube({})] #[informer(index = \"spec.name\")] struct FooSpec { #[serde({})] name: String }",
];

/// Maximum nesting of brackets and operators. The parser recurses, as rustc does before it calls a
/// macro.
const MAX_NESTING: usize = 150;

/// Expands items with the input in their attributes.
pub fn derive_attributes(input: &[u8]) {
    let Ok(input) = str::from_utf8(input) else {
        return;
    };
    for item in ITEMS {
        expands(&item.replace("{}", input));
    }
}

/// Expands a whole item.
pub fn derive_item(input: &[u8]) {
    if let Ok(item) = str::from_utf8(input) {
        expands(item);
    }
}

/// Expands an item twice. Both results must be the same items or errors, with positions inside the
/// text.
fn expands(item: &str) {
    let is_nesting = |byte: &u8| b"([{<&*-|!".contains(byte);
    if item.bytes().filter(is_nesting).count() > MAX_NESTING {
        return;
    }
    // Releases the text that earlier spans keep alive.
    proc_macro2::extra::invalidate_current_thread_spans();
    let Ok(tokens) = item.parse::<TokenStream>() else {
        return;
    };
    let expansion = crate::derive_tokens(tokens.clone());
    let again = crate::derive_tokens(tokens);
    assert_eq!(expansion.to_string(), again.to_string(), "{item}");
    let parsed = syn::parse2::<syn::File>(expansion.clone());
    if let Err(error) = parsed {
        panic!("{item}\n{error}: {expansion}");
    }
    for span in errors(expansion) {
        let text = item.get(span.byte_range());
        assert_eq!(
            span.source_text().unwrap_or_default(),
            text.unwrap_or("outside"),
            "{item}"
        );
    }
}

/// Returns the positions of the errors.
fn errors(tokens: TokenStream) -> Vec<Span> {
    let mut spans = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(word) if word == "compile_error" => spans.push(word.span()),
            TokenTree::Group(group) => spans.extend(errors(group.stream())),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    spans
}

#[cfg(test)]
mod tests;

//! A path as an attribute has it: its text, and where each part of it is written.

use informer_codegen::path::{self, PathError, Segment, Spelling};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use crate::attr::PathAttr;

/// The text of a path.
pub(crate) struct PathText {
    text: String,
    pub(crate) spelling: Spelling,
    /// Where in the text a token begins, ascending; the first is at the start.
    tokens: Vec<(usize, Span)>,
}

// === impl PathText ===

impl PathText {
    pub(crate) fn new(path: &PathAttr) -> Self {
        match path {
            PathAttr::Json(text) => Self::json(text.value(), text.span()),
            PathAttr::Rust(tokens) => Self::rust(tokens.clone()),
        }
    }

    /// A path of JSON, all of which is at `span`: rustc tells no parts of a literal apart.
    pub(crate) fn json(text: String, span: Span) -> Self {
        Self {
            text,
            spelling: Spelling::Json,
            tokens: vec![(0, span)],
        }
    }

    fn rust(tokens: TokenStream) -> Self {
        let mut all = Self {
            text: String::new(),
            spelling: Spelling::Rust,
            tokens: Vec::new(),
        };
        let mut follows_word = false;
        for token in tokens {
            let is_word = matches!(token, TokenTree::Ident(_) | TokenTree::Literal(_));
            // Two words are not one.
            if is_word && follows_word {
                all.text.push(' ');
            }
            all.tokens.push((all.text.len(), token.span()));
            all.text.push_str(&text(&token));
            follows_word = is_word;
        }
        all
    }

    /// The segments.
    pub(crate) fn segments(&self) -> syn::Result<Vec<Segment>> {
        path::parse(&self.text, self.spelling).map_err(|error| self.error(&error))
    }

    /// `error`, where it is.
    pub(crate) fn error(&self, error: &PathError) -> syn::Error {
        syn::Error::new(self.span(error.at.start), error)
    }

    /// Where the byte `at` of the text is written.
    pub(crate) fn span(&self, at: usize) -> Span {
        let mut before = self.tokens.iter().rev();
        let token = before.find(|(start, _)| *start <= at);
        token
            .or(self.tokens.first())
            .map_or_else(Span::call_site, |(_, span)| *span)
    }
}

/// A token as the grammar of paths spells it: a key in quotes of one kind, whatever is in it.
fn text(token: &TokenTree) -> String {
    if let TokenTree::Group(group) = token
        && group.delimiter() == Delimiter::Bracket
        && let Ok(key) = syn::parse2::<LitStr>(group.stream())
    {
        let key = key.value();
        let quote = if key.contains('"') { '\'' } else { '"' };
        return format!("[{quote}{key}{quote}]");
    }
    token.to_token_stream().to_string()
}

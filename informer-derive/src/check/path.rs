//! Text of a path in an attribute, with the positions of its parts.

use informer_codegen::path::{self, PathError, Segment, Spelling};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use crate::attr::PathAttr;

/// Text of a path.
pub(crate) struct PathText {
    text: String,
    pub(crate) spelling: Spelling,
    /// Offsets at which tokens begin, in ascending order, with their spans. The first offset is 0.
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

    /// Creates a path in JSON spelling. All of it is at `span`, because rustc has no spans inside a
    /// literal.
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
            // Adjacent words must stay separate.
            if is_word && follows_word {
                all.text.push(' ');
            }
            all.tokens.push((all.text.len(), token.span()));
            all.text.push_str(&text(&token));
            follows_word = is_word;
        }
        all
    }

    /// Parses the segments.
    pub(crate) fn segments(&self) -> syn::Result<Vec<Segment>> {
        path::parse(&self.text, self.spelling).map_err(|error| self.error(&error))
    }

    /// Converts `error` into an error at its position.
    pub(crate) fn error(&self, error: &PathError) -> syn::Error {
        syn::Error::new(self.span(error.at.start), error)
    }

    /// Returns the span of the byte offset `at`.
    pub(crate) fn span(&self, at: usize) -> Span {
        let mut before = self.tokens.iter().rev();
        let token = before.find(|(start, _)| *start <= at);
        token
            .or(self.tokens.first())
            .map_or_else(Span::call_site, |(_, span)| *span)
    }
}

/// Returns a token in the grammar of paths, which quotes all keys in the same way.
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

//! Path of a declaration, with the positions of its parts.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;
use syn::spanned::Spanned;

use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::path::{self, PathError, Segment, Spelling};

/// Path as written: in quotes with the names in JSON, or without quotes with the names in Rust.
pub struct Written {
    text: String,
    /// Spelling of the names.
    pub spelling: Spelling,
    /// Tokens, the place of errors about all of the path.
    tokens: TokenStream,
    /// Offsets in the text at which tokens begin, in ascending order, with their spans. The first
    /// offset is 0.
    offsets: Vec<(usize, Span)>,
}

// === impl Written ===

impl Written {
    /// Reads the value of `entry`. `form` is the example in the error.
    pub(super) fn read(ctxt: &Ctxt, entry: &Entry, form: &str) -> Option<Self> {
        if let Some(tokens) = entry.equals()
            && let Some(TokenTree::Ident(_)) = tokens.clone().into_iter().next()
        {
            return Some(Self::rust(tokens.clone()));
        }
        let literal = entry.string(ctxt, form)?;
        Some(Self::json(literal.value(), &literal))
    }

    /// Creates the path in JSON spelling that `literal` stands for. All of it is at the literal,
    /// because rustc has no spans inside of one.
    #[must_use]
    pub fn json(text: String, literal: &LitStr) -> Self {
        Self {
            text,
            spelling: Spelling::Json,
            tokens: literal.to_token_stream(),
            offsets: vec![(0, literal.span())],
        }
    }

    fn rust(tokens: TokenStream) -> Self {
        let mut text = String::new();
        let mut offsets = Vec::new();
        let mut follows_word = false;
        for token in tokens.clone() {
            let is_word = matches!(token, TokenTree::Ident(_) | TokenTree::Literal(_));
            // Adjacent words must stay separate.
            if is_word && follows_word {
                text.push(' ');
            }
            offsets.push((text.len(), token.span()));
            text.push_str(&in_grammar(&token));
            follows_word = is_word;
        }
        Self {
            text,
            spelling: Spelling::Rust,
            tokens,
            offsets,
        }
    }

    /// Returns the text of the path.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reports whether the names are those in JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.spelling == Spelling::Json
    }

    /// Parses the segments.
    pub(crate) fn segments(&self) -> syn::Result<Vec<Segment>> {
        path::parse(&self.text, self.spelling).map_err(|error| self.error(&error))
    }

    /// Converts `error` into an error at its position.
    pub(crate) fn error(&self, error: &PathError) -> syn::Error {
        syn::Error::new(self.at(error.at.start), error)
    }

    /// Returns the span of the byte offset `at`.
    #[must_use]
    pub fn at(&self, at: usize) -> Span {
        self.offsets
            .iter()
            .rfind(|(start, _)| *start <= at)
            .or(self.offsets.first())
            .map_or_else(Span::call_site, |(_, span)| *span)
    }

    /// Returns the position of the path, or of its start.
    #[must_use]
    pub fn span(&self) -> Span {
        self.tokens.span()
    }
}

impl ToTokens for Written {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}

/// Returns a token in the grammar of paths, which quotes all keys in the same way.
fn in_grammar(token: &TokenTree) -> String {
    if let TokenTree::Group(group) = token
        && group.delimiter() == Delimiter::Bracket
        && let Ok(literal) = syn::parse2::<LitStr>(group.stream())
    {
        let key = literal.value();
        let quote = if key.contains('"') { '\'' } else { '"' };
        return format!("[{quote}{key}{quote}]");
    }
    token.to_token_stream().to_string()
}

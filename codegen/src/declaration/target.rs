//! Type or kind of related objects.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{LitStr, Type};

use crate::emit::type_text;

/// Type of related objects, or their kind, which a generator resolves to a type.
#[derive(Clone)]
pub enum NamedType {
    /// Rust type.
    Type(Box<Type>),
    /// Kind such as `apps/v1/Deployment`, with its tokens.
    Kind(String, TokenStream),
}

// === impl NamedType ===

impl NamedType {
    /// Reads a type or a kind, bare or in a string. Returns `None` for other tokens.
    pub(super) fn read(tokens: &TokenStream) -> Option<Self> {
        let literal: Option<LitStr> = syn::parse2(tokens.clone()).ok();
        let ty = match &literal {
            Some(literal) => literal.parse(),
            None => syn::parse2(tokens.clone()),
        };
        if let Ok(ty) = ty {
            return Some(Self::Type(Box::new(ty)));
        }
        let kind = match literal {
            Some(literal) => literal.value(),
            None => bare_words(tokens.clone())?,
        };
        is_kind(&kind).then(|| Self::Kind(kind, tokens.clone()))
    }

    /// Returns the position of the target, or of its start.
    #[must_use]
    pub fn span(&self) -> Span {
        self.to_token_stream().span()
    }

    /// Returns the spelling of the target in messages.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Type(ty) => type_text(ty),
            Self::Kind(text, _) => text.clone(),
        }
    }

    /// Returns the last word of the name.
    #[must_use]
    pub fn kind(&self) -> String {
        match self {
            Self::Type(ty) => {
                let Type::Path(path) = &**ty else {
                    return type_text(ty);
                };
                match path.path.segments.last() {
                    Some(last) => last.ident.unraw().to_string(),
                    None => String::new(),
                }
            }
            Self::Kind(text, _) => text.rsplit('/').next().unwrap_or_default().to_owned(),
        }
    }
}

impl ToTokens for NamedType {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Type(ty) => ty.to_tokens(tokens),
            Self::Kind(_, written) => written.to_tokens(tokens),
        }
    }
}

/// Returns the text of `tokens` without spaces, or `None` if it has brackets.
fn bare_words(tokens: TokenStream) -> Option<String> {
    let mut text = String::new();
    for token in tokens {
        if matches!(token, TokenTree::Group(_)) {
            return None;
        }
        text.push_str(&token.to_string());
    }
    Some(text)
}

/// Reports whether a text has the form of a kind with its version.
fn is_kind(text: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.');
    let is_part = |part: &str| !part.is_empty() && part.chars().all(is_allowed);
    text.contains('/') && text.split('/').all(is_part)
}

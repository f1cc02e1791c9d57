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
        if let Ok(literal) = syn::parse2::<LitStr>(tokens.clone()) {
            let text = literal.value();
            return match literal.parse::<Type>() {
                Ok(ty) => Some(Self::Type(Box::new(ty))),
                Err(_) => is_kind(&text).then(|| Self::Kind(text, tokens.clone())),
            };
        }
        if let Ok(ty) = syn::parse2(tokens.clone()) {
            return Some(Self::Type(Box::new(ty)));
        }
        let is_word = |token: &TokenTree| !matches!(token, TokenTree::Group(_));
        let words = tokens.clone().into_iter();
        let text: String = words.map(|token| token.to_string()).collect();
        let is_bare = tokens.clone().into_iter().all(|token| is_word(&token)) && is_kind(&text);
        is_bare.then(|| Self::Kind(text, tokens.clone()))
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
                let last = path.path.segments.last();
                last.map(|last| last.ident.unraw().to_string())
                    .unwrap_or_default()
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

/// Reports whether a text has the form of a kind with its version.
fn is_kind(text: &str) -> bool {
    let is_part = |part: &str| {
        let is_letter =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.');
        !part.is_empty() && part.chars().all(is_letter)
    };
    text.contains('/') && text.split('/').all(is_part)
}

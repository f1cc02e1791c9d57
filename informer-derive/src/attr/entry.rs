//! The entries of an attribute, `key`, `key = value` and `key(...)`, split at the commas.
//!
//! Splitting comes first and cannot fail, so a mistake in one entry hides none in the next.

use informer_codegen::suggest::nearest;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::{LitStr, Path, Type};

use crate::ctxt::Ctxt;

/// One entry.
pub(crate) struct Entry {
    /// The key as written, `r#` removed; empty if the entry does not start with a word.
    key: String,
    /// All of it.
    tokens: TokenStream,
    value: Value,
}

enum Value {
    None,
    Equals(TokenStream),
    List(TokenStream),
    Other,
}

/// The keys that an attribute has.
pub(crate) struct Keys {
    /// The attribute's name.
    pub(crate) of: &'static str,
    /// The key that a value without one is taken to be for.
    pub(crate) bare: &'static str,
    /// The keys.
    pub(crate) known: &'static [&'static str],
    /// Words that someone may try, and what to write instead.
    pub(crate) meant: &'static [(&'static str, &'static str)],
}

/// The value of a key that may be given once.
pub(crate) struct Slot<T> {
    /// The key, where it was first.
    pub(crate) first: Option<Span>,
    /// The value, if it was given and well formed.
    pub(crate) value: Option<T>,
}

/// Splits the inside of an attribute.
pub(crate) fn entries(tokens: TokenStream) -> Vec<Entry> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut all = Vec::new();
    let mut current = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        let rest = tokens.get(position..).unwrap_or_default();
        if is_punct(token, ',') && !is_between_angles(&current, rest) {
            all.push(std::mem::take(&mut current));
        } else {
            current.push(token.clone());
        }
    }
    // A comma may be the last thing.
    if !current.is_empty() {
        all.push(current);
    }
    all.into_iter().map(Entry::new).collect()
}

fn is_punct(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}

/// Whether a comma is one of `Foo<A, B>`: something is open before it, and closed after it.
fn is_between_angles(before: &[TokenTree], after: &[TokenTree]) -> bool {
    let count = |tokens: &[TokenTree], punct| tokens.iter().filter(|t| is_punct(t, punct)).count();
    let open = count(before, '<').saturating_sub(count(before, '>'));
    open > 0 && count(after, '>') >= open
}

// === impl Entry ===

impl Entry {
    fn new(tokens: Vec<TokenTree>) -> Self {
        let key = match tokens.first() {
            Some(TokenTree::Ident(ident)) => ident.to_string().trim_start_matches("r#").to_owned(),
            _ => String::new(),
        };
        let value = match tokens.get(1..).unwrap_or_default() {
            [] => Value::None,
            [TokenTree::Punct(punct), rest @ ..] if punct.as_char() == '=' => {
                Value::Equals(rest.iter().cloned().collect())
            }
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
                Value::List(group.stream())
            }
            _ => Value::Other,
        };
        Self {
            key,
            tokens: tokens.into_iter().collect(),
            value,
        }
    }

    /// The key.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Where the entry starts.
    pub(crate) fn span(&self) -> Span {
        self.tokens
            .clone()
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |first| first.span())
    }

    /// Whether it is the key alone.
    pub(crate) fn is_word(&self) -> bool {
        matches!(self.value, Value::None)
    }

    /// The inside of `key(...)`.
    pub(crate) fn list(&self) -> Option<TokenStream> {
        match &self.value {
            Value::List(tokens) => Some(tokens.clone()),
            Value::None | Value::Equals(_) | Value::Other => None,
        }
    }

    /// What follows `key =`.
    pub(crate) fn equals(&self) -> Option<&TokenStream> {
        match &self.value {
            Value::Equals(tokens) => Some(tokens),
            Value::None | Value::List(_) | Value::Other => None,
        }
    }

    /// The value as a string, if it is one; nothing is reported.
    pub(crate) fn try_string(&self) -> Option<LitStr> {
        self.equals()
            .and_then(|value| syn::parse2(value.clone()).ok())
    }

    /// The value as a string; `form` shows how to write it.
    pub(crate) fn string(&self, ctxt: &Ctxt, form: &str) -> Option<LitStr> {
        let string = self.try_string();
        if string.is_none() {
            self.report(ctxt, "a string", form);
        }
        string
    }

    /// Whether it is the key alone; otherwise that is reported.
    pub(crate) fn word(&self, ctxt: &Ctxt, form: &str) -> bool {
        let is_word = self.is_word();
        if !is_word {
            ctxt.error(
                &self.tokens,
                format!(
                    "`{}` takes no value: write `{form}`, or remove it",
                    self.key
                ),
            );
        }
        is_word
    }

    /// The value as a path, bare or in a string.
    pub(crate) fn path(&self, ctxt: &Ctxt, form: &str) -> Option<Path> {
        self.syntax(ctxt, Path::parse_mod_style, "a path", form)
    }

    /// The value as a type, bare or in a string.
    pub(crate) fn ty(&self, ctxt: &Ctxt, form: &str) -> Option<Type> {
        self.syntax(ctxt, <Type as syn::parse::Parse>::parse, "a type", form)
    }

    fn syntax<T>(
        &self,
        ctxt: &Ctxt,
        parser: fn(syn::parse::ParseStream<'_>) -> syn::Result<T>,
        what: &str,
        form: &str,
    ) -> Option<T> {
        let value = match self.try_string() {
            Some(text) => text.parse_with(parser).ok(),
            None => self
                .equals()
                .and_then(|tokens| parser.parse2(tokens.clone()).ok()),
        };
        if value.is_none() {
            self.report(ctxt, what, form);
        }
        value
    }

    fn report(&self, ctxt: &Ctxt, what: &str, form: &str) {
        let message = format!("expected {what}: write `{form}`");
        match &self.value {
            Value::Equals(value) if !value.is_empty() => ctxt.error(value, message),
            Value::Equals(_) | Value::None | Value::List(_) | Value::Other => {
                ctxt.error(&self.tokens, message);
            }
        }
    }
}

// === impl Keys ===

impl Keys {
    /// Whether the key of `entry` is one of them.
    pub(crate) fn knows(&self, entry: &Entry) -> bool {
        self.known.contains(&entry.key())
    }

    /// The key of `entry`; an unknown one is reported.
    pub(crate) fn find(&self, ctxt: &Ctxt, entry: &Entry) -> Option<&'static str> {
        let word = entry.key();
        let found = self.known.iter().find(|key| **key == word);
        if found.is_none() {
            self.report(ctxt, entry);
        }
        found.copied()
    }

    fn report(&self, ctxt: &Ctxt, entry: &Entry) {
        let list = self
            .known
            .iter()
            .map(|key| format!("`{key}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let word = entry.key();
        let Some(first) = entry.tokens.clone().into_iter().next() else {
            return ctxt.error_at(
                Span::call_site(),
                format!(
                    "nothing between two commas of `{}(...)`: remove one",
                    self.of
                ),
            );
        };
        if word.is_empty() {
            let value = &entry.tokens;
            return ctxt.error(
                value,
                format!(
                    "a value needs a key, one of {list}: write `{} = {value}`",
                    self.bare
                ),
            );
        }
        let meant = self
            .meant
            .iter()
            .find(|(tried, _)| *tried == word)
            .map(|(_, meant)| *meant);
        let message = match meant.or_else(|| nearest(word, self.known.iter().copied())) {
            Some(meant) => format!("unknown key `{word}`: did you mean `{meant}`?"),
            None => format!("unknown key `{word}`: `{}(...)` takes {list}", self.of),
        };
        ctxt.error(first.to_token_stream(), message);
    }
}

// === impl Slot ===

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self {
            first: None,
            value: None,
        }
    }
}

impl<T> Slot<T> {
    /// Takes the value of `entry`, unless the key was there before, which is reported.
    pub(crate) fn set(&mut self, ctxt: &Ctxt, entry: &Entry, value: impl FnOnce() -> Option<T>) {
        if let Some(first) = self.first {
            let message = format!("`{}` is given twice: remove one", entry.key());
            return ctxt.conflict(entry.span(), message, first, "it is given here first");
        }
        self.first = Some(entry.span());
        self.value = value();
    }

    /// Whether the key was there, well formed or not.
    pub(crate) fn given(&self) -> bool {
        self.first.is_some()
    }
}

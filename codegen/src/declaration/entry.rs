//! Splits an attribute at its commas into entries: `key`, `key = value` and `key(...)`.
//!
//! Splitting cannot fail, so a mistake in one entry does not hide mistakes in others.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::{LitStr, Path, Type};

use super::target::NamedType;
use crate::ctxt::Ctxt;
use crate::suggest::nearest;

/// Entry of an attribute.
pub struct Entry {
    /// Key without `r#`. Empty if the entry does not start with a word.
    key: String,
    /// All tokens of the entry.
    tokens: TokenStream,
    value: Value,
}

enum Value {
    None,
    Equals(TokenStream),
    List(TokenStream),
    Other,
}

/// Keys of an attribute.
pub struct AllowedKeys {
    /// Name of the attribute.
    pub of: &'static str,
    /// Key to suggest for a value without a key.
    pub bare: &'static str,
    /// Known keys.
    pub known: &'static [&'static str],
    /// Words that users may try, with the key to suggest.
    pub meant: &'static [(&'static str, &'static str)],
}

/// Value of a key that may be set once.
pub struct KeySlot<T> {
    /// Position of the first occurrence of the key.
    pub first: Option<Span>,
    /// Value, if it was set and is well formed.
    pub value: Option<T>,
}

/// Splits the content of an attribute.
#[must_use]
pub fn entries(content: TokenStream) -> Vec<Entry> {
    let tokens: Vec<TokenTree> = content.into_iter().collect();
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
    // A trailing comma is allowed.
    if !current.is_empty() {
        all.push(current);
    }
    all.into_iter().map(Entry::new).collect()
}

fn is_punct(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}

/// Reports whether a comma belongs to generic arguments, as in `Foo<A, B>`: `before` has an open
/// angle bracket, and `after` closes it.
fn is_between_angles(before: &[TokenTree], after: &[TokenTree]) -> bool {
    let count = |tokens: &[TokenTree], punct| tokens.iter().filter(|t| is_punct(t, punct)).count();
    let open = count(before, '<').saturating_sub(count(before, '>'));
    open > 0 && count(after, '>') >= open
}

/// Returns a target that has a name, which only a kind may have in quotes. `macro_rules!` wraps the
/// types that it passes on in invisible groups.
fn named(target: NamedType, is_bare: bool) -> Option<NamedType> {
    let NamedType::Type(ty) = target else {
        return Some(target);
    };
    if let Type::Group(group) = *ty {
        return named(NamedType::Type(group.elem), is_bare);
    }
    (is_bare && matches!(*ty, Type::Path(_))).then_some(NamedType::Type(ty))
}

/// Reports tokens that are not the name of a type.
pub(crate) fn expected_type(ctxt: &Ctxt, wrong: impl ToTokens, form: &str) {
    ctxt.error(
        wrong,
        format!("expected the name of a type: write `{form}`"),
    );
}

// === impl Entry ===

impl Entry {
    fn new(tokens: Vec<TokenTree>) -> Self {
        let key = match tokens.first() {
            Some(TokenTree::Ident(ident)) => ident.to_string().trim_start_matches("r#").to_owned(),
            _ => String::new(),
        };
        let value = Value::new(tokens.get(1..).unwrap_or_default());
        Self {
            key,
            tokens: tokens.into_iter().collect(),
            value,
        }
    }

    /// Parses an entry whose key is the name of a type or a kind. `form` is the example in the
    /// error.
    pub(super) fn typed(mut self, ctxt: &Ctxt, form: &str) -> Option<(NamedType, Self)> {
        let tokens: Vec<TokenTree> = self.tokens.clone().into_iter().collect();
        let is_end = |at: usize| match tokens.get(at) {
            Some(TokenTree::Group(list)) => list.delimiter() == Delimiter::Parenthesis,
            Some(token) => {
                let (before, after) = tokens.split_at(at);
                is_punct(token, '=') && !is_between_angles(before, after)
            }
            None => true,
        };
        let end = (0..tokens.len()).find(|at| is_end(*at));
        let (before, value) = tokens.split_at(end.unwrap_or(tokens.len()));
        let head: TokenStream = before.iter().cloned().collect();
        let is_bare = syn::parse2::<LitStr>(head.clone()).is_err();
        if let Some(found) = NamedType::read(&head)
            && let Some(target) = named(found, is_bare)
        {
            self.key = head.to_string();
            self.value = Value::new(value);
            return Some((target, self));
        }
        let wrong = if head.is_empty() { &self.tokens } else { &head };
        expected_type(ctxt, wrong, form);
        None
    }

    /// Parses the value as a type or a kind, bare or in a string.
    pub(super) fn target(&self, ctxt: &Ctxt, form: &str) -> Option<NamedType> {
        let target = self.equals().and_then(NamedType::read);
        if target.is_none() {
            self.report(ctxt, "a type", form);
        }
        target
    }

    /// Reports whether there is nothing between two commas.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns the key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the start of the entry.
    #[must_use]
    pub fn span(&self) -> Span {
        self.tokens
            .clone()
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |first| first.span())
    }

    /// Reports whether the entry is a key without a value.
    #[must_use]
    pub fn is_word(&self) -> bool {
        matches!(self.value, Value::None)
    }

    /// Returns the content of `key(...)`.
    #[must_use]
    pub fn list(&self) -> Option<TokenStream> {
        match &self.value {
            Value::List(tokens) => Some(tokens.clone()),
            Value::None | Value::Equals(_) | Value::Other => None,
        }
    }

    /// Returns the tokens after `key =`.
    #[must_use]
    pub fn equals(&self) -> Option<&TokenStream> {
        match &self.value {
            Value::Equals(tokens) => Some(tokens),
            Value::None | Value::List(_) | Value::Other => None,
        }
    }

    /// Returns the value if it is a string. Reports nothing.
    #[must_use]
    pub fn try_string(&self) -> Option<LitStr> {
        let value = self.equals()?;
        syn::parse2(value.clone()).ok()
    }

    /// Parses the value as a string. `form` is the example in the error.
    pub fn string(&self, ctxt: &Ctxt, form: &str) -> Option<LitStr> {
        let string = self.try_string();
        if string.is_none() {
            self.report(ctxt, "a string", form);
        }
        string
    }

    /// Reports whether the entry is a key without a value. Adds an error otherwise.
    pub fn word(&self, ctxt: &Ctxt, form: &str) -> bool {
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

    /// Parses the value as a path, bare or in a string.
    pub fn path(&self, ctxt: &Ctxt, form: &str) -> Option<Path> {
        self.syntax(ctxt, Path::parse_mod_style, "a path", form)
    }

    /// Parses the value as a type, bare or in a string.
    pub fn ty(&self, ctxt: &Ctxt, form: &str) -> Option<Type> {
        self.syntax(ctxt, <Type as syn::parse::Parse>::parse, "a type", form)
    }

    fn syntax<T>(
        &self,
        ctxt: &Ctxt,
        parser: fn(syn::parse::ParseStream<'_>) -> syn::Result<T>,
        what: &str,
        form: &str,
    ) -> Option<T> {
        let value = match (self.try_string(), self.equals()) {
            (Some(text), _) => text.parse_with(parser).ok(),
            (None, Some(tokens)) => parser.parse2(tokens.clone()).ok(),
            (None, None) => None,
        };
        if value.is_none() {
            self.report(ctxt, what, form);
        }
        value
    }

    /// Reports the value, or the entry if there is no value.
    pub fn report(&self, ctxt: &Ctxt, what: &str, form: &str) {
        let message = format!("expected {what}: write `{form}`");
        match &self.value {
            Value::Equals(value) if !value.is_empty() => ctxt.error(value, message),
            Value::Equals(_) | Value::None | Value::List(_) | Value::Other => {
                ctxt.error(&self.tokens, message);
            }
        }
    }
}

// === impl Value ===

impl Value {
    /// Creates the value from the tokens after the key.
    fn new(tokens: &[TokenTree]) -> Self {
        match tokens {
            [] => Self::None,
            [TokenTree::Punct(punct), rest @ ..] if punct.as_char() == '=' => {
                Self::Equals(rest.iter().cloned().collect())
            }
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
                Self::List(group.stream())
            }
            _ => Self::Other,
        }
    }
}

// === impl AllowedKeys ===

impl AllowedKeys {
    /// Reports whether the key of `entry` is known.
    #[must_use]
    pub fn knows(&self, entry: &Entry) -> bool {
        self.known.contains(&entry.key())
    }

    /// Returns the key of `entry`, or reports an unknown key.
    pub fn find(&self, ctxt: &Ctxt, entry: &Entry) -> Option<&'static str> {
        let word = entry.key();
        let found = self.known.iter().find(|key| **key == word);
        if found.is_none() {
            self.report(ctxt, entry);
        }
        found.copied()
    }

    fn report(&self, ctxt: &Ctxt, entry: &Entry) {
        let list = format!("`{}`", self.known.join("`, `"));
        let word = entry.key();
        let Some(first) = entry.tokens.clone().into_iter().next() else {
            return ctxt.error_at(
                Span::call_site(),
                format!(
                    "missing entry between two commas of `{}(...)`: remove one",
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
        let message = match self.suggestion(word) {
            Some(meant) => format!("unknown key `{word}`: did you mean `{meant}`?"),
            None => format!("unknown key `{word}`: `{}(...)` takes {list}", self.of),
        };
        ctxt.error(first.to_token_stream(), message);
    }

    /// Returns the key that was probably meant by `word`.
    fn suggestion(&self, word: &str) -> Option<&'static str> {
        for (tried, meant) in self.meant {
            if *tried == word {
                return Some(meant);
            }
        }
        nearest(word, self.known.iter().copied())
    }
}

// === impl KeySlot ===

impl<T> Default for KeySlot<T> {
    fn default() -> Self {
        Self {
            first: None,
            value: None,
        }
    }
}

impl<T> KeySlot<T> {
    /// Sets the value of `entry`. Reports a repeated key.
    pub fn set(&mut self, ctxt: &Ctxt, entry: &Entry, value: impl FnOnce() -> Option<T>) {
        if let Some(first) = self.first {
            let message = format!("`{}` is given twice: remove one", entry.key());
            return ctxt.conflict(entry.span(), message, first, "it is given here first");
        }
        self.first = Some(entry.span());
        self.value = value();
    }

    /// Reports whether the key occurred, well formed or not.
    #[must_use]
    pub fn given(&self) -> bool {
        self.first.is_some()
    }
}

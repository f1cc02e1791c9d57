//! Recovers an unfinished struct that does not parse.
//!
//! rustc stops at a syntax error before it calls a derive. An editor continues, and completes names
//! from the derive's output. Therefore the derive emits an outline even for unfinished code.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DataStruct, DeriveInput, Field, Fields, FieldsNamed, Visibility};

/// Returns the struct with the attributes and fields that parse, or `None` if it has no name yet.
pub(crate) fn recover(item: TokenStream) -> Option<DeriveInput> {
    let mut attrs = Vec::new();
    let mut vis = TokenStream::new();
    let mut tokens = item.into_iter().peekable();
    let ident = loop {
        match tokens.next()? {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                if let Some(TokenTree::Group(inside)) = tokens.peek() {
                    attrs.extend(attribute(&inside.stream()));
                }
            }
            TokenTree::Ident(word) if is_item(&word) => {
                let TokenTree::Ident(name) = tokens.next()? else {
                    return None;
                };
                break name;
            }
            TokenTree::Ident(word) if word == "pub" => {
                vis.extend([TokenTree::Ident(word)]);
                let scope = tokens.next_if(|next| is_group(next, Delimiter::Parenthesis));
                vis.extend(scope);
            }
            TokenTree::Ident(_)
            | TokenTree::Punct(_)
            | TokenTree::Group(_)
            | TokenTree::Literal(_) => {}
        }
    };
    let body = tokens.find(|token| is_group(token, Delimiter::Brace));
    let named = match body {
        Some(TokenTree::Group(body)) => fields(body.stream()),
        _ => Punctuated::new(),
    };
    Some(DeriveInput {
        attrs,
        vis: syn::parse2(vis).unwrap_or(Visibility::Inherited),
        ident,
        generics: syn::Generics::default(),
        data: Data::Struct(DataStruct {
            struct_token: <syn::Token![struct]>::default(),
            fields: Fields::Named(FieldsNamed {
                brace_token: syn::token::Brace::default(),
                named,
            }),
            semi_token: None,
        }),
    })
}

fn is_item(word: &Ident) -> bool {
    ["struct", "enum", "union"].iter().any(|item| word == item)
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

fn attribute(inside: &TokenStream) -> Vec<Attribute> {
    let attribute = quote::quote!(#[#inside]);
    Attribute::parse_outer.parse2(attribute).unwrap_or_default()
}

/// Returns the fields that parse. Each field ends at a comma, even a comma inside its type.
fn fields(body: TokenStream) -> Punctuated<Field, syn::Token![,]> {
    let mut all = Punctuated::new();
    let mut current = TokenStream::new();
    for token in body {
        let is_comma = matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ',');
        if is_comma {
            all.extend(field(std::mem::take(&mut current)));
        } else {
            current.extend([token]);
        }
    }
    all.extend(field(current));
    all
}

fn field(tokens: TokenStream) -> Option<Field> {
    Field::parse_named.parse2(tokens).ok()
}

//! `#[derive(IndexValue)]`: enums of unit variants as index values.

use std::collections::BTreeMap;

use informer_codegen::ctxt::Ctxt;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Path, parse_quote};

use crate::attr::runtime_only;
use crate::serde::{self, RenameRule, VariantAttrs};

/// Variant with its names.
struct Variant<'a> {
    ident: &'a Ident,
    /// Name in JSON.
    json: String,
    /// Other names that serde reads.
    aliases: Vec<String>,
}

/// Emits the implementations, or the errors with fallback implementations that compile.
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::default();
    let declared = runtime_only(&ctxt, &input.attrs);
    let is_known = !declared.given() || declared.value.is_some();
    let runtime = declared.value.unwrap_or_else(|| parse_quote!(::informer));
    let variants = read_variants(&ctxt, input);
    let Err(errors) = ctxt.finish() else {
        return expand(input, &runtime, &variants);
    };
    let reports = errors.to_compile_error();
    // An index of the type stays valid despite the error.
    let items = is_known.then(|| expand(input, &runtime, &[]));
    quote!(#reports #items)
}

/// Returns the variants of the enum `input`. Reports all that have no name in JSON.
fn read_variants<'a>(ctxt: &Ctxt, input: &'a DeriveInput) -> Vec<Variant<'a>> {
    let name = &input.ident;
    let by_hand = format!("implement `informer::index::IndexValue` and `Display` for `{name}`");
    if let Some(other) = serde::reads_other(&input.attrs) {
        let message = format!(
            "with `#[serde({other})]` the names of `{name}`'s variants differ from those in JSON: {by_hand}"
        );
        ctxt.error(name, message);
        return Vec::new();
    }
    let Data::Enum(data) = &input.data else {
        let message = format!(
            "`IndexValue` supports enums of unit variants only, and `{name}` is not one: {by_hand}"
        );
        ctxt.error(name, message);
        return Vec::new();
    };
    if data.variants.is_empty() {
        ctxt.error(
            name,
            format!(
                "`{name}` has no variants, so an index of its values is always empty: add a \
                 variant"
            ),
        );
    }
    let rule = RenameRule::read(&input.attrs);
    let mut names = BTreeMap::new();
    let mut all = Vec::with_capacity(data.variants.len());
    for declared in &data.variants {
        let ident = &declared.ident;
        if !matches!(declared.fields, Fields::Unit) {
            let message = format!(
                "`{ident}` has fields, which its name does not cover: remove them, {by_hand}, or \
                 index a computed value with `index(name = \"by_x\", with = function)`"
            );
            ctxt.error(declared, message);
            continue;
        }
        let attrs = VariantAttrs::read(&declared.attrs);
        let json = match attrs.rename {
            Some(name) => name,
            None => rule.apply_to_variant(&ident.unraw().to_string()),
        };
        let variant = Variant {
            ident,
            json,
            aliases: attrs.aliases,
        };
        report_taken(ctxt, &variant, &mut names);
        all.push(variant);
    }
    all
}

/// Reports names that another variant has.
fn report_taken(ctxt: &Ctxt, variant: &Variant<'_>, names: &mut BTreeMap<String, Span>) {
    let span = variant.ident.span();
    let mut own = variant.aliases.clone();
    // serde allows an alias that repeats the name.
    own.retain(|alias| *alias != variant.json);
    own.push(variant.json.clone());
    own.sort();
    own.dedup();
    for name in own {
        if let Some(first) = names.insert(name.clone(), span) {
            let message = format!(
                "two variants have the name `{name}` in JSON: rename this one, `#[serde(rename = \
                 \"..\")]`"
            );
            ctxt.conflict(span, message, first, "the first one is here");
        }
    }
}

fn expand(input: &DeriveInput, runtime: &Path, variants: &[Variant<'_>]) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let texts = variants
        .iter()
        .map(|Variant { ident, json, .. }| quote!(Self::#ident => #json,));
    let parsed = variants.iter().map(|variant| {
        let Variant {
            ident,
            json,
            aliases,
        } = variant;
        let others = aliases.iter().filter(|alias| *alias != json);
        quote!(#json #(| #others)* => ::core::option::Option::Some(Self::#ident),)
    });
    // Next to errors no variants exist, and the type may not be an enum.
    let text = if variants.is_empty() {
        quote!("")
    } else {
        quote!(match self { #(#texts)* })
    };
    quote! {
        #[automatically_derived]
        impl #impl_generics ::core::fmt::Display for #name #ty_generics #where_clause {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(#text)
            }
        }

        #[automatically_derived]
        impl #impl_generics #runtime::__private::AnyIndexValue for #name #ty_generics #where_clause {
            fn parse(text: &::core::primitive::str) -> ::core::option::Option<Self> {
                match text {
                    #(#parsed)*
                    _ => ::core::option::Option::None,
                }
            }
        }
    }
}

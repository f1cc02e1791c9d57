//! `#[derive(CustomResource)]` of kube-derive, reduced to the parts that informer-derive depends
//! on.
//!
//! Supports `kind`, `root`, `namespaced`, `status` and `derive`, and ignores every other key, so
//! that tests need only the relevant keys.

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, LitStr, Path, parse_macro_input};

/// Emits the root struct of the spec, and its `kube::Resource`.
#[proc_macro_derive(CustomResource, attributes(kube, serde))]
pub fn custom_resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Accepts serde's attributes, and emits nothing.
#[proc_macro_derive(Deserialize, attributes(serde))]
pub fn deserialize(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Emits `kube::Resource` for a type that holds a part of another resource.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let mut inherit: Option<Path> = None;
    for attr in &input.attrs {
        if attr.path().is_ident("resource") {
            let result = attr.parse_nested_meta(|meta| {
                inherit = Some(meta.value()?.parse()?);
                Ok(())
            });
            if let Err(error) = result {
                return error.to_compile_error().into();
            }
        }
    }
    let name = &input.ident;
    let scope = inherit.map(|of| quote!(<#of as ::stub::kube::Resource>::Scope));
    let tokens = quote! {
        ::stub::resource!([] #name, #scope, metadata);
    };
    tokens.into()
}

fn expand(input: &DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    let (mut root, mut kind, mut status) = (None, None, None);
    let (mut derives, mut attributes) = (Vec::new(), Vec::new());
    let mut namespaced = false;
    for attr in input
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("kube"))
    {
        attr.parse_nested_meta(|meta| {
            let string = || meta.value()?.parse::<LitStr>();
            if meta.path.is_ident("kind") {
                kind = Some(string()?.value());
            } else if meta.path.is_ident("root") {
                root = Some(string()?.value());
            } else if meta.path.is_ident("status") {
                status = Some(string()?.parse::<Path>()?);
            } else if meta.path.is_ident("derive") {
                derives.push(string()?.parse::<Path>()?);
            } else if meta.path.is_ident("attr") {
                let tokens: proc_macro2::TokenStream = string()?.parse()?;
                attributes.push(quote!(#[#tokens]));
            } else if meta.path.is_ident("namespaced") {
                namespaced = true;
            } else if meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|inner| string_or_nothing(&inner))?;
            } else {
                string_or_nothing(&meta)?;
            }
            Ok(())
        })?;
    }
    let Some(name) = root.or(kind) else {
        return Err(syn::Error::new_spanned(
            &input.ident,
            "Missing field `kind`",
        ));
    };
    let (root, spec, vis) = (format_ident!("{name}"), &input.ident, &input.vis);
    let status = status.map(|status| {
        quote! {
            /// Status of the object.
            #vis status: ::core::option::Option<#status>,
        }
    });
    let scope = if namespaced {
        quote!(NamespaceScope)
    } else {
        quote!(ClusterScope)
    };
    Ok(quote! {
        /// A resource.
        #[derive(#(#derives),*)]
        #(#attributes)*
        #vis struct #root {
            /// Metadata of the object.
            #vis metadata: ::stub::ObjectMeta,
            /// Spec of the object.
            #vis spec: #spec,
            #status
        }

        ::stub::resource!([] #root, ::stub::#scope, metadata, #name);
    })
}

fn string_or_nothing(meta: &syn::meta::ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<syn::Lit>()?;
    }
    Ok(())
}

/// Returns the command line of the rustc that compiles the caller, as a slice of texts.
///
/// It names the libraries that cargo has built for the caller, for programs that compile against
/// them.
#[proc_macro]
pub fn rustc_arguments(_: TokenStream) -> TokenStream {
    let arguments = std::env::args();
    quote!(&[#(#arguments),*]).into()
}

//! Emits the items of a model as tokens.

use informer_codegen::doc::Doc;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

use super::definition::TypePaths;
use super::model::{Enum, Field, Presence, Struct, Type, Variant};

/// Maximum width of a line of documentation above an item.
pub(super) const WIDTH: usize = 96;

/// Maximum width of a line of documentation above a field.
const FIELD_WIDTH: usize = 92;

/// Name of the function that tells `null` from a missing member.
const PRESENT: &str = "present";

/// Emits the functions that the attributes of fields name.
pub(super) fn functions<'m>(structs: impl Iterator<Item = &'m Struct>) -> Option<TokenStream> {
    let mut fields = structs.flat_map(|found| &found.fields);
    if !fields.any(|field| field.presence == Presence::Settable) {
        return None;
    }
    let name = Ident::new(PRESENT, Span::call_site());
    Some(quote! {
        /// Reads a member that is there, and may be `null`.
        fn #name<'de, T: Deserialize<'de>, D: ::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<T>, D::Error> {
            T::deserialize(deserializer).map(Some)
        }
    })
}

/// Returns the derive of `Default`, if the struct has one, behind a comma.
pub(super) fn default_derive(structure: &Struct) -> Option<TokenStream> {
    if !structure.has_default {
        return None;
    }
    Some(quote!(, Default))
}

/// Emits a struct; with `kube`, the attributes of kube's derive, it also derives the root.
pub(super) fn structure(
    structure: &Struct,
    names: &TypePaths<'_>,
    kube: Option<&TokenStream>,
) -> TokenStream {
    let name = &structure.name;
    let visibility = names.visibility;
    let docs = item_docs(&structure.docs, name);
    let default = default_derive(structure);
    let fields = structure
        .fields
        .iter()
        .map(|field| self::field(field, names));
    let rest_field = rest(structure, names, None);
    let root = kube.map(|_| quote!(CustomResource,));
    quote! {
        #docs
        #[derive(#root Serialize, Deserialize, Clone, Debug, PartialEq #default)]
        #kube
        #visibility struct #name {
            #(#fields,)*
            #rest_field
        }
    }
}

/// Emits a field with its attributes.
pub(super) fn field(field: &Field, names: &TypePaths<'_>) -> TokenStream {
    let Field { ident, json, .. } = field;
    let visibility = names.visibility;
    let docs = Doc::wrapped(&field.docs, FIELD_WIDTH).or(named(json));
    let value = &field.value;
    let member_type = match field.presence {
        Presence::Required | Presence::Defaulted => quote!(#value),
        // The type of any JSON includes `null`.
        Presence::Settable if *value != Type::Any => quote!(Option<Option<#value>>),
        Presence::Nullable | Presence::Optional | Presence::Settable => quote!(Option<#value>),
    };
    let default = match field.presence {
        Presence::Required => TokenStream::new(),
        Presence::Defaulted | Presence::Nullable => quote!(#[serde(default)]),
        Presence::Optional => {
            quote!(#[serde(default, skip_serializing_if = "Option::is_none")])
        }
        Presence::Settable => quote! {
            #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = #PRESENT)]
        },
    };
    let rename = renamed(ident, json);
    quote!(#docs #default #rename #visibility #ident: #member_type)
}

/// Returns the attribute of an item whose name in JSON differs from the name in Rust.
fn renamed(ident: &Ident, json: &str) -> Option<TokenStream> {
    if ident.unraw() == json {
        return None;
    }
    Some(quote!(#[serde(rename = #json)]))
}

/// Emits the field for members that the schema does not name.
pub(super) fn rest(
    structure: &Struct,
    names: &TypePaths<'_>,
    function: Option<&str>,
) -> Option<TokenStream> {
    let rest = structure.rest.as_ref()?;
    let visibility = names.visibility;
    let reader = function.map(|path| quote!(, deserialize_with = #path));
    Some(quote! {
        /// Members that the schema does not name.
        #[serde(flatten #reader)]
        #visibility #rest: BTreeMap<String, ::serde_json::Value>,
    })
}

impl ToTokens for Type {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Bool => quote!(bool),
            Self::Number(name) => Ident::new(name, Span::call_site()).into_token_stream(),
            Self::Text => quote!(String),
            Self::IntOrString => quote!(IntOrString),
            Self::Any => quote!(::serde_json::Value),
            Self::Condition => quote!(Condition),
            Self::ObjectMeta => quote!(ObjectMeta),
            Self::ObjectReference => quote!(ObjectReference),
            Self::Struct(name) | Self::Enum(name) => name.to_token_stream(),
            Self::List(element) => quote!(Vec<#element>),
            Self::Map(value) => quote!(BTreeMap<String, #value>),
            Self::Nullable(value) => quote!(Option<#value>),
        });
    }
}

/// Emits an enum with its strings, and its use as an index value.
pub(super) fn enumeration(texts: &Enum, names: &TypePaths<'_>) -> TokenStream {
    let TypePaths {
        visibility,
        runtime,
        ..
    } = names;
    let name = &texts.name;
    let docs = item_docs(&texts.docs, name);
    let mut variants = Vec::new();
    let mut idents = Vec::new();
    let mut jsons = Vec::new();
    for Variant { ident, json } in &texts.variants {
        let docs = named(json);
        let rename = renamed(ident, json);
        variants.push(quote!(#docs #rename #ident));
        idents.push(ident);
        jsons.push(json);
    }
    quote! {
        #docs
        #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #visibility enum #name {
            #(#variants,)*
        }

        impl #name {
            /// All values, in the order of the schema.
            #visibility const ALL: &[Self] = &[#(Self::#idents),*];

            /// Returns the text of the value in JSON.
            #[must_use]
            #visibility const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#idents => #jsons,)*
                }
            }
        }

        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl #runtime::__private::AnyIndexValue for #name {
            fn parse(text: &str) -> Option<Self> {
                let mut all = Self::ALL.iter().copied();
                all.find(|value| value.as_str() == text)
            }
        }
    }
}

fn item_docs(docs: &str, name: &Ident) -> Doc {
    Doc::wrapped(docs, WIDTH).or(named(&name.to_string()))
}

/// Returns a name as documentation.
fn named(name: &str) -> Doc {
    if name.trim().is_empty() {
        return Doc::new("The empty string.");
    }
    Doc::new(&format!("`{}`.", name.replace('`', "'")))
}

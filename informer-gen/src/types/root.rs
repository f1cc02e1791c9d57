//! Emits the type of the objects: by kube's derive on the type of `spec`, or as a struct with the
//! traits of the derive.

use informer_codegen::doc::Doc;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::definition::{KindDefinition, TypePaths};
use super::model::{Field, Item, Model, Presence, Struct, Type};
use super::text;
use crate::gvk::{Gvk, Scope};
use crate::paths;

/// Returns the root and the items, in the order of the text.
pub(super) fn items(
    model: &Model,
    definition: &KindDefinition<'_>,
    names: &TypePaths<'_>,
) -> TokenStream {
    let root = &model.root;
    let mut items = TokenStream::new();
    let mut spec = None;
    if model.is_derived {
        spec = root.part("spec");
    } else {
        items.extend(plain(root, definition, names));
    }
    for item in &model.items {
        match item {
            Item::Struct(structure) => {
                let attributes = match spec {
                    Some((_, name)) if structure.name == *name => {
                        Some(kube_attributes(root, structure, definition, names))
                    }
                    _ => None,
                };
                items.extend(text::structure(structure, names, attributes.as_ref()));
            }
            Item::Enum(texts) => items.extend(text::enumeration(texts, names)),
        }
    }
    items.extend(text::functions(model.structures()));
    items
}

/// Returns the attributes of kube's derive on the type of `spec`.
fn kube_attributes(
    root: &Struct,
    spec: &Struct,
    definition: &KindDefinition<'_>,
    names: &TypePaths<'_>,
) -> TokenStream {
    let KindDefinition {
        gvk,
        plural,
        scope,
        short_names,
    } = definition;
    let group = &gvk.group;
    let version = &gvk.version;
    let kind = &gvk.kind;
    let mut attributes = quote!(#[kube(group = #group, version = #version, kind = #kind)]);
    let root_name = root.name.to_string();
    if root_name != *kind {
        attributes.extend(quote!(#[kube(root = #root_name)]));
    }
    attributes.extend(quote!(#[kube(plural = #plural)]));
    if *scope == Scope::Namespaced {
        attributes.extend(quote!(#[kube(namespaced)]));
    }
    if let Some((_, status)) = root.part("status") {
        let status_name = status.to_string();
        attributes.extend(quote!(#[kube(status = #status_name)]));
    }
    let docs = documentation(root, gvk)
        .lines()
        .collect::<Vec<_>>()
        .join("\n");
    attributes.extend(quote! {
        #(#[kube(shortname = #short_names)])*
        #[kube(doc = #docs)]
        #[kube(schema = "disabled")]
        #[kube(derive = "PartialEq")]
    });
    if spec.has_default {
        attributes.extend(quote!(#[kube(derive = "Default")]));
    }
    let k8s_openapi = paths::display(names.k8s_openapi);
    if k8s_openapi != "::k8s_openapi" {
        attributes.extend(quote!(#[kube(crates(k8s_openapi = #k8s_openapi))]));
    }
    attributes
}

fn documentation(root: &Struct, gvk: &Gvk) -> Doc {
    let kind = &gvk.kind;
    let group_version = gvk.group_version();
    let name = Doc::new(&format!("`{kind}` of `{group_version}`."));
    Doc::wrapped(&root.docs, text::WIDTH).or(name)
}

/// Emits a root that kube cannot derive.
fn plain(
    structure: &Struct,
    definition: &KindDefinition<'_>,
    names: &TypePaths<'_>,
) -> TokenStream {
    let TypePaths { visibility, .. } = names;
    let name = &structure.name;
    let docs = documentation(structure, definition.gvk);
    let derives = text::default_derive(structure);
    let fields = structure
        .fields
        .iter()
        .map(|field| text::field(field, names));
    let rest_field = text::rest(structure, names, Some("members"));
    let mut items = quote! {
        #docs
        #[derive(Deserialize, Clone, Debug, PartialEq #derives)]
        #visibility struct #name {
            /// Metadata of the object.
            #visibility metadata: ObjectMeta,
            #(#fields,)*
            #rest_field
        }
    };
    items.extend(impl_resource(name, definition));
    for field in &structure.fields {
        items.extend(impl_half(name, field));
    }
    items.extend(impl_serialize(structure, definition.gvk));
    let required = structure.field("spec").and_then(required_spec);
    if let Some(spec) = required
        && structure.has_default
    {
        items.extend(impl_new(name, spec, names));
    }
    if structure.rest.is_some() {
        items.extend(read_members());
    }
    items
}

/// Emits the function that creates an object, as kube's derive does.
fn impl_new(root: &Ident, spec: &Ident, names: &TypePaths<'_>) -> TokenStream {
    let TypePaths { visibility, .. } = names;
    quote! {
        impl #root {
            /// Creates an object with a name and a specification.
            #[must_use]
            #visibility fn new(name: &str, spec: #spec) -> Self {
                Self {
                    metadata: ObjectMeta {
                        name: Some(name.to_owned()),
                        ..ObjectMeta::default()
                    },
                    spec,
                    ..Self::default()
                }
            }
        }
    }
}

/// Emits the function that reads the members that the schema does not name. Every object writes
/// `apiVersion` and `kind` itself.
fn read_members() -> TokenStream {
    quote! {
        fn members<'de, D: ::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> Result<BTreeMap<String, ::serde_json::Value>, D::Error> {
            let mut members = BTreeMap::<String, ::serde_json::Value>::deserialize(deserializer)?;
            members.retain(|name, _| name != "apiVersion" && name != "kind");
            Ok(members)
        }
    }
}

/// Returns the type of a required `spec`.
fn required_spec(field: &Field) -> Option<&Ident> {
    match (&field.value, field.presence) {
        (Type::Struct(name), Presence::Required | Presence::Defaulted) if field.json == "spec" => {
            Some(name)
        }
        _ => None,
    }
}

/// Emits the implementation of `kube::Resource`.
fn impl_resource(name: &Ident, definition: &KindDefinition<'_>) -> TokenStream {
    let KindDefinition {
        gvk, plural, scope, ..
    } = definition;
    let group = &gvk.group;
    let version = &gvk.version;
    let kind = &gvk.kind;
    let scope_type = match scope {
        Scope::Cluster => quote!(ClusterResourceScope),
        Scope::Namespaced => quote!(NamespaceResourceScope),
    };
    quote! {
        impl ::kube::Resource for #name {
            type DynamicType = ();
            type Scope = ::kube::core::#scope_type;

            fn kind(_: &()) -> ::std::borrow::Cow<'_, str> {
                #kind.into()
            }
            fn group(_: &()) -> ::std::borrow::Cow<'_, str> {
                #group.into()
            }
            fn version(_: &()) -> ::std::borrow::Cow<'_, str> {
                #version.into()
            }
            fn plural(_: &()) -> ::std::borrow::Cow<'_, str> {
                #plural.into()
            }
            fn meta(&self) -> &ObjectMeta {
                &self.metadata
            }
            fn meta_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }
    }
}

/// Emits kube's trait of objects with a `spec` or a `status`.
fn impl_half(root: &Ident, field: &Field) -> Option<TokenStream> {
    if let Some(spec) = required_spec(field) {
        return Some(quote! {
            impl ::kube::core::object::HasSpec for #root {
                type Spec = #spec;

                fn spec(&self) -> &#spec {
                    &self.spec
                }
                fn spec_mut(&mut self) -> &mut #spec {
                    &mut self.spec
                }
            }
        });
    }
    match (&field.value, field.presence) {
        (Type::Struct(status), Presence::Optional) if field.json == "status" => Some(quote! {
            impl ::kube::core::object::HasStatus for #root {
                type Status = #status;

                fn status(&self) -> Option<&#status> {
                    self.status.as_ref()
                }
                fn status_mut(&mut self) -> &mut Option<#status> {
                    &mut self.status
                }
            }
        }),
        _ => None,
    }
}

/// Emits the `Serialize` implementation, which adds `apiVersion` and `kind`. They are not fields.
fn impl_serialize(structure: &Struct, gvk: &Gvk) -> TokenStream {
    let name = &structure.name;
    let kind = &gvk.kind;
    let api_version = gvk.group_version();
    let fields = structure.fields.iter().map(|field| {
        let ident = &field.ident;
        let json = &field.json;
        match field.presence {
            Presence::Optional | Presence::Settable => quote! {
                if let Some(value) = &self.#ident {
                    object.serialize_entry(#json, value)?;
                }
            },
            Presence::Required | Presence::Nullable | Presence::Defaulted => {
                quote!(object.serialize_entry(#json, &self.#ident)?;)
            }
        }
    });
    let rest = structure.rest.iter();
    quote! {
        impl Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut object = serializer.serialize_map(None)?;
                object.serialize_entry("apiVersion", #api_version)?;
                object.serialize_entry("kind", #kind)?;
                object.serialize_entry("metadata", &self.metadata)?;
                #(#fields)*
                #(for (name, value) in &self.#rest {
                    object.serialize_entry(name, value)?;
                })*
                object.end()
            }
        }
    }
}

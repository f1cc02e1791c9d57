//! Emits the type of the objects: by kube's derive on the type of `spec`, or as a struct with the
//! traits of the derive.

use informer_codegen::doc::Doc;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::definition::{Definition, Names};
use super::model::{Field, Item, Model, Presence, Struct, Type};
use super::text;
use crate::gvk::Scope;

/// Returns the root and the items, in the order of the text.
pub(super) fn items(
    model: &Model,
    definition: &Definition<'_>,
    names: &Names<'_>,
) -> Vec<TokenStream> {
    let root = &model.root;
    let spec = root.part("spec").filter(|_| model.is_derived);
    let mut items = Vec::new();
    if !model.is_derived {
        plain(&mut items, root, definition, names);
    }
    for item in &model.items {
        match (item, spec) {
            (Item::Struct(structure), Some((_, spec))) if structure.name == *spec => {
                let derives = derives(root, structure, definition, names);
                items.push(text::structure(structure, names, &derives));
            }
            _ => items.extend(text::item(item, names)),
        }
    }
    items
}

/// Returns the derives of the type of `spec`, with the attributes of kube's derive.
fn derives(
    root: &Struct,
    spec: &Struct,
    definition: &Definition<'_>,
    names: &Names<'_>,
) -> TokenStream {
    let Definition {
        group,
        version,
        kind,
        plural,
        ..
    } = definition;
    let derives = text::derives(spec);
    let name = root.name.to_string();
    let name = (name != *kind).then(|| quote!(#[kube(root = #name)]));
    let namespaced = (definition.scope == Scope::Namespaced).then(|| quote!(#[kube(namespaced)]));
    let status = root.part("status").map(|(_, status)| {
        let status = status.to_string();
        quote!(#[kube(status = #status)])
    });
    let short_names = definition.short_names;
    let docs = documentation(root, definition);
    let docs = docs.lines().collect::<Vec<_>>().join("\n");
    let default = spec
        .has_default
        .then(|| quote!(#[kube(derive = "Default")]));
    let k8s_openapi = names
        .k8s_openapi
        .to_token_stream()
        .to_string()
        .replace(' ', "");
    let k8s_openapi = (k8s_openapi != "::k8s_openapi")
        .then(|| quote!(#[kube(crates(k8s_openapi = #k8s_openapi))]));
    quote! {
        #[derive(CustomResource, #derives)]
        #[kube(group = #group, version = #version, kind = #kind)]
        #name
        #[kube(plural = #plural)]
        #namespaced
        #status
        #(#[kube(shortname = #short_names)])*
        #[kube(doc = #docs)]
        #[kube(schema = "disabled")]
        #[kube(derive = "PartialEq")]
        #default
        #k8s_openapi
    }
}

fn documentation(root: &Struct, definition: &Definition<'_>) -> Doc {
    let Definition {
        group,
        version,
        kind,
        ..
    } = definition;
    Doc::wrapped(&root.docs, text::WIDTH).or(Doc::new(&format!("`{kind}` of `{group}/{version}`.")))
}

/// Emits a root that kube cannot derive.
fn plain(
    items: &mut Vec<TokenStream>,
    structure: &Struct,
    definition: &Definition<'_>,
    names: &Names<'_>,
) {
    let Names { visibility, .. } = names;
    let name = &structure.name;
    let docs = documentation(structure, definition);
    let default = text::default(structure);
    let fields = structure
        .fields
        .iter()
        .map(|field| text::field(field, names));
    let rest = text::rest(structure, names, Some("members"));
    items.push(quote! {
        #docs
        #[derive(Deserialize, Clone, Debug, PartialEq #default)]
        #visibility struct #name {
            /// Metadata of the object.
            #visibility metadata: ObjectMeta,
            #(#fields,)*
            #rest
        }
    });
    items.push(resource(name, definition));
    let halves = structure
        .fields
        .iter()
        .filter_map(|field| half(name, field));
    items.extend(halves);
    items.push(serialize(structure, definition));
    let spec = structure.fields.iter().find_map(of_spec);
    if let Some(spec) = spec.filter(|_| structure.has_default) {
        items.push(quote! {
            impl #name {
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
        });
    }
    if structure.rest.is_some() {
        // Every object writes `apiVersion` and `kind` itself.
        items.push(quote! {
            fn members<'de, D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<BTreeMap<String, ::serde_json::Value>, D::Error> {
                let mut members = BTreeMap::<String, ::serde_json::Value>::deserialize(deserializer)?;
                members.remove("apiVersion");
                members.remove("kind");
                Ok(members)
            }
        });
    }
}

/// Returns the type of a required `spec`.
fn of_spec(field: &Field) -> Option<&Ident> {
    match (&field.value, field.presence) {
        (Type::Struct(name), Presence::Required | Presence::Defaulted) if field.json == "spec" => {
            Some(name)
        }
        _ => None,
    }
}

/// Emits the implementation of `kube::Resource`.
fn resource(name: &Ident, definition: &Definition<'_>) -> TokenStream {
    let Definition {
        group,
        version,
        kind,
        plural,
        scope,
        ..
    } = definition;
    let scope = match scope {
        Scope::Cluster => quote!(ClusterResourceScope),
        Scope::Namespaced => quote!(NamespaceResourceScope),
    };
    quote! {
        impl ::kube::Resource for #name {
            type DynamicType = ();
            type Scope = ::kube::core::#scope;

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
fn half(root: &Ident, field: &Field) -> Option<TokenStream> {
    if let Some(spec) = of_spec(field) {
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
fn serialize(structure: &Struct, definition: &Definition<'_>) -> TokenStream {
    let Definition {
        group,
        version,
        kind,
        ..
    } = definition;
    let name = &structure.name;
    let api_version = format!("{group}/{version}");
    let fields = structure.fields.iter().map(|field| {
        let (ident, json) = (&field.ident, &field.json);
        match field.presence {
            Presence::Optional => quote! {
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

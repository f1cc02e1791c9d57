//! Emits groups and versions: the steps of `factory.apps().v1().deployments()`.

use informer_codegen::doc::Doc;
use informer_codegen::names::kopium;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::context::Context;
use super::text::Text;
use super::{for_resource, identity, wrapper};
use crate::error::Result;
use crate::ir::VersionGate;
use crate::plan::{Group, INTERFACE, Kind, Version};
use crate::types::{KindDefinition, TypePaths};

/// Returns the documentation of a group.
pub(super) fn documentation(group: &Group<'_>) -> Doc {
    Doc::new(&match group.name {
        "" => "The core group.".to_owned(),
        name => format!("Group `{name}`."),
    })
}

/// Returns the group as the object of a sentence.
pub(super) fn subject(group: &Group<'_>) -> String {
    match group.name {
        "" => "the core group".to_owned(),
        name => format!("group `{name}`"),
    }
}

/// Returns the content of a group's module.
pub(super) fn content(group: &Group<'_>, context: &Context) -> Result<Text> {
    let surrounding = group.gate();
    let mut methods = Vec::new();
    let mut modules = Vec::new();
    for version in &group.versions {
        let gate = version.gate();
        let method = Text::method(&version_accessor(version, context))?;
        let module = version_module(group.name, version, &gate, context)?;
        methods.push(context.gated(&gate, &surrounding, &[method]));
        modules.push(context.gated(&gate, &surrounding, &[module]));
    }
    let sentence = format!("Versions of {}, as methods.", subject(group));
    let mut texts = vec![
        interface(&sentence, context)?,
        Text::block(&quote!(impl<'m, M> Interface<'m, M>), &methods)?,
    ];
    texts.extend(modules);
    Ok(Text::all(&texts))
}

fn version_module(
    group: &str,
    version: &Version<'_>,
    surrounding: &VersionGate,
    context: &Context,
) -> Result<Text> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let group_version = match group {
        "" => version.name.to_owned(),
        group => format!("{group}/{}", version.name),
    };
    let mut imports = Vec::new();
    let mut methods = Vec::new();
    let mut items = Vec::new();
    for kind in &version.kinds {
        let gate = &kind.resource.gate;
        if kind.import.is_some() {
            let rust_type = &kind.resource.rust_type;
            let import = Text::items(&quote!(use #rust_type;))?;
            imports.push(context.gated(gate, surrounding, &[import]));
        }
        let method = Text::method(&accessor(kind, context))?;
        methods.push(context.gated(gate, surrounding, &[method]));
        let own = kind_items(kind, context)?;
        items.push(context.gated(gate, surrounding, &own));
    }
    let sentence = format!("Informers of `{group_version}`, as methods.");
    let head = quote!(impl<M: #runtime::MakeInformers> Interface<'_, M>);
    let mut texts = vec![
        Text::lines(&imports),
        interface(&sentence, context)?,
        Text::block(&head, &methods)?,
        for_resource::of_version(group, version, surrounding, context)?,
    ];
    texts.extend(items);
    let docs = Doc::new(&format!("`{group_version}`."));
    let ident = &version.ident;
    Text::block(
        &quote! {
            #docs
            #[cfg_attr(false, rustfmt::skip)]
            #visibility mod #ident
        },
        &texts,
    )
}

/// Returns the items of a kind: its informer and lister, the module of its types, and the checks of
/// both.
fn kind_items(kind: &Kind<'_>, context: &Context) -> Result<Vec<Text>> {
    let mut texts = Vec::new();
    for item in wrapper::items(kind, context) {
        texts.push(Text::items(&item)?);
    }
    texts.extend(types(kind, context)?);
    for check in identity::checks(kind, context) {
        texts.push(Text::items(&check)?);
    }
    Ok(texts)
}

/// Returns the module with the types of a kind, if the types are generated. Their size, number and
/// names follow the schema.
fn types(kind: &Kind<'_>, context: &Context) -> Result<Option<Text>> {
    let resource = kind.resource;
    let Some(types) = &resource.manifest.types else {
        return Ok(None);
    };
    let Context {
        visibility,
        runtime,
        k8s_openapi,
        ..
    } = context;
    let items = types.items(
        &KindDefinition {
            gvk: &resource.gvk,
            plural: &resource.plural,
            scope: resource.scope,
            short_names: &resource.manifest.short_names,
        },
        &TypePaths {
            visibility,
            runtime,
            k8s_openapi,
        },
    );
    let name = &resource.gvk.kind;
    let docs = Doc::new(&format!("The types of `{name}`."));
    let module = kopium::module(name);
    let head = quote! {
        #docs
        #[allow(
            unused_imports,
            nonstandard_style,
            unreachable_pub,
            clippy::all,
            clippy::pedantic,
            clippy::allow_attributes,
            reason = "generated: names and sizes follow the schema"
        )]
        #visibility mod #module
    };
    Ok(Some(Text::block(&head, &[Text::items(&items)?])?))
}

fn interface(sentence: &str, context: &Context) -> Result<Text> {
    let visibility = &context.visibility;
    let docs = Doc::new(sentence);
    let name = format_ident!("{}", INTERFACE);
    Text::items(&quote! {
        #docs
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #visibility struct #name<'m, M>(pub(super) &'m M);
    })
}

fn version_accessor(version: &Version<'_>, context: &Context) -> TokenStream {
    let visibility = &context.visibility;
    let ident = &version.ident;
    let documentation = Doc::new(&format!(
        "Returns the informers of version `{}`.",
        version.name
    ));
    quote! {
        #documentation
        #visibility fn #ident(&self) -> #ident::Interface<'m, M> {
            #ident::Interface(self.0)
        }
    }
}

/// Returns the accessor of a kind. It is not `#[must_use]`, because a call may only tell the factory
/// which informer to start.
fn accessor(kind: &Kind<'_>, context: &Context) -> TokenStream {
    let Context {
        visibility,
        runtime,
        ..
    } = context;
    let accessor = &kind.accessor;
    let informer = kind.informer();
    let objects = wrapper::object_type(kind, context);
    let plural = &kind.resource.plural;
    let documentation = Doc::new(&format!("Returns the shared informer of `{plural}`."));
    let deprecated = deprecation(kind);
    quote! {
        #documentation
        #deprecated
        #visibility fn #accessor(&self) -> #informer<M::Storage>
        where
            M::Storage: #runtime::Storage<#objects>,
        {
            #informer::new(self.0)
        }
    }
}

/// Returns a `#[deprecated]` attribute for the accessor of a version that the API deprecates, with
/// the API's warning.
///
/// The types do not get the attribute: generated code names them, and would itself be warned.
fn deprecation(kind: &Kind<'_>) -> Option<TokenStream> {
    let mut note = kind.resource.deprecated.clone()?;
    if note.is_empty() {
        note = format!("`{}` is a deprecated version", kind.resource.gvk);
    }
    Some(quote!(#[deprecated(note = #note)]))
}

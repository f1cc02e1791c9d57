//! Emits groups and versions: the steps of `factory.apps().v1().deployments()`.

use informer_codegen::doc::Doc;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::context::Context;
use super::{for_resource, identity, text, wrapper};
use crate::error::Error;
use crate::ir::VersionGate;
use crate::plan::{Group, Kind, Version};
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
pub(super) fn content(group: &Group<'_>, context: &Context) -> Result<TokenStream, Error> {
    let subject = subject(group);
    let surrounding = group.gate();
    let interface = interface(&format!("Versions of {subject}, as methods."), context);
    let mut methods = TokenStream::new();
    let mut modules = TokenStream::new();
    for version in &group.versions {
        let gate = version.gate();
        let method = version_accessor(version, context);
        let module = version_module(group.name, version, &gate, context)?;
        methods.extend(text::gated(&gate, &surrounding, &[method]));
        modules.extend(text::gated(&gate, &surrounding, &[module]));
    }
    Ok(quote! {
        #interface

        impl<'m, M> Interface<'m, M> {
            #methods
        }

        #modules
    })
}

fn version_module(
    group: &str,
    version: &Version<'_>,
    surrounding: &VersionGate,
    context: &Context,
) -> Result<TokenStream, Error> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let group_version = match group {
        "" => version.name.to_owned(),
        group => format!("{group}/{}", version.name),
    };
    let documentation = Doc::new(&format!("`{group_version}`."));
    let interface = interface(
        &format!("Informers of `{group_version}`, as methods."),
        context,
    );
    let mut imports = TokenStream::new();
    let mut methods = TokenStream::new();
    let mut items = TokenStream::new();
    for kind in &version.kinds {
        let gate = &kind.resource.gate;
        if let Some(import) = wrapper::import(kind, version) {
            imports.extend(text::gated(gate, surrounding, &[import]));
        }
        let method = accessor(kind, version, context);
        methods.extend(text::gated(gate, surrounding, &[method]));
        let mut own = wrapper::items(kind, version, context);
        own.extend(types(kind, context)?);
        own.extend(identity::checks(kind, version, context));
        items.extend(text::gated(gate, surrounding, &own));
    }
    let rows = for_resource::of_version(group, version, surrounding, context);
    let body = context.formatted(&quote! {
        #imports
        #interface

        impl<M: #runtime::MakeInformers> Interface<'_, M> {
            #methods
        }

        #rows
        #items
    })?;
    let ident = &version.ident;
    Ok(quote! {
        #documentation
        #[cfg_attr(false, rustfmt::skip)]
        #visibility mod #ident {
            #body
        }
    })
}

/// Returns the module with the types of a kind, if the types are generated.
fn types(kind: &Kind<'_>, context: &Context) -> Result<Option<TokenStream>, Error> {
    let resource = kind.resource;
    let Some(types) = resource.manifest.types.as_ref() else {
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
    let items = context.formatted(&items)?;
    let kind = &resource.gvk.kind;
    let documentation = Doc::new(&format!("The types of `{kind}`."));
    let module = informer_codegen::names::kopium::module(kind);
    Ok(Some(quote! {
        #documentation
        #[generated_types]
        #visibility mod #module {
            #items
        }
    }))
}

fn interface(documentation: &str, context: &Context) -> TokenStream {
    let visibility = &context.visibility;
    let documentation = Doc::new(documentation);
    let interface = format_ident!("{}", wrapper::INTERFACE);
    quote! {
        #documentation
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #visibility struct #interface<'m, M>(pub(super) &'m M);
    }
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
fn accessor(kind: &Kind<'_>, version: &Version<'_>, context: &Context) -> TokenStream {
    let Context {
        visibility,
        runtime,
        ..
    } = context;
    let accessor = &kind.accessor;
    let informer = kind.informer();
    let objects = wrapper::object_type(kind, version, context);
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
    let warning = kind.resource.deprecated.as_ref()?;
    let note = match warning.as_str() {
        "" => format!("`{}` is a deprecated version", kind.resource.gvk),
        warning => warning.to_owned(),
    };
    Some(quote!(#[deprecated(note = #note)]))
}

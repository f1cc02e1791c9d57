//! Emits groups and versions: the steps of `factory.apps().v1().deployments()`.

use informer_codegen::doc::Doc;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::context::Context;
use super::text::{Code, Head};
use super::{for_resource, identity, text, wrapper};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::{Group, Kind, Version};
use crate::types::{Definition, Names};

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
pub(super) fn content(group: &Group<'_>, context: &Context) -> Result<Code, Error> {
    let subject = subject(group);
    let surrounding = group.gate();
    let interface = interface(&format!("Versions of {subject}, as methods."), context);
    let mut methods = Vec::new();
    let mut modules = Vec::new();
    for version in &group.versions {
        let gate = version.gate();
        let gated = |code: Code| text::gated(&gate, &surrounding, context, &[code]);
        let method = Code::members(&version_accessor(version, context))?;
        methods.push(gated(method)?);
        modules.push(gated(version_module(group.name, version, &gate, context)?)?);
    }
    let head = Head::new(quote!(impl<'m, M> Interface<'m, M>));
    let mut parts = vec![
        Code::items(&[interface])?,
        Code::block(&head, &Code::spaced(&methods))?,
    ];
    parts.extend(modules);
    Ok(Code::spaced(&parts))
}

fn version_module(
    group: &str,
    version: &Version<'_>,
    surrounding: &Gate,
    context: &Context,
) -> Result<Code, Error> {
    let group_version = match group {
        "" => version.name.to_owned(),
        group => format!("{group}/{}", version.name),
    };
    let interface = interface(
        &format!("Informers of `{group_version}`, as methods."),
        context,
    );
    let mut methods = Vec::new();
    let mut wrappers = Vec::new();
    for kind in &version.kinds {
        let gate = &kind.resource.gate;
        let gated = |items: &[Code]| text::gated(gate, surrounding, context, items);
        methods.push(gated(&[Code::members(&accessor(kind, context))?])?);
        let mut items = vec![wrapper::declaration(kind, context)?];
        items.extend(types(kind, context)?);
        items.extend(Code::each(&identity::checks(kind, context))?);
        wrappers.push(gated(&items)?);
    }
    let runtime = &context.runtime;
    let head = Head::new(quote!(impl<M: #runtime::MakeInformers> Interface<'_, M>));
    let mut parts = vec![
        Code::items(&[interface])?,
        Code::block(&head, &Code::spaced(&methods))?,
        for_resource::of_version(group, version, surrounding, context)?,
    ];
    parts.extend(wrappers);
    let doc = Doc::new(&format!("`{group_version}`."));
    let head = text::module(doc, text::UNFORMATTED, context, &version.ident);
    Code::block(&head, &Code::spaced(&parts))
}

/// Returns the module with the types of a kind, if the types are generated.
fn types(kind: &Kind<'_>, context: &Context) -> Result<Option<Code>, Error> {
    let resource = kind.resource;
    let Some(types) = resource.manifest.types.as_ref() else {
        return Ok(None);
    };
    let gvk = &resource.gvk;
    let items = types.items(
        &Definition {
            group: &gvk.group,
            version: &gvk.version,
            kind: &gvk.kind,
            plural: &resource.plural,
            scope: resource.scope,
            short_names: &resource.manifest.short_names,
            schema: None,
        },
        &Names {
            visibility: &context.visibility,
            runtime: &context.runtime,
            k8s_openapi: &context.k8s_openapi,
        },
    );
    let body = Code::items(&items)?;
    let doc = Doc::new(&format!("The types of `{}`.", gvk.kind));
    let module = informer_codegen::names::kopium::module(&gvk.kind);
    let head = text::module(doc, text::WRITTEN_TYPES, context, &module);
    Code::block(&head, &body).map(Some)
}

fn interface(documentation: &str, context: &Context) -> TokenStream {
    let visibility = &context.visibility;
    let documentation = Doc::new(documentation);
    quote! {
        #documentation
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #visibility struct Interface<'m, M>(pub(super) &'m M);
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
        #[must_use]
        #visibility fn #ident(&self) -> #ident::Interface<'m, M> {
            #ident::Interface(self.0)
        }
    }
}

fn accessor(kind: &Kind<'_>, context: &Context) -> TokenStream {
    let Context {
        visibility,
        runtime,
        ..
    } = context;
    let accessor = &kind.accessor;
    let [informer, _] = kind.type_names();
    let objects = if kind.resource.dynamic {
        quote!(#runtime::__private::DynamicObject)
    } else {
        kind.resource.rust_type.to_token_stream()
    };
    let plural = &kind.resource.plural;
    let documentation = Doc::new(&format!("Returns the shared informer of `{plural}`."));
    let deprecated = deprecation(kind);
    quote! {
        #documentation
        #deprecated
        #[must_use]
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

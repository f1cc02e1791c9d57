//! Emits groups and versions: the steps of `factory.apps().v1().deployments()`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::{Context, for_resource, identity, text, wrapper};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::{Group, Kind, Version};
use crate::types::{Definition, Names};

/// Returns the documentation of a group.
pub(super) fn documentation(group: &Group<'_>) -> String {
    match group.name {
        "" => "The core group.".to_owned(),
        name => format!("Group `{name}`."),
    }
}

/// Returns the group as the object of a sentence.
pub(super) fn subject(group: &Group<'_>) -> String {
    match group.name {
        "" => "the core group".to_owned(),
        name => format!("group `{name}`"),
    }
}

/// Returns the content of a group's module.
pub(super) fn content(group: &Group<'_>, context: &Context) -> Result<String, Error> {
    let subject = subject(group);
    let surrounding = group.gate();
    let interface = interface(&format!(" Versions of {subject}, as methods."), context);
    let mut methods = Vec::new();
    let mut modules = Vec::new();
    for version in &group.versions {
        let gate = version.gate();
        let gated = |text: String| text::gated(&gate, &surrounding, context, &[text]);
        let method = text::members(&subject, &version_accessor(version, context))?;
        methods.push(gated(method));
        modules.push(gated(version_module(group.name, version, &gate, context)?));
    }
    let mut parts = vec![
        text::items(&subject, &[interface])?,
        text::block("impl<'m, M> Interface<'m, M>", &methods.join("\n")),
    ];
    parts.extend(modules);
    Ok(parts.join("\n"))
}

fn version_module(
    group: &str,
    version: &Version<'_>,
    surrounding: &Gate,
    context: &Context,
) -> Result<String, Error> {
    let group_version = match group {
        "" => version.name.to_owned(),
        group => format!("{group}/{}", version.name),
    };
    let interface = interface(
        &format!(" Informers of `{group_version}`, as methods."),
        context,
    );
    let mut methods = Vec::new();
    let mut wrappers = Vec::new();
    for kind in &version.kinds {
        let gate = &kind.resource.gate;
        let gated = |texts: &[String]| text::gated(gate, surrounding, context, texts);
        let what = kind.resource.gvk.to_string();
        methods.push(gated(&[text::members(&what, &accessor(kind, context))?]));
        let mut items = vec![wrapper::declaration(kind, context)];
        items.extend(types(kind, context));
        items.extend(text::each(&what, &identity::checks(kind, context))?);
        wrappers.push(gated(&items));
    }
    let runtime = crate::paths::display(&context.runtime);
    let interface_impl = format!("impl<M: {runtime}::MakeInformers> Interface<'_, M>");
    let mut parts = vec![
        text::items(&group_version, &[interface])?,
        text::block(&interface_impl, &methods.join("\n")),
        for_resource::of_version(group, version, surrounding, context)?,
    ];
    parts.extend(wrappers);
    let head = format!("/// `{group_version}`.\n{}", text::UNFORMATTED);
    let body = parts.join("\n");
    Ok(text::module(&head, context, &version.ident, &body))
}

/// Returns the module with the types of a kind, if the types are generated.
fn types(kind: &Kind<'_>, context: &Context) -> Option<String> {
    let resource = kind.resource;
    let types = resource.manifest.types.as_ref()?;
    let gvk = &resource.gvk;
    let body = types.text(
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
            visibility: &context.visibility_text(),
            runtime: &crate::paths::display(&context.runtime),
            k8s_openapi: &context.k8s_openapi,
        },
    );
    let head = format!("/// The types of `{}`.\n{}", gvk.kind, text::WRITTEN_TYPES);
    let module = crate::types::module(&gvk.kind);
    Some(text::module(&head, context, &module, &body))
}

fn interface(documentation: &str, context: &Context) -> TokenStream {
    let visibility = &context.visibility;
    quote! {
        #[doc = #documentation]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #visibility struct Interface<'m, M>(pub(super) &'m M);
    }
}

fn version_accessor(version: &Version<'_>, context: &Context) -> TokenStream {
    let visibility = &context.visibility;
    let ident = &version.ident;
    let documentation = format!(" Returns the informers of version `{}`.", version.name);
    quote! {
        #[doc = #documentation]
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
    let documentation = format!(" Returns the shared informer of `{plural}`.");
    let deprecated = deprecation(kind);
    quote! {
        #[doc = #documentation]
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

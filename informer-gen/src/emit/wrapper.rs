//! Emits the wrappers of one kind through `informer_codegen`, as the derive does.

use informer_codegen::doc::Doc;
use informer_codegen::emit;
use informer_codegen::ir::{Objects, Wrappers};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse_quote;

use super::context::Context;
use crate::gvk::Scope;
use crate::plan::Kind;

/// Maximum width of a line of a description.
const DESCRIPTION: usize = 90;

/// Returns the informer and the lister, and the relations.
pub(super) fn items(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    emit::wrappers(&wrappers(kind, context))
}

/// Returns the type of the objects of a kind, as the module of its version names it.
pub(super) fn object_type(kind: &Kind<'_>, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    if kind.resource.dynamic {
        return quote!(#runtime::__private::DynamicObject);
    }
    match &kind.import {
        Some(name) => name.to_token_stream(),
        None => kind.resource.rust_type.to_token_stream(),
    }
}

fn wrappers(kind: &Kind<'_>, context: &Context) -> Wrappers {
    Wrappers {
        vis: context.visibility.clone(),
        prefix: kind.stem.clone(),
        runtime: context.runtime.clone(),
        docs: documentation(kind),
        objects: objects(kind, context),
        accessor: None,
        is_checked: false,
        indices: kind.indices.clone(),
        selectable: kind.selectable.clone(),
        relations: kind.relations.clone(),
        has_related: kind.resource.has_related(),
    }
}

fn objects(kind: &Kind<'_>, context: &Context) -> Objects {
    let resource = kind.resource;
    if !resource.dynamic {
        let rust_type = object_type(kind, context);
        return Objects::Typed(Box::new(parse_quote!(#rust_type)));
    }
    Objects::Dynamic {
        group: resource.gvk.group.clone(),
        version: resource.gvk.version.clone(),
        kind: resource.gvk.kind.clone(),
        plural: resource.plural.clone(),
        scope: resource.scope,
    }
}

fn documentation(kind: &Kind<'_>) -> Doc {
    let resource = kind.resource;
    let gvk = &resource.gvk;
    let scope = match resource.scope {
        Scope::Cluster => "cluster-scoped",
        Scope::Namespaced => "namespaced",
    };
    let opening = if resource.dynamic {
        Doc::new(&format!(
            "Shared informer of `{}` as kube's `DynamicObject`.",
            gvk.kind
        ))
    } else {
        Doc::link("Shared informer of", &gvk.kind, &resource.rust_type)
    };
    let short_names = match resource.manifest.short_names.as_slice() {
        [] => String::new(),
        names => format!(" (`{}`)", names.join("`, `")),
    };
    let plural = &resource.plural;
    let group_version = gvk.group_version();
    let named = format!("Resource: `{plural}`{short_names} of `{group_version}`, {scope}.");
    let untyped = match &resource.manifest.untyped {
        Some(why) => format!("The objects are untyped, because {why}."),
        None => String::new(),
    };
    // A `deprecated` attribute on the type would also warn where generated code names the type.
    let deprecated = if resource.deprecated.is_some() {
        "This version of the API is deprecated."
    } else {
        ""
    };
    let description = Doc::wrapped(&resource.manifest.description, DESCRIPTION);
    opening
        .paragraph(description)
        .paragraph(Doc::new(&named))
        .line(Doc::new(&untyped))
        .paragraph(Doc::new(deprecated))
}

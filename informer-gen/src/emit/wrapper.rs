//! Emits the wrappers of one kind through `informer_codegen`, as the derive does.

use informer_codegen::doc::Doc;
use informer_codegen::emit::{self, WrapperNames};
use informer_codegen::ir::{Objects, Wrappers};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse_quote;

use super::context::Context;
use crate::gvk::Scope;
use crate::plan::{Kind, Version};

/// Name of the struct whose methods are the accessors of a group or a version.
pub(super) const INTERFACE: &str = "Interface";

/// Maximum width of a line of a description.
const DESCRIPTION: usize = 90;

/// Returns the informer and the lister, and the relations.
pub(super) fn items(kind: &Kind<'_>, version: &Version<'_>, context: &Context) -> Vec<TokenStream> {
    emit::wrappers(&wrappers(kind, version, context))
}

/// Returns the import of the type of a kind, unless another item of the module has its name.
pub(super) fn import(kind: &Kind<'_>, version: &Version<'_>) -> Option<TokenStream> {
    imported(kind, version)?;
    let rust_type = &kind.resource.rust_type;
    Some(quote!(use #rust_type;))
}

/// Returns the type of the objects of a kind, as the module of its version names it.
pub(super) fn object_type(
    kind: &Kind<'_>,
    version: &Version<'_>,
    context: &Context,
) -> TokenStream {
    let runtime = &context.runtime;
    if kind.resource.dynamic {
        return quote!(#runtime::__private::DynamicObject);
    }
    match imported(kind, version) {
        Some(name) => name.to_token_stream(),
        None => kind.resource.rust_type.to_token_stream(),
    }
}

/// Returns the name by which the module of a version imports the type of a kind, unless another item
/// of the module has the name.
fn imported<'k>(kind: &'k Kind<'_>, version: &Version<'_>) -> Option<&'k Ident> {
    let rust_type = &kind.resource.rust_type;
    let name = &rust_type.segments.last()?.ident;
    let is_in_crate = rust_type.segments.first()?.ident == "crate";
    let is_absolute = rust_type.leading_colon.is_some() || is_in_crate;
    let is_taken = version.kinds.iter().any(|other| {
        let last = other.resource.rust_type.segments.last();
        let has_other_type =
            last.is_some_and(|last| last.ident == *name) && other.resource.gvk != kind.resource.gvk;
        has_other_type || WrapperNames::of(&other.stem).has(name)
    });
    (is_absolute && !is_taken && !kind.resource.dynamic && name != INTERFACE).then_some(name)
}

fn wrappers(kind: &Kind<'_>, version: &Version<'_>, context: &Context) -> Wrappers {
    Wrappers {
        vis: context.visibility.clone(),
        prefix: kind.stem.clone(),
        runtime: context.runtime.clone(),
        docs: documentation(kind),
        objects: objects(kind, version, context),
        accessor: None,
        is_checked: false,
        indices: kind.indices.clone(),
        selectable: kind.selectable.clone(),
        relations: kind.relations.clone(),
        has_related: kind.resource.has_related(),
    }
}

fn objects(kind: &Kind<'_>, version: &Version<'_>, context: &Context) -> Objects {
    let resource = kind.resource;
    if !resource.dynamic {
        let rust_type = object_type(kind, version, context);
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

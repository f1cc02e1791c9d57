//! Emits the wrappers of one kind through `informer_codegen`, as the derive does.

use informer_codegen::ir::{self, Objects, Wrappers};
use informer_codegen::{emit, layout};
use syn::parse_quote;

use super::{Context, text};
use crate::ir::Scope;
use crate::plan::Kind;
use crate::types;

/// Maximum width of a line of a description.
const DESCRIPTION: usize = 90;

/// Returns the declarations of the wrappers and of the relations.
pub(super) fn declaration(kind: &Kind<'_>, context: &Context) -> String {
    let wrappers = wrappers(kind, context);
    let item = |name: &str, tokens| {
        let runtime = crate::paths::display(&context.runtime);
        let head = format!("{runtime}::__private::{name}!");
        text::block(&head, &layout::declaration(tokens))
    };
    let mut declaration = item("wrappers", emit::declaration(&wrappers));
    if let Some(relations) = emit::relations::declaration(&wrappers) {
        declaration.push('\n');
        declaration.push_str(&item("relations", relations));
    }
    declaration
}

fn wrappers(kind: &Kind<'_>, context: &Context) -> Wrappers {
    Wrappers {
        vis: context.visibility.clone(),
        prefix: kind.stem.clone(),
        runtime: context.runtime.clone(),
        docs: documentation(kind),
        objects: objects(kind),
        accessor: None,
        is_checked: false,
        indices: kind.indices.clone(),
        selectable: Vec::new(),
        relations: kind.relations.clone(),
        has_related: kind.resource.has_related(),
    }
}

fn objects(kind: &Kind<'_>) -> Objects {
    let resource = kind.resource;
    if !resource.dynamic {
        let rust_type = &resource.rust_type;
        return Objects::Typed(Box::new(parse_quote!(#rust_type)));
    }
    Objects::Dynamic {
        group: resource.gvk.group.clone(),
        version: resource.gvk.version.clone(),
        kind: resource.gvk.kind.clone(),
        plural: resource.plural.clone(),
        scope: match resource.scope {
            Scope::Cluster => ir::Scope::Cluster,
            Scope::Namespaced => ir::Scope::Namespaced,
        },
    }
}

fn documentation(kind: &Kind<'_>) -> Vec<String> {
    let rust_type = kind.rust_type();
    let resource = kind.resource;
    let gvk = &resource.gvk;
    let scope = match resource.scope {
        Scope::Cluster => "cluster-scoped",
        Scope::Namespaced => "namespaced",
    };
    let kind = &gvk.kind;
    let opening = if resource.dynamic {
        format!(" Shared informer of `{kind}` as kube's `DynamicObject`.")
    } else {
        format!(" Shared informer of [`{kind}`]({rust_type}).")
    };
    let mut lines = vec![opening, String::new()];
    let description = types::lines(&resource.manifest.description, DESCRIPTION);
    if !description.is_empty() {
        let description = description.into_iter();
        lines.extend(description.map(|line| format!(" {line}").trim_end().to_owned()));
        lines.push(String::new());
    }
    let short_names = match resource.manifest.short_names.as_slice() {
        [] => String::new(),
        names => format!(" (`{}`)", names.join("`, `")),
    };
    lines.push(format!(" Group and version: `{}`.", gvk.group_version()));
    lines.push(format!(
        " Resource: `{}`{short_names}, {scope}.",
        resource.plural
    ));
    if let Some(reason) = &resource.manifest.untyped {
        lines.push(format!(" The objects are untyped, because {reason}."));
    }
    // A `deprecated` attribute on the type would also warn where generated code names the type.
    if resource.deprecated.is_some() {
        lines.push(String::new());
        lines.push(" This version of the API is deprecated.".to_owned());
    }
    lines
}

//! Model of the spec of a `CustomResource`, whose sibling `#[kube(...)]` describes the resource.

use informer_codegen::check::selectable;
use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use informer_codegen::declaration::entry::Entry;
use informer_codegen::doc::Doc;
use informer_codegen::ir::{Objects, Scope, Wrappers};
use informer_codegen::kube::{self, Kube};
use informer_codegen::names;
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::{LitStr, parse_quote};

use crate::ast::Input;
use crate::model::{Model, guess_root, runtime};

/// Builds the model of the spec of a `CustomResource`.
pub(crate) fn model(ctxt: &Ctxt, input: &Input<'_>, attrs: &Declaration, kube: &Kube) -> Model {
    report_declared_twice(ctxt, attrs);
    let served = kube.entry("served");
    if let Some(served) = served.filter(|served| kube::flag(served) != Some(true)) {
        ctxt.error_at(
            served.span(),
            "a version that is not served cannot be watched: remove `served = false`, or do not \
             derive `Informer` on this version",
        );
    }
    let derives_informer = kube.derives_informer();
    if let Some(span) = derives_informer {
        ctxt.error_at(
            span,
            "`Informer` is derived on the spec already, for the same root type: remove this, or \
             the derive on the spec",
        );
    }
    let kind = kube.text("kind");
    if kind.is_none() {
        ctxt.error_at(
            kube.span,
            "`#[kube(...)]` has no kind: write `kind = \"Foo\"`",
        );
    }
    let declared_root = kube
        .text("root")
        .or_else(|| kind.clone())
        .and_then(|name| type_name(ctxt, &name));
    let root_known = declared_root.is_some();
    let root = declared_root.unwrap_or_else(|| guess_root(input.ident));
    let kind_name = match kind {
        Some(kind) => kind.value(),
        None => guess_root(input.ident).to_string(),
    };
    let selectable: Vec<LitStr> = kube
        .all("selectable")
        .filter_map(Entry::try_string)
        .collect();
    let scope = if kube.is("namespaced") {
        Scope::Namespaced
    } else {
        Scope::Cluster
    };

    Model {
        wrappers: Wrappers {
            vis: input.vis.clone(),
            prefix: root.unraw().to_string(),
            runtime: runtime(attrs),
            docs: Doc::default(),
            objects: Objects::Typed(Box::new(parse_quote!(#root))),
            accessor: None,
            is_checked: true,
            indices: Vec::new(),
            selectable: selectable::check(ctxt, &selectable),
            relations: Vec::new(),
            has_related: true,
        },
        root_known,
        api_version: api_version(kube),
        accessor: default_accessor(ctxt, attrs, kube, &kind_name),
        scope: Some(scope),
        assert_scope: false,
        marker: None,
        elsewhere: derives_informer.is_some(),
    }
}

/// Reports keys of `#[informer(...)]` that repeat what `#[kube(...)]` says.
fn report_declared_twice(ctxt: &Ctxt, attrs: &Declaration) {
    if let Some((_, span)) = attrs.scope.value {
        ctxt.error_at(span, "`#[kube(...)]` sets the scope: remove `scope`");
    }
    if let Some(span) = attrs.of.first {
        ctxt.error_at(
            span,
            "`#[kube(...)]` sets the type: remove `of`, or the `#[kube(...)]`",
        );
    }
    if let Some(field) = attrs.selectable.first() {
        ctxt.error(
            field,
            format!(
                "the CRD declares the selectable fields: write \
                 `#[kube(selectable = \".{}\")]`, which also creates the constant",
                field.value().trim_start_matches('.')
            ),
        );
    }
}

fn api_version(kube: &Kube) -> Option<String> {
    let group = kube.text("group")?;
    let version = kube.text("version")?;
    Some(format!("{}/{}", group.value(), version.value()))
}

/// Returns the default accessor, from the kind and the plural.
fn default_accessor(ctxt: &Ctxt, attrs: &Declaration, kube: &Kube, kind: &str) -> Ident {
    let plural = match kube.text("plural") {
        Some(plural) => plural.value(),
        None => kube.plural(kind),
    };
    let span = ["plural", "singular", "kind"]
        .iter()
        .find_map(|key| kube.text(key))
        .map_or_else(Span::call_site, |given| given.span());
    if !names::api::is_label(&plural) {
        ctxt.error_at(
            span,
            format!(
                "`{plural}` is not the plural name of a Kubernetes resource (lower-case letters, \
                 digits and `-`): write `#[kube(plural = \"..\")]` as the API server spells it"
            ),
        );
        let guess = match &attrs.accessor.value {
            Some(accessor) if names::is_identifier(&accessor.value()) => accessor.value(),
            _ => "objects".to_owned(),
        };
        return names::identifier(&guess, span);
    }
    names::accessor(kind, &plural, span)
}

/// Returns the identifier in `name`, if it can name a type.
fn type_name(ctxt: &Ctxt, name: &LitStr) -> Option<Ident> {
    let text = name.value();
    if names::is_identifier(&text)
        && text != "Self"
        && let Ok(root) = name.parse_with(Ident::parse_any)
    {
        return Some(root);
    }
    ctxt.error(
        name,
        format!(
            "`{text}` cannot name a Rust struct: write `#[kube(root = \"..\")]` with a name that \
             can"
        ),
    );
    None
}

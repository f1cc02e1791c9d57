//! Checks the indices: their names, the types of their values, and that no two are the same.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{LitStr, Path, Type, parse_quote, parse_quote_spanned};

use super::path::{self, Canonical, Name, Segment};
use super::resolve::{Resolver, Wrong};
use super::value;
use super::{Index, Source, rust_name, type_text};
use crate::ast::Input;
use crate::attr::kube::KubeAttrs;
use crate::attr::{Attrs, IndexAttr, PathAttr, Target};
use crate::ctxt::Ctxt;
use crate::naming;

/// Names that an index cannot have: they would hide what every lister or snapshot has.
pub(crate) const RESERVED: [&str; 32] = [
    "by_index",
    "clone",
    "deref",
    "generation",
    "get",
    "get_by_key",
    "get_cluster_scoped",
    "index",
    "index_failures",
    "index_keys",
    "index_names",
    "index_of",
    "informer",
    "is_empty",
    "is_synced",
    "iter",
    "len",
    "list",
    "list_index_func_values",
    "lister",
    "namespace",
    "namespaces",
    "new",
    "next_after",
    "resource",
    "resource_version",
    "snapshot",
    "try_get",
    "try_get_by_key",
    "try_namespace",
    "undecodable",
    "undecodable_all",
];

/// Checks each index of `attrs`; those that are wrong are there all the same, as `Nowhere`.
pub(super) fn check(
    ctxt: &Ctxt,
    input: &Input<'_>,
    attrs: &Attrs,
    kube: Option<&KubeAttrs>,
    runtime: &Path,
) -> Vec<Index> {
    let resolver = Resolver {
        ctxt,
        input,
        kube,
        elsewhere: attrs.of.given(),
    };
    let checker = Checker {
        ctxt,
        resolver,
        runtime,
    };
    let all: Vec<Index> = attrs
        .indices
        .iter()
        .filter_map(|attr| checker.index(attr))
        .collect();
    without_duplicates(ctxt, all)
}

/// Reports the second of two indices with one name.
fn without_duplicates(ctxt: &Ctxt, all: Vec<Index>) -> Vec<Index> {
    let mut by_name: BTreeMap<String, Span> = BTreeMap::new();
    let mut by_accessor: BTreeMap<Ident, Span> = BTreeMap::new();
    let mut kept = Vec::with_capacity(all.len());
    for index in all {
        if matches!(index.source, Source::Nowhere) {
            // Its name is a guess, good enough for the fallback if no other index has it.
            if !by_accessor.contains_key(&index.accessor) {
                by_accessor.insert(index.accessor.clone(), index.span);
                kept.push(index);
            }
        } else if let Some(first) = by_name.insert(index.name.clone(), index.span) {
            let message = format!("the index `{}` is given twice: remove one", index.name);
            ctxt.conflict(index.span, message, first, "it is given here first");
        } else if let Some(first) = by_accessor.insert(index.accessor.clone(), index.span) {
            let message = format!(
                "two indices are called `{0}`: name this one, `index(name = \"{0}_2\", ...)`",
                index.accessor
            );
            ctxt.conflict(index.span, message, first, "the first one is here");
        } else {
            kept.push(index);
        }
    }
    kept
}

/// Judges one index.
struct Checker<'a> {
    ctxt: &'a Ctxt,
    resolver: Resolver<'a>,
    runtime: &'a Path,
}

// === impl Checker ===

impl Checker<'_> {
    fn index(&self, attr: &IndexAttr) -> Option<Index> {
        match &attr.target {
            Target::Path(path) => match parse(path) {
                Ok(segments) => self.path_index(attr, path, &segments),
                Err(error) => {
                    self.ctxt.push(error);
                    // Its name is judged all the same.
                    attr.name.as_ref().and_then(|name| self.named(name));
                    None
                }
            },
            Target::Entry(map, key) => self.entry_index(attr, map, key),
            Target::Owner(span, owner) => self.owner_index(attr, *span, owner.as_deref()),
            Target::With(function) => self.computed_index(attr, function),
        }
    }

    fn computed_index(&self, attr: &IndexAttr, function: &Path) -> Option<Index> {
        let Some(name) = &attr.name else {
            self.ctxt.error_at(
                attr.span,
                "an index by a function has no path to be named after: write \
                 `index(name = \"by_x\", with = function)`",
            );
            return None;
        };
        let ty = attr
            .value
            .clone()
            .unwrap_or_else(|| string(function.span()));
        let source = Source::With(function.clone());
        Some(index(self.named(name)?, name.value(), attr, ty, source))
    }

    /// An index over the value of one key of `metadata.<map>`.
    fn entry_index(&self, attr: &IndexAttr, map: &'static str, key: &LitStr) -> Option<Index> {
        let text = key.value();
        let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
        if text.is_empty() || !text.chars().all(is_key) {
            self.ctxt.error(
                key,
                format!(
                    "`{text}` is not the key of a label or an annotation: write one such as `app` \
                     or `app.kubernetes.io/name`, without quotes or brackets of its own"
                ),
            );
            return None;
        }
        let name = |text: &str| Name::new(text, key.span());
        let segments = [
            Segment::Field(name("metadata")),
            Segment::Field(name(map)),
            Segment::Key(name(&text)),
        ];
        self.path_index(attr, &PathAttr::Json(key.clone()), &segments)
    }

    /// An index over the key of the controller if it is an `owner`; over the UID of any, as a key
    /// does not tell kinds apart.
    fn owner_index(&self, attr: &IndexAttr, span: Span, owner: Option<&Type>) -> Option<Index> {
        if let Some(value) = &attr.value {
            self.ctxt.error(
                value,
                "the values of an index by owner are the owners' keys or UIDs: remove `value`",
            );
        }
        if let Some(unique) = attr.unique {
            self.ctxt.error_at(
                unique,
                "an owner may own many objects: remove `unique`, and take the first yourself",
            );
        }
        let accessor = match &attr.name {
            Some(name) => self.named(name)?,
            None if owner.is_some() => naming::ident("by_owner", span),
            None => naming::ident("by_owner_uid", span),
        };
        let runtime = self.runtime;
        let (name, ty) = match owner {
            Some(owner) => {
                let name = format!("owner({})", type_text(owner));
                (name, parse_quote!(#runtime::ObjectKey))
            }
            None => ("owner".to_owned(), string(span)),
        };
        let source = Source::Owner(owner.cloned().map(Box::new));
        Some(index(accessor, name, attr, ty, source))
    }

    fn path_index(&self, attr: &IndexAttr, path: &PathAttr, segments: &[Segment]) -> Option<Index> {
        let accessor = match &attr.name {
            Some(name) => self.named(name),
            None => accessor(segments, path.span()),
        };
        let found = self.resolver.resolve(path, segments);
        let json = found.as_ref().ok().and_then(|found| found.json.clone());
        let name = match path {
            PathAttr::Json(_) => Canonical(segments).to_string(),
            PathAttr::Rust(_) => json.unwrap_or_else(|| format!("self.{}", Canonical(segments))),
        };
        let (source, seen) = match found {
            Ok(found) if attr.value.is_some() => (Source::Walk(found.typed_by_user().steps), None),
            Ok(found) => (Source::Walk(found.steps), found.ty),
            Err(Wrong) => (Source::Nowhere, None),
        };
        let seen = seen
            .filter(|ty| self.is_indexable(path, ty))
            .filter(|ty| !value::is_text(ty));
        let ty = attr
            .value
            .clone()
            .or(seen)
            .unwrap_or_else(|| string(path.span()));
        Some(index(accessor?, name, attr, ty, source))
    }

    /// The identifier in `name`, if an index may have it.
    fn named(&self, name: &LitStr) -> Option<Ident> {
        let ident = rust_name(self.ctxt, name)?;
        if RESERVED.iter().any(|reserved| ident == reserved) {
            self.ctxt.error(
                name,
                format!(
                    "`{ident}` is a method of every lister or snapshot: write another, such as `by_{ident}`"
                ),
            );
            return None;
        }
        Some(ident)
    }

    fn is_indexable(&self, path: &PathAttr, ty: &Type) -> bool {
        let reason = value::unindexable(ty);
        if let Some(reason) = reason {
            self.ctxt.error(
                path,
                format!(
                    "{reason}: index what you look for with `index(name = \"by_x\", with = \
                     function, value = \"Type\")`"
                ),
            );
        }
        reason.is_none()
    }
}

fn parse(path: &PathAttr) -> syn::Result<Vec<Segment>> {
    match path {
        PathAttr::Json(text) => path::parse(&text.value(), text.span())
            .map_err(|message| syn::Error::new_spanned(text, message)),
        PathAttr::Rust(tokens) => path::parse_rust(tokens.clone()),
    }
}

fn index(accessor: Ident, name: String, attr: &IndexAttr, value: Type, source: Source) -> Index {
    let argument = value::argument(&value);
    Index {
        accessor,
        name,
        span: attr.target_span(),
        value,
        argument,
        unique: attr.unique.is_some(),
        source,
    }
}

/// The accessor that a path gives.
fn accessor(segments: &[Segment], span: Span) -> Option<Ident> {
    let (Segment::Field(last) | Segment::Key(last)) = segments.last()?;
    Some(naming::ident(&naming::index_accessor(last), span))
}

/// The type of values that nothing is known of; rustc's errors about it go to `span`.
fn string(span: Span) -> Type {
    parse_quote_spanned!(span=> ::std::string::String)
}

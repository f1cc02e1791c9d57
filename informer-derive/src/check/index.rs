//! Checks the indices: their names, the types of their values, and that no two are the same.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{LitStr, Type, parse_quote_spanned};

use super::path::{self, Canonical, Segment};
use super::resolve::{Resolver, Wrong};
use super::value;
use super::{Index, Source, rust_name};
use crate::ast::Input;
use crate::attr::kube::KubeAttrs;
use crate::attr::{Attrs, IndexAttr, Target};
use crate::ctxt::Ctxt;
use crate::naming;

/// Names that an index cannot have: they would hide what every lister has.
const RESERVED: [&str; 19] = [
    "by_index",
    "clone",
    "deref",
    "get",
    "get_by_key",
    "get_cluster_scoped",
    "index_names",
    "informer",
    "is_empty",
    "len",
    "list",
    "lister",
    "namespace",
    "new",
    "resource",
    "snapshot",
    "try_get",
    "try_get_by_key",
    "try_namespace",
];

/// Checks each index of `attrs`; those that are wrong are there all the same, as `Nowhere`.
pub(super) fn check(
    ctxt: &Ctxt,
    input: &Input<'_>,
    attrs: &Attrs,
    kube: Option<&KubeAttrs>,
) -> Vec<Index> {
    let resolver = Resolver { ctxt, input, kube };
    let checker = Checker { ctxt, resolver };
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
}

// === impl Checker ===

impl Checker<'_> {
    fn index(&self, attr: &IndexAttr) -> Option<Index> {
        match &attr.target {
            Target::Path(path) => self.path_index(attr, path),
            Target::With(function) => {
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
        }
    }

    fn path_index(&self, attr: &IndexAttr, path: &LitStr) -> Option<Index> {
        let parsed = path::parse(&path.value());
        let accessor = match (&attr.name, &parsed) {
            (Some(name), _) => self.named(name),
            (None, Ok(segments)) => accessor(segments, path.span()),
            (None, Err(_)) => None,
        };
        let segments = match parsed {
            Ok(segments) => segments,
            Err(message) => {
                self.ctxt.error(path, message);
                return None;
            }
        };
        let found = self.resolver.resolve(path, &segments);
        let (source, seen) = match found {
            Ok(found) if attr.value.is_some() => (Source::Walk(found.typed_by_user().steps), None),
            Ok(found) => (Source::Walk(found.steps), found.ty),
            Err(Wrong) => (Source::Nowhere, None),
        };
        let seen = seen.filter(|ty| self.is_indexable(path, ty));
        let ty = attr
            .value
            .clone()
            .or(seen)
            .unwrap_or_else(|| string(path.span()));
        Some(index(
            accessor?,
            Canonical(&segments).to_string(),
            attr,
            ty,
            source,
        ))
    }

    /// The identifier in `name`, if an index may have it.
    fn named(&self, name: &LitStr) -> Option<Ident> {
        let ident = rust_name(self.ctxt, name)?;
        if RESERVED.iter().any(|reserved| ident == reserved) {
            self.ctxt.error(
                name,
                format!(
                    "`{ident}` is a method of every lister: write another, such as `by_{ident}`"
                ),
            );
            return None;
        }
        Some(ident)
    }

    fn is_indexable(&self, path: &LitStr, ty: &Type) -> bool {
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

fn index(accessor: Ident, name: String, attr: &IndexAttr, value: Type, source: Source) -> Index {
    let argument = value::argument(&value);
    Index {
        accessor,
        name,
        span: attr.target_span(),
        value,
        argument,
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

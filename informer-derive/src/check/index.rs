//! Checks the names and value types of indices, and rejects duplicates.

use std::collections::BTreeMap;

use informer_codegen::emit::{string, type_text};
use informer_codegen::ir::{Index, Source};
use informer_codegen::names;
use informer_codegen::path::{Canonical, Segment, is_entry_key};
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{LitStr, Path, Type, parse_quote};

use super::path::PathText;
use super::resolve::{Resolver, Wrong};
use super::{rust_name, value};
use crate::attr::index::{IndexAttr, Target};
use crate::attr::{Attrs, PathAttr};
use crate::ctxt::Ctxt;

/// Checks each index of `attrs`. The result includes wrong indices, with the source `Nowhere`.
pub(super) fn check(resolver: &Resolver<'_>, attrs: &Attrs, runtime: &Path) -> Vec<Index> {
    let ctxt = resolver.ctxt;
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

/// Reports the second of two indices with the same name.
fn without_duplicates(ctxt: &Ctxt, all: Vec<Index>) -> Vec<Index> {
    let mut by_name: BTreeMap<String, Span> = BTreeMap::new();
    let mut by_accessor: BTreeMap<Ident, Span> = BTreeMap::new();
    let mut kept = Vec::with_capacity(all.len());
    for index in all {
        if matches!(index.source, Source::Nowhere) {
            // The name is a guess. The fallback uses it if no other index has the name.
            if !by_accessor.contains_key(&index.accessor) {
                by_accessor.insert(index.accessor.clone(), index.span);
                kept.push(index);
            }
        } else if let Some(first) = by_name.insert(index.name.clone(), index.span) {
            let message = format!("the index `{}` is given twice: remove one", index.name);
            ctxt.conflict(index.span, message, first, "it is given here first");
        } else if let Some(first) = by_accessor.insert(index.accessor.clone(), index.span) {
            let message = format!(
                "two indices have the name `{0}`: rename this one, `index(name = \"{0}_2\", ...)`",
                index.accessor
            );
            ctxt.conflict(index.span, message, first, "the first one is here");
        } else {
            kept.push(index);
        }
    }
    kept
}

/// Checks one index.
struct Checker<'a> {
    ctxt: &'a Ctxt,
    resolver: &'a Resolver<'a>,
    runtime: &'a Path,
}

// === impl Checker ===

impl Checker<'_> {
    fn index(&self, attr: &IndexAttr) -> Option<Index> {
        match &attr.target {
            Target::Path(path) => match with_segments(PathText::new(path)) {
                Ok((written, segments)) => self.path_index(attr, path, &written, &segments),
                Err(error) => {
                    self.ctxt.push(error);
                    // The name is checked even if the source is wrong.
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
                "an index by a function needs a name: write \
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

    /// Returns an index of the value of one key in `metadata.<map>`.
    fn entry_index(&self, attr: &IndexAttr, map: &'static str, key: &LitStr) -> Option<Index> {
        let text = key.value();
        if !is_entry_key(&text) {
            self.ctxt.error(
                key,
                format!(
                    "`{text}` is not the key of a label or an annotation: write one such as `app` \
                     or `app.kubernetes.io/name`, without quotes or brackets of its own"
                ),
            );
            return None;
        }
        let written = PathText::json(format!("metadata.{map}['{text}']"), key.span());
        let (written, segments) = with_segments(written).ok()?;
        self.path_index(attr, &PathAttr::Json(key.clone()), &written, &segments)
    }

    /// Returns an index of the controlling owner: by key for the type `owner`, or by UID for any
    /// kind, because a key does not identify a kind.
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
                "an owner may own many objects: remove `unique`, and take the first object found",
            );
        }
        let accessor = match &attr.name {
            Some(name) => self.named(name)?,
            None if owner.is_some() => names::identifier("by_owner", span),
            None => names::identifier("by_owner_uid", span),
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

    fn path_index(
        &self,
        attr: &IndexAttr,
        path: &PathAttr,
        written: &PathText,
        segments: &[Segment],
    ) -> Option<Index> {
        let accessor = match &attr.name {
            Some(name) => self.named(name),
            None => self.accessor(segments, path.span()),
        };
        let found = self.resolver.resolve(path, written, segments);
        let json = found.as_ref().ok().and_then(|found| found.json.clone());
        let name = match path {
            PathAttr::Json(_) => Canonical(segments).to_string(),
            PathAttr::Rust(_) => json.unwrap_or_else(|| format!("self.{}", Canonical(segments))),
        };
        let given = attr.value.is_some();
        let (source, seen) = match found {
            Ok(found) => {
                let (is_json, ty) = (found.is_json, found.ty.clone());
                let found = if given { found.typed_by_user() } else { found };
                let steps = found.steps;
                (Source::Walk { steps, is_json }, ty.filter(|_| !given))
            }
            Err(Wrong) => (Source::Nowhere, None),
        };
        let source = match &seen {
            Some(ty) if !self.is_indexable(path, ty) => Source::Nowhere,
            _ => source,
        };
        let seen = seen.filter(|ty| value::unindexable(ty).is_none() && !value::is_text(ty));
        let ty = attr
            .value
            .clone()
            .or(seen)
            .unwrap_or_else(|| string(path.span()));
        Some(index(accessor?, name, attr, ty, source))
    }

    /// Returns the identifier in `name`, if an index may have it.
    fn named(&self, name: &LitStr) -> Option<Ident> {
        let ident = rust_name(self.ctxt, name)?;
        if names::is_lister_method(&ident.to_string()) {
            self.ctxt.error(
                name,
                format!(
                    "`{ident}` is a method of every lister or snapshot: choose another name, \
                     such as `by_{ident}`"
                ),
            );
            return None;
        }
        Some(ident)
    }

    /// Returns the accessor of a path.
    fn accessor(&self, segments: &[Segment], span: Span) -> Option<Ident> {
        let last = segments.last()?.text();
        let accessor = names::index_accessor(last, span);
        if accessor.is_none() {
            self.ctxt.error_at(
                span,
                format!(
                    "`{last}` does not form the name of a method: write \
                     `index(name = \"by_x\", ..)`"
                ),
            );
        }
        accessor
    }

    fn is_indexable(&self, path: &PathAttr, ty: &Type) -> bool {
        let reason = value::unindexable(ty);
        if let Some(reason) = reason {
            self.ctxt.error(
                path,
                format!(
                    "{reason}: index a computed value with `index(name = \"by_x\", with = \
                     function, value = \"Type\")`"
                ),
            );
        }
        reason.is_none()
    }
}

fn with_segments(written: PathText) -> syn::Result<(PathText, Vec<Segment>)> {
    let segments = written.segments()?;
    Ok((written, segments))
}

fn index(accessor: Ident, name: String, attr: &IndexAttr, value: Type, source: Source) -> Index {
    Index {
        accessor,
        name,
        span: attr.target_span(),
        value,
        unique: attr.unique.is_some(),
        source,
    }
}

//! Checks the names and value types of indices, and rejects duplicates.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{LitStr, Path, Type, parse_quote};

use super::resolver::{Purpose, ResolvedPath, Resolver, Wrong, not_a_key, resolve};
use super::{name, value};
use crate::ctxt::Ctxt;
use crate::declaration::index::{self, IndexAttr};
use crate::declaration::path::Written;
use crate::declaration::target::NamedType;
use crate::emit::{string, type_text};
use crate::ir::{Index, IndexSource, Walk};
use crate::names;
use crate::path::{Canonical, Segment, is_entry_key};

/// Checks each index. The result includes wrong indices, with the source `Nowhere`.
pub(super) fn check(resolver: &dyn Resolver, attrs: &[IndexAttr], runtime: &Path) -> Vec<Index> {
    let checker = Checker {
        ctxt: resolver.ctxt(),
        resolver,
        runtime,
    };
    let all = attrs
        .iter()
        .filter_map(|attr| checker.index(attr))
        .collect();
    without_duplicates(resolver.ctxt(), all)
}

/// Reports the second of two indices with the same name.
fn without_duplicates(ctxt: &Ctxt, all: Vec<Index>) -> Vec<Index> {
    let mut by_name: BTreeMap<String, Span> = BTreeMap::new();
    let mut by_accessor: BTreeMap<Ident, Span> = BTreeMap::new();
    let mut kept = Vec::with_capacity(all.len());
    for index in all {
        if matches!(index.source, IndexSource::Nowhere) {
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
    resolver: &'a dyn Resolver,
    runtime: &'a Path,
}

// === impl Checker ===

impl Checker<'_> {
    fn index(&self, attr: &IndexAttr) -> Option<Index> {
        match &attr.source {
            index::IndexedBy::Path(path) => match path.segments() {
                Ok(segments) => self.path_index(attr, path, &segments),
                Err(error) => {
                    self.ctxt.push(error);
                    // The name is checked even if the source is wrong.
                    if let Some(name) = &attr.name {
                        self.named(name);
                    }
                    None
                }
            },
            index::IndexedBy::Entry(map, key) => self.entry_index(attr, map, key),
            index::IndexedBy::Owner(span, owner) => self.owner_index(attr, *span, owner.as_ref()),
            index::IndexedBy::With(function) => self.computed_index(attr, function),
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
        let source = IndexSource::With(self.resolver.function(function).ok()?);
        Some(index(self.named(name)?, name.value(), attr, ty, source))
    }

    /// Returns an index of the value of one key in `metadata.<map>`.
    fn entry_index(&self, attr: &IndexAttr, map: &'static str, key: &LitStr) -> Option<Index> {
        let text = key.value();
        if !is_entry_key(&text) {
            self.ctxt.error(key, not_a_key(&text));
            return None;
        }
        let path = Written::json(format!("metadata.{map}['{text}']"), key);
        let segments = path.segments().ok()?;
        self.path_index(attr, &path, &segments)
    }

    /// Returns an index of the controlling owner: by key for the type `owner`, or by UID for any
    /// kind, because a key does not identify a kind.
    fn owner_index(
        &self,
        attr: &IndexAttr,
        span: Span,
        owner: Option<&NamedType>,
    ) -> Option<Index> {
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
        let Some(owner) = owner else {
            let name = "owner".to_owned();
            let source = IndexSource::Owner(None);
            return Some(index(accessor, name, attr, string(span), source));
        };
        let form = "index(owner = Deployment)";
        let ty = self.resolver.target(owner, form).ok()?.ty;
        let name = format!("owner({})", type_text(&ty));
        let runtime = self.runtime;
        let value = parse_quote!(#runtime::ObjectKey);
        let source = IndexSource::Owner(Some(Box::new(ty)));
        Some(index(accessor, name, attr, value, source))
    }

    fn path_index(&self, attr: &IndexAttr, path: &Written, segments: &[Segment]) -> Option<Index> {
        let accessor = match &attr.name {
            Some(name) => self.named(name),
            None => self.accessor(segments, path.span()),
        };
        let found = resolve(self.resolver, path, segments, Purpose::Index);
        let name = match &found {
            _ if path.is_json() => Canonical(segments).to_string(),
            Ok(ResolvedPath {
                json: Some(json), ..
            }) => json.clone(),
            _ => format!("self.{}", Canonical(segments)),
        };
        let (source, ty) = match (found, &attr.value) {
            (Ok(found), Some(declared)) => {
                self.check_value(&found, declared);
                (source_of(found.typed_by_user()), declared.clone())
            }
            (Ok(found), None) => self.undeclared(path, found),
            (Err(Wrong), Some(declared)) => (IndexSource::Nowhere, declared.clone()),
            (Err(Wrong), None) => (IndexSource::Nowhere, string(path.span())),
        };
        Some(index(accessor?, name, attr, ty, source))
    }

    /// Returns the source and the type of values whose type the user does not declare.
    fn undeclared(&self, path: &Written, found: ResolvedPath) -> (IndexSource, Type) {
        let ty = match &found.ty {
            Some(ty) if !self.is_indexable(path, ty) => {
                return (IndexSource::Nowhere, string(path.span()));
            }
            Some(ty) if !value::is_text(ty) => ty.clone(),
            _ => string(path.span()),
        };
        (source_of(found), ty)
    }

    /// Reports a declared type that the values cannot have.
    fn check_value(&self, found: &ResolvedPath, declared: &Type) {
        let Some(values) = found.values else {
            return;
        };
        let text = found.ty.as_ref().map_or("String".to_owned(), type_text);
        let seen = text.trim_start_matches("::core::primitive::");
        if let Some(reason) = values.refuses(seen, &type_text(declared)) {
            self.ctxt.error(declared, format!("the path {reason}"));
        }
    }

    /// Returns the identifier in `name`, if an index may have it.
    fn named(&self, name: &LitStr) -> Option<Ident> {
        let ident = name::accessor(self.ctxt, name)?;
        if names::is_lister_method(&ident.to_string()) {
            self.ctxt.error(
                name,
                format!(
                    "`{ident}` is a method of informers, listers or snapshots: choose another name, \
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
        let reason = match &accessor {
            None => format!("`{last}` does not form the name of a method"),
            Some(accessor) if names::is_lister_method(&accessor.to_string()) => {
                format!("`{accessor}` is a method of informers, listers or snapshots")
            }
            Some(_) => return accessor,
        };
        self.ctxt.error_at(
            span,
            format!("{reason}: write `index(name = \"by_x\", ..)`"),
        );
        None
    }

    fn is_indexable(&self, path: &Written, ty: &Type) -> bool {
        let Some(reason) = value::unindexable(ty) else {
            return true;
        };
        self.ctxt.error(
            path,
            format!(
                "{reason}: index a computed value with `index(name = \"by_x\", with = function, \
                 value = \"Type\")`"
            ),
        );
        false
    }
}

fn source_of(path: ResolvedPath) -> IndexSource {
    match path.walk {
        Walk::Steps(steps) => IndexSource::Walk {
            steps,
            is_json: path.is_json,
        },
        Walk::Members(names) => IndexSource::Members(names),
    }
}

fn index(
    accessor: Ident,
    name: String,
    attr: &IndexAttr,
    value: Type,
    source: IndexSource,
) -> Index {
    Index {
        accessor,
        name,
        span: attr.source_span(),
        value,
        unique: attr.unique.is_some(),
        source,
    }
}

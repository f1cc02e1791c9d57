//! Checks the names and paths of relations, and unites those of several places.

use std::collections::BTreeMap;

use informer_codegen::emit::type_text;
use informer_codegen::ir::{Argument, Index, Named, Over, Relation, Step, Walk};
use informer_codegen::names;
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Type, TypePath};

use super::resolve::{Found, Resolver};
use super::{rust_name, value};
use crate::attr::relation::{RelationAttr, Verb};
use crate::attr::{Attrs, PathAttr};
use crate::ctxt::Ctxt;

/// Checks each relation of `attrs`. The result includes wrong relations, without fields.
pub(super) fn check(resolver: &Resolver<'_>, attrs: &Attrs, indices: &[Index]) -> Vec<Relation> {
    let checker = Checker { resolver };
    let mut taken = Taken::new(resolver.ctxt, indices);
    let mut all: Vec<Relation> = Vec::new();
    for attr in &attrs.relations {
        let Some(relation) = checker.relation(attr) else {
            continue;
        };
        // The lister has one method for each selector, so that the selectors of an object can be
        // told apart. Two selectors are one relation only if they share a declared accessor.
        let unites = attr.verb != Verb::Selects || attr.accessor.is_some();
        let same = all.iter_mut().find(|other| is_same(other, &relation));
        match same.filter(|_| unites) {
            Some(first) => unite(resolver.ctxt, first, relation),
            None if taken.add(attr, &relation) => all.push(relation),
            None => {}
        }
    }
    all
}

/// Reports whether two declarations are of one relation.
fn is_same(one: &Relation, other: &Relation) -> bool {
    std::mem::discriminant(&one.over) == std::mem::discriminant(&other.over)
        && one.accessor == other.accessor
        && type_text(&one.target) == type_text(&other.target)
}

/// Adds the fields of `other` to `first`. Reports fields that `first` has already.
fn unite(ctxt: &Ctxt, first: &mut Relation, other: Relation) {
    fn add<T: PartialEq>(all: &mut Vec<T>, others: Vec<T>) -> bool {
        let is_new = others.iter().all(|other| !all.contains(other));
        all.extend(others);
        is_new
    }
    let is_new = match (&mut first.over, other.over) {
        (Over::Names { fields, .. }, Over::Names { fields: others, .. }) => add(fields, others),
        (Over::Selectors { paths, .. }, Over::Selectors { paths: others, .. }) => {
            add(paths, others)
        }
        _ => false,
    };
    if !is_new {
        let target = type_text(&other.target);
        let message = format!("this relation to `{target}` is given twice: remove one");
        ctxt.conflict(other.span, message, first.span, "it is given here first");
    }
}

/// Checks one relation.
struct Checker<'a> {
    resolver: &'a Resolver<'a>,
}

/// Names of the emitted methods, with the positions of their declarations.
struct Taken<'a> {
    ctxt: &'a Ctxt,
    /// Methods of the lister.
    lister: BTreeMap<String, Span>,
    /// Methods of the struct with all relations.
    related: BTreeMap<String, Span>,
}

// === impl Checker ===

impl Checker<'_> {
    fn relation(&self, attr: &RelationAttr) -> Option<Relation> {
        let kind = kind(&attr.target);
        let written = attr.accessor.as_ref();
        let written = written.map(|name| rust_name(self.ctxt(), name));
        // The paths of a relation with a malformed accessor are checked all the same.
        let is_named = !matches!(written, Some(None));
        let declared = written.flatten();
        let over = match attr.verb {
            Verb::Owns => Over::Owner,
            Verb::References => {
                let fields = self.named(attr).into_iter().collect();
                let by = self.referrers(attr, &kind, declared.as_ref())?;
                Over::Names { by, fields }
            }
            Verb::Selects => Over::Selectors {
                by: match &declared {
                    Some(accessor) => format_ident!("selecting_{accessor}"),
                    None => Ident::new("selecting", attr.target.span()),
                },
                paths: self.selectors(attr).into_iter().collect(),
            },
        };
        is_named.then(|| Relation {
            accessor: declared.unwrap_or_else(|| names::related(&kind, attr.target.span())),
            span: attr.span(),
            target: Type::Path(attr.target.clone()),
            over,
        })
    }

    /// Returns the name of the lister's method that returns the referring objects.
    fn referrers(
        &self,
        attr: &RelationAttr,
        kind: &str,
        accessor: Option<&Ident>,
    ) -> Option<Ident> {
        let by = match accessor {
            Some(accessor) => Some(format_ident!("by_{accessor}")),
            None => names::referrers(kind, attr.target.span()),
        };
        if by.is_none() {
            self.ctxt().error(
                &attr.target,
                format!(
                    "`{kind}` does not form the name of a method: write `{}`",
                    with_accessor(attr, "objects")
                ),
            );
        }
        by
    }

    /// Returns the fields that name the related objects.
    fn named(&self, attr: &RelationAttr) -> Option<Named> {
        // All paths are checked before the first wrong one ends the relation.
        let name = attr.path.as_ref().map(|path| self.text(attr, path, "name"));
        let [namespace, kind] = [(&attr.namespace, "namespace"), (&attr.kind, "kind")]
            .map(|(path, part)| path.as_ref().map(|path| self.text(attr, path, part)));
        Some(Named::new(
            name.flatten()?,
            namespace.flatten(),
            kind.flatten(),
        ))
    }

    /// Returns the way to a string that is the name, the namespace or the kind of related objects.
    fn text(&self, attr: &RelationAttr, path: &PathAttr, part: &str) -> Option<Walk> {
        let spelling = match (attr.path.as_ref()?, path) {
            (PathAttr::Json(_), PathAttr::Rust(_)) => Some("with quotes and the names in JSON"),
            (PathAttr::Rust(_), PathAttr::Json(_)) => {
                Some("without quotes, with the names in Rust")
            }
            _ => None,
        };
        if let Some(spelling) = spelling {
            let message = format!(
                "all paths of a reference have the same spelling: write this one {spelling} too"
            );
            self.ctxt().error(path, message);
            return None;
        }
        let Found { steps, ty, .. } = self.resolver.find(path).ok()?;
        let is_text =
            |ty: &Type| Argument::of(ty) != Argument::Copy && value::unindexable(ty).is_none();
        match ty.filter(|ty| !is_text(ty)) {
            Some(ty) => {
                let (target, ty) = (type_text(&attr.target), type_text(&ty));
                let message = format!(
                    "the {part} of a `{target}` is a string, but this path ends at a value of \
                     type `{ty}`: write the path of a string"
                );
                self.ctxt().error(path, message);
                None
            }
            None => Some(Walk::Steps(steps)),
        }
    }

    /// Returns the way to the selectors.
    fn selectors(&self, attr: &RelationAttr) -> Option<Walk> {
        let path = attr.path.as_ref()?;
        let Found { steps, ty, .. } = self.resolver.find(path).ok()?;
        let is_scalar = |ty: &Type| Argument::of(ty) != Argument::Ref || value::is_text(ty);
        let wrong = match (ty, steps.first()) {
            (_, Some(Step::Metadata)) => Some("a field of the metadata".to_owned()),
            (Some(ty), _) if is_scalar(&ty) => {
                Some(format!("a value of type `{}`", type_text(&ty)))
            }
            _ => None,
        };
        match wrong {
            Some(wrong) => {
                let message = format!(
                    "objects are selected by a `LabelSelector` or a map of labels, but this path \
                     ends at {wrong}: write the path of a selector"
                );
                self.ctxt().error(path, message);
                None
            }
            None => Some(Walk::Steps(steps)),
        }
    }

    fn ctxt(&self) -> &Ctxt {
        self.resolver.ctxt
    }
}

// === impl Taken ===

impl<'a> Taken<'a> {
    fn new(ctxt: &'a Ctxt, indices: &[Index]) -> Self {
        let indices = indices.iter();
        Self {
            ctxt,
            lister: indices
                .map(|index| (index.accessor.to_string(), index.span))
                .collect(),
            related: BTreeMap::new(),
        }
    }

    /// Adds the names of `relation`. Reports a name that is taken, and returns `false`.
    fn add(&mut self, attr: &RelationAttr, relation: &Relation) -> bool {
        let by = match &relation.over {
            Over::Owner => None,
            Over::Names { by, .. } | Over::Selectors { by, .. } => Some(by.to_string()),
        };
        let accessor = relation.accessor.unraw();
        let related = [accessor.to_string(), format!("{accessor}_of")];
        if let Some((reason, first)) = self.conflict(by.as_deref(), &related) {
            // The name of a wrong relation may follow from its mistake, which has been reported.
            if !is_wrong(relation) {
                let form = with_accessor(attr, &format!("other_{accessor}"));
                let message = format!("{reason}: choose another accessor, as in `{form}`");
                match first {
                    Some(first) => {
                        let note = "the first one is here";
                        self.ctxt.conflict(relation.span, message, first, note);
                    }
                    None => self.ctxt.error_at(relation.span, message),
                }
            }
            return false;
        }
        self.lister.extend(by.map(|by| (by, relation.span)));
        self.related
            .extend(related.map(|name| (name, relation.span)));
        true
    }

    /// Returns the error of the first name that is taken, and the position of the name's
    /// declaration.
    fn conflict(&self, by: Option<&str>, related: &[String]) -> Option<(String, Option<Span>)> {
        if let Some(by) = by {
            if names::is_lister_method(by) {
                let reason = format!("`{by}` is a method of every lister or snapshot");
                return Some((reason, None));
            }
            if let Some(first) = self.lister.get(by) {
                let reason = format!("the lister has the method `{by}` already");
                return Some((reason, Some(*first)));
            }
        }
        related.iter().find_map(|name| {
            if names::is_related_method(name) {
                let reason = format!("`{name}` is a member of every struct of relations");
                return Some((reason, None));
            }
            let first = self.related.get(name)?;
            let reason = format!("two relations have the method `{name}`");
            Some((reason, Some(*first)))
        })
    }
}

/// Reports whether a relation has no fields, because all of them are wrong.
fn is_wrong(relation: &Relation) -> bool {
    match &relation.over {
        Over::Owner => false,
        Over::Names { fields, .. } => fields.is_empty(),
        Over::Selectors { paths, .. } => paths.is_empty(),
    }
}

/// Returns the last word of the name of a type.
fn kind(target: &TypePath) -> String {
    let last = target.path.segments.last();
    last.map(|last| last.ident.unraw().to_string())
        .unwrap_or_default()
}

/// Returns the form of a relation with the accessor `accessor`.
fn with_accessor(attr: &RelationAttr, accessor: &str) -> String {
    let (verb, target) = (attr.verb.key(), type_text(&attr.target));
    let path = match attr.verb {
        Verb::Owns => "",
        Verb::References | Verb::Selects => "path = .., ",
    };
    format!("{verb}({target}({path}accessor = \"{accessor}\"))")
}

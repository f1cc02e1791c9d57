//! Checks the names and paths of relations, and unites those of several places.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::Type;
use syn::ext::IdentExt;

use super::resolver::{Purpose, RelatedType, ResolvedPath, Resolver, find};
use super::{name, value};
use crate::ctxt::Ctxt;
use crate::declaration::path::Written;
use crate::declaration::relation::RelationAttr;
use crate::emit::type_text;
use crate::ir::{Argument, Index, Named, Over, Relation, Scope, Step, Verb, Walk};
use crate::names;

/// Checks each relation. The result includes wrong relations, without fields.
pub(super) fn check(
    resolver: &dyn Resolver,
    attrs: &[RelationAttr],
    indices: &[Index],
) -> Vec<Relation> {
    let checker = Checker { resolver };
    let mut taken = Taken::new(resolver, indices);
    let mut all: Vec<Relation> = Vec::new();
    for attr in attrs {
        let Some(relation) = checker.relation(attr) else {
            continue;
        };
        // The lister has one method for each selector, so that the selectors of an object can be
        // told apart. Two selectors are one relation only if they share a declared accessor.
        let unites = attr.verb != Verb::Selects || attr.accessor.is_some();
        let same = all.iter_mut().find(|other| is_same(other, &relation));
        match same.filter(|_| unites) {
            Some(first) => unite(resolver.ctxt(), first, relation),
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
    resolver: &'a dyn Resolver,
}

/// Names of the emitted methods, with the positions of their declarations.
struct Taken<'a> {
    resolver: &'a dyn Resolver,
    /// Methods of the lister.
    lister: BTreeMap<String, Span>,
    /// Methods of the struct with all relations.
    related: BTreeMap<String, Span>,
}

// === impl Checker ===

impl Checker<'_> {
    fn relation(&self, attr: &RelationAttr) -> Option<Relation> {
        let related = self.resolver.target(&attr.target, attr.verb.form()).ok();
        if let Some(related) = &related {
            self.check_scopes(attr, related);
        }
        let kind = attr.target.kind();
        let declared = match &attr.accessor {
            Some(name) => name::accessor(self.ctxt(), name),
            None => None,
        };
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
        // The paths of a relation with a malformed accessor are checked all the same.
        if attr.accessor.is_some() && declared.is_none() {
            return None;
        }
        Some(Relation {
            accessor: declared.unwrap_or_else(|| names::related(&kind, attr.target.span())),
            span: attr.span(),
            target: related?.ty,
            over,
        })
    }

    /// Reports relations that the API rules out.
    fn check_scopes(&self, attr: &RelationAttr, related: &RelatedType) {
        use Scope::{Cluster, Namespaced};

        let target = attr.target.text();
        let scopes = (self.resolver.scope(), related.scope);
        let message = match (attr.verb, scopes, &attr.namespace) {
            (Verb::Owns, (Some(Namespaced), Some(Cluster)), _) => format!(
                "`{target}` is cluster-scoped, so a namespaced object cannot own such objects: \
                 remove it"
            ),
            (Verb::References, (Some(Cluster), Some(Namespaced)), None) => format!(
                "`{target}` is namespaced, but the objects that refer to it are cluster-scoped: \
                 add the path of the namespace, as in \
                 `references({target}(path = .., namespace = ..))`"
            ),
            (Verb::References, (_, Some(Cluster)), Some(_)) => format!(
                "`{target}` is cluster-scoped, so its names have no namespace: remove `namespace`"
            ),
            _ => return,
        };
        self.ctxt().error(&attr.target, message);
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
        let way_to_name = self.text(attr, attr.path.as_ref(), "name");
        let namespace = self.text(attr, attr.namespace.as_ref(), "namespace");
        let kind = self.text(attr, attr.kind.as_ref(), "kind");
        let name = way_to_name?;
        let form = std::mem::discriminant(&name);
        let is_mixed = [&namespace, &kind]
            .into_iter()
            .flatten()
            .any(|way| std::mem::discriminant(way) != form);
        if is_mixed {
            self.ctxt().error(
                &attr.path,
                "the name is in the metadata and its namespace or kind in another field, or the \
                 reverse, which the objects of a kind without a Rust type do not support",
            );
            return None;
        }
        Some(Named::new(name, namespace, kind))
    }

    /// Returns the way to a string that is the name, the namespace or the kind of related objects.
    fn text(&self, attr: &RelationAttr, given: Option<&Written>, part: &str) -> Option<Walk> {
        let path = given?;
        let spelling = match (attr.path.as_ref()?.is_json(), path.is_json()) {
            (true, false) => Some("with quotes and the names in JSON"),
            (false, true) => Some("without quotes, with the names in Rust"),
            _ => None,
        };
        if let Some(spelling) = spelling {
            let message = format!(
                "all paths of a reference have the same spelling: write this one {spelling} too"
            );
            self.ctxt().error(path, message);
            return None;
        }
        let ResolvedPath { walk, ty, .. } = find(self.resolver, path, Purpose::Name).ok()?;
        let is_text =
            |ty: &Type| Argument::of(ty) != Argument::Copy && value::unindexable(ty).is_none();
        if let Some(ty) = ty
            && !is_text(&ty)
        {
            let message = format!(
                "the {part} of a `{}` is a string, but this path ends at a value of type `{}`: \
                 write the path of a string",
                attr.target.text(),
                type_text(&ty)
            );
            self.ctxt().error(path, message);
            return None;
        }
        Some(walk)
    }

    /// Returns the way to the selectors.
    fn selectors(&self, attr: &RelationAttr) -> Option<Walk> {
        let path = attr.path.as_ref()?;
        let ResolvedPath { walk, ty, .. } = find(self.resolver, path, Purpose::Selector).ok()?;
        let first = match &walk {
            Walk::Steps(steps) => steps.first(),
            Walk::Members(_) => None,
        };
        let is_scalar = |ty: &Type| Argument::of(ty) != Argument::Ref || value::is_text(ty);
        let wrong = match (ty, first) {
            (_, Some(Step::Metadata)) => Some("a field of the metadata".to_owned()),
            (Some(ty), _) if is_scalar(&ty) => {
                Some(format!("a value of type `{}`", type_text(&ty)))
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            let message = format!(
                "objects are selected by a `LabelSelector` or a map of labels, but this path ends \
                 at {wrong}: write the path of a selector"
            );
            self.ctxt().error(path, message);
            return None;
        }
        Some(walk)
    }

    fn ctxt(&self) -> &Ctxt {
        self.resolver.ctxt()
    }
}

// === impl Taken ===

impl<'a> Taken<'a> {
    fn new(resolver: &'a dyn Resolver, indices: &[Index]) -> Self {
        Self {
            resolver,
            lister: indices
                .iter()
                .map(|index| (index.accessor.to_string(), index.span))
                .collect(),
            related: BTreeMap::new(),
        }
    }

    /// Adds the names of `relation`. Reports a name that is taken, and returns `false`.
    fn add(&mut self, attr: &RelationAttr, relation: &Relation) -> bool {
        let method = relation.by().map(ToString::to_string);
        let accessor = relation.accessor.unraw();
        let related = [accessor.to_string(), format!("{accessor}_of")];
        let Some((reason, first)) = self.conflict(method.as_deref(), &related) else {
            self.lister.extend(method.map(|name| (name, relation.span)));
            self.related
                .extend(related.map(|name| (name, relation.span)));
            return true;
        };
        // The name of a wrong relation may follow from its mistake, which has been reported.
        if !is_wrong(relation) {
            let ctxt = self.resolver.ctxt();
            let form = with_accessor(attr, &format!("other_{accessor}"));
            let message = format!("{reason}: choose another accessor, as in `{form}`");
            match first {
                Some(first) => {
                    ctxt.conflict(relation.span, message, first, "the first one is here");
                }
                None => ctxt.error_at(relation.span, message),
            }
        }
        false
    }

    /// Returns the error of the first name that is taken, and the position of the name's
    /// declaration.
    fn conflict(&self, by: Option<&str>, related: &[String]) -> Option<(String, Option<Span>)> {
        if let Some(by) = by {
            if names::is_lister_method(by) {
                let reason = format!("`{by}` is a method of informers, listers or snapshots");
                return Some((reason, None));
            }
            if let Some(first) = self.lister.get(by) {
                let reason = format!("the lister has the method `{by}` already");
                return Some((reason, Some(*first)));
            }
        }
        if !self.resolver.has_related() {
            return None;
        }
        for name in related {
            if names::is_related_method(name) {
                let reason = format!("`{name}` is a member of every struct of relations");
                return Some((reason, None));
            }
            if let Some(first) = self.related.get(name) {
                let reason = format!("two relations have the method `{name}`");
                return Some((reason, Some(*first)));
            }
        }
        None
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

/// Returns the form of a relation with the accessor `accessor`.
fn with_accessor(attr: &RelationAttr, accessor: &str) -> String {
    let verb = attr.verb.key();
    let target = attr.target.text();
    let path = match attr.verb {
        Verb::Owns => "",
        Verb::References | Verb::Selects => "path = .., ",
    };
    format!("{verb}({target}({path}accessor = \"{accessor}\"))")
}

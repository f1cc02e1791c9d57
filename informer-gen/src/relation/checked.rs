//! Checks relations and resolves their names, types and paths.

use informer_codegen::emit::type_text;
use informer_codegen::ir::{self, Named, Over, Step, Walk};
use informer_codegen::names;
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::parse_quote;

use super::{Relation, Verb};
use crate::emit::pod_spec;
use crate::error::{Error, Errors};
use crate::fields::{self, Purpose};
use crate::ir::{Resource, Scope};
use crate::targets::{Target, Targets};

/// Checks relations of `resource`. Unites those to one target under one accessor.
///
/// A lister has one method for each selector, so that the selectors of an object can be told apart.
/// Two selectors are one relation only if they share a declared accessor.
pub(crate) fn checked<'r>(
    relations: impl IntoIterator<Item = &'r Relation>,
    resource: &Resource,
    targets: &Targets<'_>,
    errors: &mut Errors,
) -> Vec<ir::Relation> {
    let mut all: Vec<ir::Relation> = Vec::new();
    for declared in relations {
        let Some(relation) = errors.keep(resolved(declared, resource, targets)) else {
            continue;
        };
        let unites = declared.verb != Verb::Selects || declared.accessor.is_some();
        let same = all.iter_mut().find(|other| is_same(other, &relation));
        match same.filter(|_| unites) {
            Some(other) => unite(&mut other.over, relation.over),
            None => all.push(relation),
        }
    }
    all
}

/// Returns a relation with a single path.
fn resolved(
    relation: &Relation,
    resource: &Resource,
    targets: &Targets<'_>,
) -> Result<ir::Relation, Error> {
    let target = targets.find(relation.verb.option(), &relation.target, resource)?;
    check_scopes(relation, resource, &target)?;
    let names = Names::new(relation, &target)?;
    let over = match relation.verb {
        Verb::Owns => Over::Owner,
        Verb::References => Over::Names {
            by: names.by()?,
            fields: vec![named(relation, &names.accessor, resource, targets)?],
        },
        Verb::Selects => Over::Selectors {
            by: names.selecting(),
            paths: vec![walk(relation, relation.path()?, resource, targets)?],
        },
    };
    let path = &target.path;
    Ok(ir::Relation {
        accessor: names.accessor,
        span: Span::call_site(),
        target: parse_quote!(#path),
        over,
    })
}

/// Rejects relations that the API rules out.
fn check_scopes(relation: &Relation, resource: &Resource, target: &Target) -> Result<(), Error> {
    use Scope::{Cluster, Namespaced};

    let refuse = |reason| Err(relation.verb.option().refuse(&relation.target, reason));
    let kind = &resource.gvk;
    let scopes = (resource.scope, target.scope);
    match (relation.verb, scopes, relation.namespace.is_some()) {
        (Verb::Owns, (Namespaced, Some(Cluster)), _) => refuse(format!(
            "is cluster-scoped, and `{kind}` is namespaced, so it cannot own such objects"
        )),
        (Verb::References, (Cluster, Some(Namespaced)), false) => refuse(format!(
            "is namespaced, but `{kind}` is cluster-scoped: add the path to the namespace, as in \
             `.namespace(\"{0}\")`, `namespace = \"{0}\"`, `namespace={0}`",
            relation.sibling("namespace")
        )),
        (Verb::References, (_, Some(Cluster)), true) => refuse(
            "is cluster-scoped, so its names have no namespace: remove `namespace`".to_owned(),
        ),
        _ => Ok(()),
    }
}

/// Resolves the fields of a place that names a related object.
fn named(
    relation: &Relation,
    accessor: &Ident,
    resource: &Resource,
    targets: &Targets<'_>,
) -> Result<Named, Error> {
    let walk = |path: &str| walk(relation, path, resource, targets);
    let mut name = walk(relation.path()?)?;
    if let (Walk::Steps(steps), true) = (&mut name, relation.in_pod_spec) {
        steps.push(Step::With(pod_spec::names_of(accessor)));
    }
    let namespace = relation.namespace.as_deref().map(walk).transpose()?;
    let kind = relation.kind.as_deref().map(walk).transpose()?;
    check_roots(relation, &name, namespace.as_ref(), kind.as_ref())?;
    Ok(Named::new(name, namespace, kind))
}

/// Rejects paths that begin partly in the metadata and partly in other fields of an object without
/// a Rust type, because one walk cannot lead to both.
fn check_roots(
    relation: &Relation,
    name: &Walk,
    namespace: Option<&Walk>,
    kind: Option<&Walk>,
) -> Result<(), Error> {
    let form = std::mem::discriminant(name);
    let mut others = [namespace, kind].into_iter().flatten();
    if others.all(|other| std::mem::discriminant(other) == form) {
        return Ok(());
    }
    let reason = "has its name in the metadata and its namespace or kind in another field, or the \
                  reverse, which the objects of a kind without a Rust type do not support";
    Err(relation.verb.option().refuse(&relation.target, reason))
}

fn walk(
    relation: &Relation,
    path: &str,
    resource: &Resource,
    targets: &Targets<'_>,
) -> Result<Walk, Error> {
    let purpose = match relation.verb {
        Verb::Owns | Verb::References => Purpose::Name,
        Verb::Selects => Purpose::Selector,
    };
    Ok(fields::find(path, relation.spelling, resource, targets, purpose)?.walk)
}

fn is_same(one: &ir::Relation, other: &ir::Relation) -> bool {
    let verb = |relation: &ir::Relation| std::mem::discriminant(&relation.over);
    verb(one) == verb(other)
        && one.accessor == other.accessor
        && type_text(&one.target) == type_text(&other.target)
}

/// Adds the paths of `other`.
fn unite(over: &mut Over, other: Over) {
    fn add<T: PartialEq>(all: &mut Vec<T>, others: Vec<T>) {
        for other in others {
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    match (over, other) {
        (Over::Names { fields, .. }, Over::Names { fields: others, .. }) => add(fields, others),
        (Over::Selectors { paths, .. }, Over::Selectors { paths: others, .. }) => {
            add(paths, others);
        }
        _ => {}
    }
}

/// Names of a relation.
struct Names<'r> {
    relation: &'r Relation,
    accessor: Ident,
    /// Name of the type of the related objects.
    target: String,
}

// === impl Names ===

impl<'r> Names<'r> {
    fn new(relation: &'r Relation, target: &Target) -> Result<Self, Error> {
        let option = relation.verb.option();
        let last = target.path.segments.last();
        let name = last.map(|last| last.ident.to_string()).unwrap_or_default();
        let target = name.trim_start_matches("r#").to_owned();
        let accessor = match &relation.accessor {
            None => names::related(&target, Span::call_site()),
            Some(given) => syn::parse_str(given)
                .map_err(|_| option.refuse(given, "is not a Rust identifier"))?,
        };
        if names::is_related_method(&accessor.to_string()) {
            let reason = "is a name of every struct of relations; set another `accessor`";
            return Err(option.refuse(accessor.to_string(), reason));
        }
        Ok(Self {
            relation,
            accessor,
            target,
        })
    }

    /// Returns the method of the lister that returns the objects with a name.
    fn by(&self) -> Result<Ident, Error> {
        let option = self.relation.verb.option();
        let refuse = |reason| option.refuse(&self.relation.target, reason);
        let by = match &self.relation.accessor {
            Some(_) => Some(format_ident!("by_{}", self.accessor)),
            None => names::referrers(&self.target, Span::call_site()),
        };
        let by = by.ok_or_else(|| refuse("does not form the name of a method; set `accessor`"))?;
        if names::is_lister_method(&by.to_string()) {
            let reason = "is already a method of every lister; set another `accessor`";
            return Err(option.refuse(by.to_string(), reason));
        }
        Ok(by)
    }

    /// Returns the method of the lister that returns the objects with a matching selector.
    fn selecting(&self) -> Ident {
        match &self.relation.accessor {
            Some(_) => format_ident!("selecting_{}", self.accessor),
            None => format_ident!("selecting"),
        }
    }
}

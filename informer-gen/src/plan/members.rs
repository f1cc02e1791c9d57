//! Members of the lister of a kind: indices and relations.

use informer_codegen::ir::{self, Over};
use proc_macro2::Ident;
use quote::format_ident;

use super::claims::Claims;
use super::options::Options;
use super::party;
use crate::error::Errors;
use crate::index::{checked, is_same, order};
use crate::input::builtin;
use crate::ir::Resource;
use crate::relation;

pub(super) struct Members {
    /// Sorted by name.
    pub(super) indices: Vec<ir::Index>,
    pub(super) relations: Vec<ir::Relation>,
}

// === impl Members ===

impl Members {
    /// Checks the indices and relations of a kind. A name with two meanings is an error.
    pub(super) fn new(resource: &Resource, options: &Options<'_>, errors: &mut Errors) -> Self {
        let indices = indices(resource, options, errors);
        let relations = relations(resource, options, errors);
        let of = party(resource);
        // The key of a method reports whether a relation has it.
        let mut methods = Claims::new();
        let mut names = Claims::new();
        let mut related = Claims::new();
        for index in &indices {
            let owner = format!("index `{}` of {of}", index.name);
            methods.claim("the accessor", &index.accessor, owner.clone(), false);
            names.claim("the index", &index.name, owner, ());
        }
        for relation in &relations {
            let owner = relation::shown(relation, &of);
            if let Some(method) = method(relation) {
                methods.claim("the accessor", method, owner.clone(), true);
            }
            if resource.has_related() {
                let of = format_ident!("{}_of", relation.accessor);
                related.claim("the method", &relation.accessor, owner.clone(), ());
                related.claim("the method", &of, owner, ());
            }
        }
        methods.report(errors, |_, are_relations| {
            let ways = [
                (false, "Index::named(..) / name=.."),
                (true, ".accessor(..) / accessor=.."),
            ];
            let ways = ways
                .into_iter()
                .filter(|(is, _)| are_relations.contains(is));
            let ways: Vec<&str> = ways.map(|(_, way)| way).collect();
            format!("name one of them with {}", ways.join(", or with "))
        });
        names.report(errors, |_, _| "remove one of them".to_owned());
        related.report(errors, |_, _| {
            "name one of them with .accessor(..) / accessor=..".to_owned()
        });
        Self { indices, relations }
    }
}

/// Returns the indices of a kind, without repetitions.
fn indices(resource: &Resource, options: &Options<'_>, errors: &mut Errors) -> Vec<ir::Index> {
    let given = options.indices.get(&resource.gvk).into_iter().flatten();
    let mut all: Vec<ir::Index> = given
        .filter_map(|index| {
            errors.keep(checked(index, resource, &options.targets, &options.runtime))
        })
        .collect();
    all.sort_by(|one, other| order(one).cmp(&order(other)));
    all.dedup_by(|one, other| is_same(one, other));
    all
}

/// Returns the relations of a kind: those of the API, if the kind is built in, and the declared.
fn relations(resource: &Resource, options: &Options<'_>, errors: &mut Errors) -> Vec<ir::Relation> {
    let targets = &options.targets;
    let built_in = if targets.is_built_in(resource) {
        builtin::relations(&resource.gvk)
    } else {
        Vec::new()
    };
    let declared = options.relations.get(&resource.gvk).into_iter().flatten();
    relation::checked(built_in.iter().chain(declared), resource, targets, errors)
}

/// Returns the method of the lister.
fn method(relation: &ir::Relation) -> Option<&Ident> {
    match &relation.over {
        Over::Owner => None,
        Over::Names { by, .. } | Over::Selectors { by, .. } => Some(by),
    }
}

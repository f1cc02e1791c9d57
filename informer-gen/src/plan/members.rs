//! Names, indices and relations that a kind declares.

use informer_codegen::check;
use informer_codegen::ctxt::Ctxt;
use informer_codegen::ir::{Index, Relation, Selectable};
use proc_macro2::Ident;

use super::options::Options;
use crate::declared;
use crate::error::Errors;
use crate::input::builtin;
use crate::ir::{Origin, Resource};
use crate::resolver::KindResolver;

/// Checked declaration of a kind.
pub(super) struct Members {
    pub(super) accessor: Option<Ident>,
    pub(super) prefix: Option<String>,
    pub(super) selectable: Vec<Selectable>,
    /// Sorted by name.
    pub(super) indices: Vec<Index>,
    pub(super) relations: Vec<Relation>,
}

// === impl Members ===

impl Members {
    /// Checks the declaration of a kind, which `party` names in errors.
    pub(super) fn new(
        resource: &Resource,
        options: &Options<'_>,
        party: &str,
        errors: &mut Errors,
    ) -> Self {
        let ctxt = Ctxt::default();
        let text = if options.targets.is_built_in(resource) {
            builtin::declaration(&resource.gvk)
        } else {
            String::new()
        };
        let declaration = options.declaration(resource, &text, &ctxt, errors);
        declared::refuse_keys(&declaration, &ctxt);
        if let Some(span) = declaration.of.first
            && !matches!(resource.origin, Origin::Manifest(_))
        {
            let message = "only the type of a kind of a manifest can be declared: remove `of`";
            ctxt.error_at(span, message);
        }
        let objects = KindResolver {
            ctxt: &ctxt,
            resource,
            targets: &options.targets,
        };
        let mut indices = check::indices(&objects, &declaration, &options.runtime);
        let relations = check::relations(&objects, &declaration, &indices);
        indices.sort_by_cached_key(|index| (index.name.clone(), index.accessor.to_string()));
        let accessor = declaration.accessor.value.as_ref();
        let prefix = declaration.prefix.value.as_ref();
        let members = Self {
            accessor: accessor.and_then(|name| check::accessor(&ctxt, name)),
            prefix: prefix.and_then(|name| check::prefix(&ctxt, name)),
            selectable: check::selectable::check(&ctxt, &declaration.selectable),
            indices,
            relations,
        };
        declared::report(ctxt, party, errors);
        members
    }
}

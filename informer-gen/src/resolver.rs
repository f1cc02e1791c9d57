//! Resolves the paths and the related kinds of a declaration for a kind of the inputs.
//!
//! # Invariants
//!
//! The mapping from JSON names to Rust fields is known for the types of k8s-openapi, which follow
//! one rule, and for generated types. For other types serde's attributes decide, which the
//! generator cannot see, so only Rust spelling leads into them. The objects of a kind without a
//! Rust type are JSON, and support JSON spelling only. If a manifest has a schema, paths are
//! checked against it.

mod schema;

use informer_codegen::check::resolver::{
    Purpose, RelatedType, ResolvedPath, Resolver, SchemaValues, Wrong, unseen,
};
use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::path::Written;
use informer_codegen::declaration::target::NamedType;
use informer_codegen::ir::{Step, Walk};
use informer_codegen::names;
use informer_codegen::path::{Canonical, Segment};
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Path, Type, parse_quote};

use crate::gvk::Scope;
use crate::input::builtin;
use crate::ir::Resource;
use crate::paths;
use crate::targets::Targets;

/// Objects of one kind.
pub(crate) struct KindResolver<'a> {
    pub(crate) ctxt: &'a Ctxt,
    pub(crate) resource: &'a Resource,
    pub(crate) targets: &'a Targets<'a>,
}

// === impl KindResolver ===

impl Resolver for KindResolver<'_> {
    fn ctxt(&self) -> &Ctxt {
        self.ctxt
    }

    fn resolve(
        &self,
        path: &Written,
        segments: &[Segment],
        purpose: Purpose,
    ) -> Result<ResolvedPath, Wrong> {
        self.report(path, self.find(path, segments, purpose))
    }

    fn target(&self, target: &NamedType, _: &str) -> Result<RelatedType, Wrong> {
        self.report(target, self.targets.find(target, self.resource))
    }

    fn function(&self, function: &Path) -> Result<Path, Wrong> {
        let checked =
            paths::check_absolute(function).map_err(|reason| format!("the path {reason}"));
        self.report(function, checked)?;
        Ok(function.clone())
    }

    fn scope(&self) -> Option<Scope> {
        Some(self.resource.scope)
    }

    fn has_related(&self) -> bool {
        self.resource.has_related()
    }
}

impl KindResolver<'_> {
    /// Reports the reason of a failure at the place of `tokens`.
    fn report<T>(&self, tokens: impl ToTokens, result: Result<T, String>) -> Result<T, Wrong> {
        result.map_err(|reason| {
            self.ctxt.error(tokens, reason);
            Wrong
        })
    }

    fn find(
        &self,
        path: &Written,
        segments: &[Segment],
        purpose: Purpose,
    ) -> Result<ResolvedPath, String> {
        let resource = self.resource;
        if resource.dynamic && !path.is_json() {
            return Err(
                "the kind has no Rust type: write the path in quotes, with the names in JSON"
                    .to_owned(),
            );
        }
        let values = match &resource.schema {
            Some(schema) => schema::check(schema, segments, path.spelling, purpose)?,
            None if resource.dynamic => {
                return Err(
                    "the kind has neither a Rust type nor a schema to check the path: use only \
                     labels, annotations and other metadata"
                        .to_owned(),
                );
            }
            None => None,
        };
        if resource.dynamic {
            let names = segments.iter().map(|segment| segment.text().to_owned());
            return Ok(ResolvedPath {
                walk: Walk::Members(names.collect()),
                ty: values.and_then(SchemaValues::rust_type).map(scalar),
                json: None,
                is_json: true,
                values,
            });
        }
        if let Some(types) = &resource.manifest.types
            && path.is_json()
        {
            let found = types.find(&resource.gvk.kind, segments, purpose)?;
            return Ok(ResolvedPath {
                walk: Walk::Steps(found.steps),
                ty: found.value,
                json: None,
                is_json: true,
                values: Some(SchemaValues::Exactly),
            });
        }
        let steps = match in_pod_spec(resource, path, segments, purpose) {
            Some(to_names) => to_names,
            None if path.is_json() && !self.targets.is_built_in(resource) => {
                return Err(unknown(segments, &paths::display(&resource.rust_type)));
            }
            None => unseen(path, segments, false),
        };
        Ok(ResolvedPath {
            values,
            ..ResolvedPath::unseen(path, steps)
        })
    }
}

/// Returns the steps to the names of related objects in a `PodSpec`, which a path with a key such
/// as `spec['secrets']` stands for.
fn in_pod_spec(
    resource: &Resource,
    path: &Written,
    segments: &[Segment],
    purpose: Purpose,
) -> Option<Vec<Step>> {
    let [pod_spec @ .., Segment::Key(names)] = segments else {
        return None;
    };
    let place = builtin::pod_spec_of(&resource.gvk)?;
    if purpose != Purpose::Name || Canonical(pod_spec).to_string() != place {
        return None;
    }
    let mut steps = unseen(path, pod_spec, false);
    steps.push(Step::With(names_in_pod_spec(&names.text)));
    Some(steps)
}

/// Module with the functions that return the names in a `PodSpec`, in the root.
pub(crate) const POD_SPEC: &str = "pod_spec";

/// Returns the path of such a function, from the module of a version.
fn names_in_pod_spec(accessor: &str) -> Vec<Ident> {
    ["super", "super", POD_SPEC, accessor]
        .map(|word| Ident::new(word, Span::call_site()))
        .to_vec()
}

/// Returns the error for a JSON path into `rust_type`, with the Rust path to use instead.
fn unknown(segments: &[Segment], rust_type: &str) -> String {
    let mut fields = segments.to_vec();
    for segment in &mut fields {
        if let Segment::Field(name) = segment {
            name.text = names::api_field(&name.text);
        }
    }
    let rust_path = Canonical(&fields).to_string().replace('\'', "\"");
    format!(
        "serde's names for the fields of `{rust_type}` are unknown: write the path without quotes, \
         with the names of the Rust fields, as in `{rust_path}`"
    )
}

fn scalar(name: &str) -> Type {
    let ident = names::identifier(name, Span::call_site());
    parse_quote!(#ident)
}

//! Emits the functions that return the names of other objects in a `PodSpec`.
//!
//! Many kinds have a `PodSpec`, and a `PodSpec` names other objects in many places. rustc compiles
//! the walk to each place once, and not once for each kind.

use informer_codegen::check::resolver::unseen;
use informer_codegen::declaration::path::Written;
use informer_codegen::doc::Doc;
use informer_codegen::ir::{Over, Relation, Step, Walk};
use informer_codegen::path::{self, Spelling};
use informer_codegen::{emit, names};
use proc_macro2::Span;
use quote::{format_ident, quote};
use syn::LitStr;

use super::context::{Context, attributes};
use super::text::Text;
use crate::error::{OptionName, Result};
use crate::input::builtin;
use crate::plan::Plan;
use crate::resolver::POD_SPEC;

/// Returns the module, if a kind of the plan needs it.
pub(super) fn module(plan: &Plan<'_>, context: &Context) -> Result<Option<Text>> {
    let groups = plan.groups.iter();
    let versions = groups.flat_map(|group| &group.versions);
    let mut kinds = versions.flat_map(|version| &version.kinds);
    if !kinds.any(|kind| kind.relations.iter().any(is_shared)) {
        return Ok(None);
    }
    let k8s_openapi = &context.k8s_openapi;
    let mut texts = vec![Text::items(&quote! {
        type Spec = #k8s_openapi::api::core::v1::PodSpec;
        type Names = ::std::vec::Vec<::std::string::String>;

        // The loop needs no trait, so that no prelude has to be in scope.
        #[inline]
        fn all(spec: &Spec, places: &[fn(&Spec) -> Names]) -> Names {
            let mut all = Names::new();
            for names in places {
                all.append(&mut names(spec));
            }
            all
        }
    })?];
    for (kind, paths) in builtin::pod_spec() {
        texts.push(function(&kind.kind, &paths, context)?);
    }
    let module = format_ident!("{POD_SPEC}");
    let attributes = attributes();
    let head = quote! {
        /// Names of other objects in a `PodSpec`.
        #attributes
        mod #module
    };
    Ok(Some(Text::block(&head, &texts)?))
}

/// Reports whether the fields of a relation are in a `PodSpec`.
fn is_shared(relation: &Relation) -> bool {
    let Over::Names { fields, .. } = &relation.over else {
        return false;
    };
    fields.iter().any(|field| match &field.name {
        Walk::Steps(steps) => matches!(steps.last(), Some(Step::With(_))),
        Walk::Members(_) => false,
    })
}

/// Returns the function that returns the names of the objects of a kind.
fn function(target: &str, paths: &[&str], context: &Context) -> Result<Text> {
    let accessor = names::related(target, Span::call_site());
    let mut places = Vec::new();
    for path in paths {
        let segments = path::parse(path, Spelling::Json)
            .map_err(|error| OptionName::KIND.refuse(*path, error.to_string()))?;
        let written = Written::json((*path).to_owned(), &LitStr::new(path, Span::call_site()));
        let steps = unseen(&written, &segments, false);
        places.push(emit::path(&context.runtime, &steps, Span::call_site()));
    }
    let docs = Doc::new(&format!(
        "Returns the names of objects of the kind `{target}`."
    ));
    Text::items(&quote! {
        #docs
        #[inline]
        pub(super) fn #accessor(spec: &Spec) -> Names {
            all(spec, &[#(#places),*])
        }
    })
}

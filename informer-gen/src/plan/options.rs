//! Options of single groups and kinds.

use std::collections::HashMap;

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use proc_macro2::Ident;

use crate::config::{Config, KindOf, Pair, Tool};
use crate::error::{Errors, OptionName, Result};
use crate::gvk::Gvk;
use crate::ir::Resource;
use crate::targets::{GroupNames, Targets};
use crate::{declared, paths, suggest};

/// Parsed and checked options.
pub(super) struct Options<'a> {
    /// Declarations of each kind, in order.
    pub(super) declared: HashMap<Gvk, Vec<&'a KindOf>>,
    pub(super) targets: Targets<'a>,
    pub(super) runtime: syn::Path,
    /// Front end to propose settings for.
    pub(super) tool: Tool,
}

// === impl Options ===

impl<'a> Options<'a> {
    /// Parses the options of `config`. Adds an error for each option about an unknown kind.
    pub(super) fn new(
        config: &'a Config,
        resources: &'a [Resource],
        errors: &mut Errors,
    ) -> Result<Self> {
        let group_names = GroupNames {
            given: given_names(&config.declared.group_name, resources, errors),
            is_full: config.declared.full_group_names,
        };
        let mut declared: HashMap<Gvk, Vec<&KindOf>> = HashMap::new();
        for given in &config.declared.kind {
            let known = resources.iter().map(Resource::names);
            let unknown = "is not among the kinds to generate";
            match suggest::find(&given.kind, known, unknown) {
                Ok(gvk) => declared.entry(gvk).or_default().push(given),
                Err(reason) => errors.add(OptionName::KIND.refuse(&given.kind, reason)),
            }
        }
        Ok(Self {
            declared,
            targets: Targets {
                generated: resources,
                groups: group_names,
                k8s_openapi: paths::absolute(config.k8s_openapi(), OptionName::K8S_OPENAPI_PATH)?,
            },
            runtime: paths::absolute(config.runtime(), OptionName::RUNTIME_PATH)?,
            tool: config.tool(),
        })
    }

    /// Returns the declaration of a kind in addition to `text`, which the kind has without options.
    pub(super) fn declaration(
        &self,
        resource: &Resource,
        text: &str,
        ctxt: &Ctxt,
        errors: &mut Errors,
    ) -> Declaration {
        let mut all = Declaration::default();
        let own = KindOf::new(&resource.gvk.to_string(), text);
        errors.keep(declared::read(&own, &mut all, ctxt));
        if let Some(declarations) = self.declared.get(&resource.gvk) {
            for given in declarations {
                errors.keep(declared::read(given, &mut all, ctxt));
            }
        }
        all
    }
}

/// Returns the configured names of groups. Adds an error for each unknown group, and for each name
/// that is not an identifier.
fn given_names(
    pairs: &[Pair],
    resources: &[Resource],
    errors: &mut Errors,
) -> HashMap<String, Ident> {
    let option = OptionName::GROUP_NAME;
    let mut names = HashMap::new();
    for Pair { key: group, value } in pairs {
        let known = || resources.iter().map(|resource| &resource.gvk.group);
        if !known().any(|known| known == group) {
            let suggestion = suggest::nearest(group, known().cloned());
            let reason = format!("is not a group of a kind to generate{suggestion}");
            errors.add(option.refuse(group, reason));
        } else if let Ok(name) = syn::parse_str(value) {
            names.insert(group.clone(), name);
        } else {
            errors.add(option.refuse(value, "is not a Rust identifier"));
        }
    }
    names
}

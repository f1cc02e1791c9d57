//! Options of single groups and kinds.

use std::collections::HashMap;

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use proc_macro2::Ident;

use crate::config::{Config, KindOf, Pair, Tool};
use crate::error::{Error, Errors, OptionName};
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
    ) -> Result<Self, Error> {
        let groups = GroupNames {
            given: groups(&config.declared.group_name, resources, errors),
            is_full: config.declared.full_group_names,
        };
        let mut declared: HashMap<Gvk, Vec<&KindOf>> = HashMap::new();
        for given in &config.declared.kind {
            let known = resources.iter().map(Resource::names);
            let unknown = "is not among the kinds to generate";
            let found = suggest::find(&given.kind, known, unknown);
            let found = found.map_err(|reason| OptionName::KIND.refuse(&given.kind, reason));
            if let Some(gvk) = errors.keep(found) {
                declared.entry(gvk).or_default().push(given);
            }
        }
        Ok(Self {
            declared,
            targets: Targets {
                generated: resources,
                groups,
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
        text: String,
        ctxt: &Ctxt,
        errors: &mut Errors,
    ) -> Declaration {
        let mut all = Declaration::default();
        let own = KindOf {
            kind: resource.gvk.to_string(),
            declaration: text,
        };
        errors.keep(declared::read(&own, &mut all, ctxt));
        for given in self.declared.get(&resource.gvk).into_iter().flatten() {
            errors.keep(declared::read(given, &mut all, ctxt));
        }
        all
    }
}

fn groups(pairs: &[Pair], known: &[Resource], errors: &mut Errors) -> HashMap<String, Ident> {
    let mut groups = HashMap::new();
    for pair in pairs {
        let known_groups = || known.iter().map(|resource| resource.gvk.group.clone());
        if !known_groups().any(|group| group == pair.key) {
            let suggestion = suggest::nearest(&pair.key, known_groups());
            let reason = format!("is not a group of a kind to generate{suggestion}");
            errors.add(OptionName::GROUP_NAME.refuse(&pair.key, reason));
        } else if let Some(name) = errors.keep(given_name(OptionName::GROUP_NAME, &pair.value)) {
            groups.insert(pair.key.clone(), name);
        }
    }
    groups
}

fn given_name(option: OptionName, name: &str) -> Result<Ident, Error> {
    syn::parse_str(name).map_err(|_| option.refuse(name, "is not a Rust identifier"))
}

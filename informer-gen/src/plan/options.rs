//! Options of single groups and kinds.

use std::collections::HashMap;

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use proc_macro2::Ident;

use crate::config::{Config, KindOf, Pair, Tool};
use crate::error::{Error, Errors, OptionName};
use crate::gvk::Gvk;
use crate::ir::Resource;
use crate::targets::Targets;
use crate::{declared, paths, suggest};

/// Parsed and checked options.
pub(super) struct Options<'a> {
    pub(super) groups: HashMap<String, Ident>,
    /// Declarations of each kind, in order.
    pub(super) declared: HashMap<Gvk, Vec<&'a KindOf>>,
    pub(super) targets: Targets<'a>,
    pub(super) runtime: syn::Path,
    /// Front end to propose settings for.
    pub(super) tool: Tool,
}

/// Kinds to generate, for names in options.
struct Known<'a>(&'a [Resource]);

// === impl Options ===

impl<'a> Options<'a> {
    /// Parses the options of `config`. Adds an error for each option about an unknown kind.
    pub(super) fn new(
        config: &'a Config,
        resources: &'a [Resource],
        errors: &mut Errors,
    ) -> Result<Self, Error> {
        let known = Known(resources);
        let groups = groups(&config.declared.group_name, &known, errors);
        let mut declared: HashMap<Gvk, Vec<&KindOf>> = HashMap::new();
        for given in &config.declared.kind {
            if let Some(gvk) = errors.keep(known.find(OptionName::Kind, &given.kind)) {
                declared.entry(gvk).or_default().push(given);
            }
        }
        Ok(Self {
            declared,
            targets: Targets {
                generated: resources,
                groups: groups.clone(),
                k8s_openapi: paths::absolute(config.k8s_openapi(), OptionName::K8sOpenapiPath)?,
            },
            runtime: paths::absolute(config.runtime(), OptionName::RuntimePath)?,
            groups,
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

fn groups(pairs: &[Pair], known: &Known<'_>, errors: &mut Errors) -> HashMap<String, Ident> {
    let mut groups = HashMap::new();
    for pair in pairs {
        let known_groups = || known.0.iter().map(|resource| resource.gvk.group.clone());
        if !known_groups().any(|group| group == pair.key) {
            let suggestion = suggest::nearest(&pair.key, known_groups());
            let reason = format!("is not a group of a kind to generate{suggestion}");
            errors.add(OptionName::GroupName.refuse(&pair.key, reason));
        } else if let Some(name) = errors.keep(given_name(OptionName::GroupName, &pair.value)) {
            groups.insert(pair.key.clone(), name);
        }
    }
    groups
}

fn given_name(option: OptionName, name: &str) -> Result<Ident, Error> {
    syn::parse_str(name).map_err(|_| option.refuse(name, "is not a Rust identifier"))
}

// === impl Known ===

impl Known<'_> {
    /// Returns the kind that `option` names: `Foo`, if only one kind has the name, or
    /// `example.com/v1/Foo`.
    fn find(&self, option: OptionName, name: &str) -> Result<Gvk, Error> {
        let gvks = || self.0.iter().map(|resource| &resource.gvk);
        if let Some(gvk) = Gvk::parse(name) {
            if gvks().any(|known| *known == gvk) {
                return Ok(gvk);
            }
            let suggestion = suggest::kind(&gvk, gvks());
            let reason = format!("is not among the kinds to generate{suggestion}");
            return Err(option.refuse(gvk, reason));
        }
        let namesakes: Vec<&Gvk> = gvks().filter(|gvk| gvk.kind == name).collect();
        match namesakes.as_slice() {
            [only] => Ok((*only).clone()),
            [] => {
                let known = self.0.iter();
                let known = known.map(|known| (known.gvk.clone(), Some(known.plural.as_str())));
                let suggestion = suggest::kind_or_plural(name, known);
                let reason = format!("is not among the kinds to generate{suggestion}");
                Err(option.refuse(name, reason))
            }
            several => {
                let names: Vec<String> = several.iter().map(|gvk| format!("`{gvk}`")).collect();
                let reason = format!("is ambiguous, write one of: {}", names.join(", "));
                Err(option.refuse(name, reason))
            }
        }
    }
}

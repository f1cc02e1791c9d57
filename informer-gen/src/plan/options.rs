//! The options that speak of single groups and kinds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::Ident;

use crate::config::{Config, Pair};
use crate::error::{Error, OptionName};
use crate::index::{self, Index, Owners};
use crate::ir::{Gvk, Resource};
use crate::{paths, suggest};

/// The options, read and checked.
pub(super) struct Options<'a> {
    pub(super) groups: HashMap<String, Ident>,
    pub(super) accessors: HashMap<Gvk, Ident>,
    pub(super) indices: BTreeMap<Gvk, Vec<Index>>,
    pub(super) owners: Owners<'a>,
    pub(super) runtime: syn::Path,
}

impl<'a> Options<'a> {
    pub(super) fn new(config: &Config, resources: &'a [Resource]) -> Result<Self, Error> {
        let known: BTreeSet<&Gvk> = resources.iter().map(|resource| &resource.gvk).collect();
        let indices = index::by_kind(config)?;
        for gvk in indices.keys() {
            check_known(OptionName::Index, gvk, &known)?;
        }
        let groups = groups(&config.group_name, &known)?;
        Ok(Self {
            accessors: accessors(&config.accessor, &known)?,
            indices,
            owners: Owners {
                generated: resources,
                groups: groups.clone(),
                k8s_openapi: paths::absolute(config.k8s_openapi(), OptionName::K8sOpenapiPath)?,
            },
            runtime: paths::absolute(config.runtime(), OptionName::RuntimePath)?,
            groups,
        })
    }
}

fn groups(pairs: &[Pair], known: &BTreeSet<&Gvk>) -> Result<HashMap<String, Ident>, Error> {
    let mut groups = HashMap::new();
    for pair in pairs {
        if !known.iter().any(|gvk| gvk.group == pair.key) {
            let known = known.iter().map(|gvk| gvk.group.clone());
            let suggestion = suggest::nearest(&pair.key, known);
            let reason = format!("is not a group of a kind to generate{suggestion}");
            return Err(OptionName::GroupName.refuse(&pair.key, reason));
        }
        groups.insert(
            pair.key.clone(),
            given_name(OptionName::GroupName, &pair.value)?,
        );
    }
    Ok(groups)
}

fn accessors(pairs: &[Pair], known: &BTreeSet<&Gvk>) -> Result<HashMap<Gvk, Ident>, Error> {
    let mut accessors = HashMap::new();
    for pair in pairs {
        let gvk = Gvk::parse(&pair.key).ok_or_else(|| {
            OptionName::Accessor.refuse(&pair.key, "is not a kind such as `apps/v1/Deployment`")
        })?;
        check_known(OptionName::Accessor, &gvk, known)?;
        accessors.insert(gvk, given_name(OptionName::Accessor, &pair.value)?);
    }
    Ok(accessors)
}

fn given_name(option: OptionName, name: &str) -> Result<Ident, Error> {
    syn::parse_str(name).map_err(|_| option.refuse(name, "is not a Rust identifier"))
}

fn check_known(option: OptionName, gvk: &Gvk, known: &BTreeSet<&Gvk>) -> Result<(), Error> {
    if known.contains(gvk) {
        return Ok(());
    }
    Err(Error::NotSelected {
        option,
        gvk: gvk.clone(),
        suggestion: suggest::kind(gvk, known.iter().copied()),
    })
}

//! Options of single groups and kinds.

use std::collections::{BTreeMap, HashMap};

use informer_codegen::names;
use proc_macro2::Ident;

use crate::config::{Config, IndexOf, Pair, RelationOf, Tool};
use crate::error::{Error, Errors, OptionName};
use crate::index::Index;
use crate::ir::{Gvk, Resource};
use crate::relation::{Declaration, Relation};
use crate::targets::Targets;
use crate::{paths, suggest};

/// Parsed and checked options.
pub(super) struct Options<'a> {
    pub(super) groups: HashMap<String, Ident>,
    pub(super) accessors: HashMap<Gvk, Ident>,
    pub(super) prefixes: HashMap<Gvk, String>,
    pub(super) indices: BTreeMap<Gvk, Vec<Index>>,
    pub(super) relations: BTreeMap<Gvk, Vec<Relation>>,
    pub(super) targets: Targets<'a>,
    pub(super) runtime: syn::Path,
    /// Front end to propose settings for.
    pub(super) tool: Tool,
}

/// Kinds to generate, for names in options.
struct Known<'a>(&'a [Resource]);

impl<'a> Options<'a> {
    /// Parses the options of `config`. Adds an error for each option about an unknown kind.
    pub(super) fn new(
        config: &Config,
        resources: &'a [Resource],
        errors: &mut Errors,
    ) -> Result<Self, Error> {
        let known = Known(resources);
        let groups = groups(&config.group_name, &known, errors);
        Ok(Self {
            accessors: named(
                OptionName::Accessor,
                &config.accessor,
                &known,
                given_name,
                errors,
            ),
            prefixes: named(
                OptionName::Prefix,
                &config.prefix,
                &known,
                given_prefix,
                errors,
            ),
            indices: indices(&config.index, &known, errors),
            relations: relations(config, &known, errors),
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

/// Parses the values that `option` sets for single kinds, with `read`.
fn named<T>(
    option: OptionName,
    pairs: &[Pair],
    known: &Known<'_>,
    read: fn(OptionName, &str) -> Result<T, Error>,
    errors: &mut Errors,
) -> HashMap<Gvk, T> {
    let pairs = pairs.iter().filter_map(|pair| {
        let gvk = errors.keep(known.find(option, &pair.key));
        let value = errors.keep(read(option, &pair.value));
        Some((gvk?, value?))
    });
    pairs.collect()
}

/// Returns all indices by kind, without repetitions.
fn indices(given: &[IndexOf], known: &Known<'_>, errors: &mut Errors) -> BTreeMap<Gvk, Vec<Index>> {
    let mut indices: BTreeMap<Gvk, Vec<Index>> = BTreeMap::new();
    for given in given {
        if let Some(gvk) = errors.keep(known.find(OptionName::Index, &given.kind)) {
            let of_kind = indices.entry(gvk).or_default();
            if !of_kind.contains(&given.index) {
                of_kind.push(given.index.clone());
            }
        }
    }
    indices
}

/// Returns all declared relations by kind, without repetitions.
fn relations(
    config: &Config,
    known: &Known<'_>,
    errors: &mut Errors,
) -> BTreeMap<Gvk, Vec<Relation>> {
    fn each<T: Declaration>(given: &[RelationOf<T>]) -> impl Iterator<Item = (&str, &Relation)> {
        let given = given.iter();
        given.map(|given| (given.kind.as_str(), given.relation.relation()))
    }
    let given = each(&config.owns).chain(each(&config.references));
    let mut relations: BTreeMap<Gvk, Vec<Relation>> = BTreeMap::new();
    for (kind, relation) in given.chain(each(&config.selects)) {
        if let Some(gvk) = errors.keep(known.find(relation.verb.option(), kind)) {
            let of_kind = relations.entry(gvk).or_default();
            if !of_kind.contains(relation) {
                of_kind.push(relation.clone());
            }
        }
    }
    relations
}

fn given_name(option: OptionName, name: &str) -> Result<Ident, Error> {
    syn::parse_str(name).map_err(|_| option.refuse(name, "is not a Rust identifier"))
}

fn given_prefix(option: OptionName, prefix: &str) -> Result<String, Error> {
    if names::is_type_name(prefix) && names::stem(prefix) == prefix {
        return Ok(prefix.to_owned());
    }
    Err(option.refuse(
        prefix,
        "is not a prefix of Rust type names, such as `MyFoo`",
    ))
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
            return Err(Error::NotSelected {
                option,
                suggestion: suggest::kind(&gvk, gvks()),
                gvk,
            });
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

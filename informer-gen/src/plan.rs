//! What will be written: groups, versions and kinds in order, with all their Rust names.
//!
//! Every name is claimed before it is used, so that two that collide are an error which names both
//! sides, and no rustc error in generated code.

mod claims;
mod options;

use std::collections::{BTreeMap, HashMap};

use informer_codegen::emit::Names;
use informer_codegen::{ir, names};
use proc_macro2::{Ident, Span};

use self::claims::Claims;
use self::options::Options;
use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::index::{checked, is_same, order};
use crate::ir::{Gate, Gvk, Resource};
use crate::{naming, paths};

/// The content of the generated module.
pub(crate) struct Plan<'a> {
    /// By the name of the group.
    pub(crate) groups: Vec<Group<'a>>,
}

pub(crate) struct Group<'a> {
    /// As in the API; empty for the core group.
    pub(crate) name: &'a str,
    /// Module and accessor.
    pub(crate) ident: Ident,
    /// Newest and most stable first.
    pub(crate) versions: Vec<Version<'a>>,
}

pub(crate) struct Version<'a> {
    pub(crate) name: &'a str,
    /// Module and accessor.
    pub(crate) ident: Ident,
    /// By name.
    pub(crate) kinds: Vec<Kind<'a>>,
}

pub(crate) struct Kind<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) accessor: Ident,
    /// What the names of the wrappers begin with.
    pub(crate) stem: String,
    /// By name.
    pub(crate) indices: Vec<ir::Index>,
}

// === impl Plan ===

impl<'a> Plan<'a> {
    pub(crate) fn new(config: &Config, resources: &'a [Resource]) -> Result<Self, Error> {
        check_identities(resources)?;
        let options = Options::new(config, resources)?;
        let mut groups: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
        for resource in resources {
            groups
                .entry(&resource.gvk.group)
                .or_default()
                .push(resource);
        }
        let mut claims = Claims::new(format!("{} tells them apart", OptionName::GroupName));
        let groups = groups
            .into_iter()
            .map(|(name, members)| {
                let group = Group::new(name, &members, &options)?;
                claims.claim("the module", &group.ident, format!("group {}", shown(name)))?;
                Ok(group)
            })
            .collect::<Result<_, Error>>()?;
        Ok(Self { groups })
    }
}

/// A kind is defined once, and a type is of one kind.
fn check_identities(resources: &[Resource]) -> Result<(), Error> {
    let mut kinds: HashMap<&Gvk, &Resource> = HashMap::new();
    let mut types: HashMap<String, &Resource> = HashMap::new();
    let mut claims = Claims::new("the API has one kind for each".to_owned());
    for resource in resources {
        let gvk = &resource.gvk;
        let name = format!("{}/{}", gvk.group_version(), resource.plural);
        let is_repeated = kinds.contains_key(gvk);
        if !is_repeated {
            claims.claim_text("the resource", &name, party(resource))?;
        }
        if let Some(before) = kinds.insert(&resource.gvk, resource) {
            return Err(Error::Duplicate {
                gvk: resource.gvk.clone(),
                first: before.origin.to_string(),
                second: resource.origin.to_string(),
            });
        }
        // Each type that is written has a module of its own.
        if resource.dynamic || resource.manifest.types.is_some() {
            continue;
        }
        let rust_type = paths::display(&resource.rust_type);
        if let Some(before) = types.insert(rust_type.clone(), resource) {
            return Err(Error::SharedType {
                first: party(before),
                second: party(resource),
                rust_type,
            });
        }
    }
    Ok(())
}

// === impl Group ===

impl<'a> Group<'a> {
    fn new(name: &'a str, members: &[&'a Resource], options: &Options<'_>) -> Result<Self, Error> {
        let ident = match options.groups.get(name) {
            Some(given) => given.clone(),
            None => names::group(name),
        };
        if names::is_maker_method(&ident.to_string()) {
            return Err(Error::ReservedGroup {
                group: name.to_owned(),
                name: ident.to_string(),
            });
        }
        let mut versions: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
        for &member in members {
            versions
                .entry(&member.gvk.version)
                .or_default()
                .push(member);
        }
        let mut claims = Claims::new("rename one of them".to_owned());
        let mut versions = versions
            .into_iter()
            .map(|(version, members)| {
                let version = Version::new(version, members, options)?;
                let party = format!("version `{}` of group {}", version.name, shown(name));
                claims.claim("the module", &version.ident, party)?;
                Ok(version)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        versions.sort_by_cached_key(|version| naming::version_order(version.name));
        Ok(Self {
            name,
            ident,
            versions,
        })
    }

    /// When there is any kind of it.
    pub(crate) fn gate(&self) -> Gate {
        let kinds = self.versions.iter().flat_map(|version| &version.kinds);
        Gate::union(kinds.map(|kind| &kind.resource.gate))
    }
}

// === impl Version ===

impl<'a> Version<'a> {
    fn new(
        name: &'a str,
        mut members: Vec<&'a Resource>,
        options: &Options<'_>,
    ) -> Result<Self, Error> {
        members.sort_by_key(|member| &member.gvk.kind);
        let mut accessors = Claims::new(format!("{} tells them apart", OptionName::Accessor));
        let mut types = Claims::new(format!("{} tells them apart", OptionName::CrdType));
        let kinds = members
            .into_iter()
            .map(|member| {
                let kind = Kind::new(member, options)?;
                let owner = party(member);
                accessors.claim("the accessor", &kind.accessor, owner.clone())?;
                for name in kind.type_names() {
                    types.claim("the type", &name, owner.clone())?;
                }
                if member.manifest.types.is_some() {
                    let module = crate::types::module(&member.gvk.kind);
                    types.claim("the module", &module, owner)?;
                }
                Ok(kind)
            })
            .collect::<Result<_, Error>>()?;
        Ok(Self {
            name,
            ident: names::version(name),
            kinds,
        })
    }

    /// When there is any kind of it.
    pub(crate) fn gate(&self) -> Gate {
        Gate::union(self.kinds.iter().map(|kind| &kind.resource.gate))
    }
}

// === impl Kind ===

impl<'a> Kind<'a> {
    fn new(resource: &'a Resource, options: &Options<'_>) -> Result<Self, Error> {
        let gvk = &resource.gvk;
        let accessor = match options.accessors.get(gvk) {
            Some(given) => given.clone(),
            None => names::accessor(&gvk.kind, &resource.plural, Span::call_site()),
        };
        let type_name = match resource.rust_type.segments.last() {
            Some(last) if !resource.dynamic => last.ident.to_string(),
            _ => gvk.kind.replace('-', "_"),
        };
        Ok(Self {
            resource,
            accessor,
            stem: names::stem(&type_name),
            indices: indices(resource, options)?,
        })
    }

    /// Informer and lister; what goes with indices has their names and more.
    pub(crate) fn type_names(&self) -> [Ident; 2] {
        let names = Names::of(&self.stem);
        [names.informer, names.lister]
    }

    pub(crate) fn rust_type(&self) -> String {
        paths::display(&self.resource.rust_type)
    }
}

/// The indices of a kind: each once, and none that would hide another.
fn indices(resource: &Resource, options: &Options<'_>) -> Result<Vec<ir::Index>, Error> {
    let given = options.indices.get(&resource.gvk).into_iter().flatten();
    let mut all = given
        .map(|index| checked(index, resource, &options.owners, &options.runtime))
        .collect::<Result<Vec<_>, Error>>()?;
    all.sort_by(|one, other| order(one).cmp(&order(other)));
    all.dedup_by(|one, other| is_same(one, other));
    let help = || "Index::named(..) / name=.. tells them apart".to_owned();
    let mut accessors = Claims::new(help());
    let mut claims = Claims::new("one of them is enough".to_owned());
    for index in &all {
        let owner = format!("index `{}` of {}", index.name, party(resource));
        accessors.claim("the accessor", &index.accessor, owner.clone())?;
        claims.claim_text("the index", &index.name, owner)?;
    }
    Ok(all)
}

/// A kind and where it comes from, for messages.
fn party(resource: &Resource) -> String {
    format!("`{}` ({})", resource.gvk, resource.origin)
}

fn shown(group: &str) -> String {
    if group.is_empty() {
        "core".to_owned()
    } else {
        format!("`{group}`")
    }
}

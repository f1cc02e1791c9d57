//! Plan of the output: groups, versions and kinds in order, with all their Rust names.
//!
//! Every name is claimed before use. A collision is an error that names both parties, instead of a
//! rustc error in generated code.

mod claims;
mod members;
mod options;
mod proposals;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use informer_codegen::emit::WrapperNames;
use informer_codegen::names::{api, kopium};
use informer_codegen::{ir, names};
use proc_macro2::{Ident, Span};

use self::claims::Claims;
use self::members::Members;
use self::options::Options;
use crate::config::{Config, DYNAMIC, KindOf};
use crate::error::{Error, Errors, OptionName, Result};
use crate::gvk::Gvk;
use crate::ir::{Resource, VersionGate};
use crate::paths;

/// Number of ambiguous names of groups that a user resolves one by one.
const FEW: usize = 3;

/// Contents of the generated module.
pub(crate) struct Plan<'a> {
    /// Sorted by name.
    pub(crate) groups: Vec<Group<'a>>,
}

pub(crate) struct Group<'a> {
    /// Name in the API. Empty for the core group.
    pub(crate) name: &'a str,
    /// Name of the module and accessor.
    pub(crate) ident: Ident,
    /// Newest and most stable version first.
    pub(crate) versions: Vec<Version<'a>>,
}

pub(crate) struct Version<'a> {
    pub(crate) name: &'a str,
    /// Name of the module and accessor.
    pub(crate) ident: Ident,
    /// Sorted by name.
    pub(crate) kinds: Vec<Kind<'a>>,
}

pub(crate) struct Kind<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) accessor: Ident,
    /// Prefix of the names of the wrappers.
    pub(crate) stem: String,
    pub(crate) selectable: Vec<ir::Selectable>,
    /// Sorted by name.
    pub(crate) indices: Vec<ir::Index>,
    pub(crate) relations: Vec<ir::Relation>,
    /// Name by which the module of the version imports the type of the objects. `None` if another item
    /// of the module has the name, or if the type is in this module.
    pub(crate) import: Option<Ident>,
}

/// Name of the struct whose methods are the accessors of a group or a version.
pub(crate) const INTERFACE: &str = "Interface";

// === impl Plan ===

impl<'a> Plan<'a> {
    pub(crate) fn new(config: &'a Config, resources: &'a [Resource]) -> Result<Self> {
        check_identities(resources)?;
        let mut errors = Errors::default();
        let options = Options::new(config, resources, &mut errors)?;
        let mut groups: Vec<Group<'a>> = Vec::new();
        let mut modules = Claims::new();
        for (name, members) in grouped(resources, |gvk| &gvk.group) {
            let group = Group::new(name, members, &options, &mut errors);
            let owner = format!("group {}", shown(name));
            modules.claim("the module", &group.ident, owner, name);
            groups.push(group);
        }
        let collisions = modules.collisions();
        if collisions > FEW && !options.targets.groups.is_full {
            errors.add(Error::collision(format!(
                "{collisions} names of groups are ambiguous: name all groups after all their labels \
                 with {}, or resolve them one by one",
                OptionName::FULL_GROUP_NAMES
            )));
        }
        modules.report(&mut errors, |name, keys| {
            let mut taken = BTreeSet::new();
            for group in &groups {
                taken.insert(group.ident.to_string());
            }
            taken.remove(name);
            let proposed = proposals::groups(keys, &taken);
            apart(&options.tool.groups(&proposed))
        });
        errors.finish()?;
        Ok(Self { groups })
    }

    /// Adds the collisions of names among `resources`. Other errors may be due to kinds that could
    /// not be read, and are ignored.
    pub(crate) fn check_names(config: &'a Config, resources: &'a [Resource], errors: &mut Errors) {
        let mut found = Errors::default();
        found.keep(Self::new(config, resources));
        errors.add_collisions(found);
    }
}

/// Returns the advice with the settings that resolve a collision, ready to paste.
fn apart(settings: &str) -> String {
    format!("tell them apart with{settings}")
}

/// Groups resources by a part of the names of their kinds.
fn grouped<'a>(
    resources: impl IntoIterator<Item = &'a Resource>,
    part: impl Fn(&'a Gvk) -> &'a str,
) -> BTreeMap<&'a str, Vec<&'a Resource>> {
    let mut groups: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
    for resource in resources {
        groups
            .entry(part(&resource.gvk))
            .or_default()
            .push(resource);
    }
    groups
}

/// Checks that each kind is defined once, and that each type belongs to one kind.
fn check_identities(resources: &[Resource]) -> Result<()> {
    let mut errors = Errors::default();
    let mut kinds: HashMap<&Gvk, &Resource> = HashMap::new();
    let mut types: HashMap<String, &Resource> = HashMap::new();
    let mut plurals = Claims::new();
    for resource in resources {
        let gvk = &resource.gvk;
        if let Some(before) = kinds.insert(gvk, resource) {
            errors.add(Error::duplicate(
                gvk,
                &before.origin,
                &resource.origin,
                "each has its own type",
            ));
            continue;
        }
        let name = format!("{}/{}", gvk.group_version(), resource.plural);
        plurals.claim("the resource", &name, party(resource), ());
        // Each generated type has its own module.
        if resource.dynamic || resource.manifest.types.is_some() {
            continue;
        }
        let rust_type = paths::display(&resource.rust_type);
        if let Some(before) = types.insert(rust_type.clone(), resource) {
            errors.add(Error::new(format!(
                "{} and {} both have the Rust type `{rust_type}`; declare another type of one of \
                 them with {}, as in `of = crate::api::Foo`",
                party(before),
                party(resource),
                OptionName::KIND
            )));
        }
    }
    plurals.report(&mut errors, |_, _| {
        "a resource of the API has one kind".to_owned()
    });
    errors.finish()
}

// === impl Group ===

impl<'a> Group<'a> {
    fn new(
        name: &'a str,
        members: Vec<&'a Resource>,
        options: &Options<'_>,
        errors: &mut Errors,
    ) -> Self {
        let ident = options.targets.groups.of(name);
        if names::is_maker_method(&ident.to_string()) {
            let proposed = proposals::groups(&[name], &BTreeSet::new());
            errors.add(Error::collision(format!(
                "group `{name}` would get the accessor `factory.{ident}()`, which is already a \
                 method of the factory; name the group with{}",
                options.tool.groups(&proposed)
            )));
        }
        let mut versions: Vec<Version<'a>> = Vec::new();
        let mut modules = Claims::new();
        for (version_name, kinds) in grouped(members, |gvk| &gvk.version) {
            let version = Version::new(version_name, kinds, options, errors);
            let owner = format!("version `{version_name}` of group {}", shown(name));
            modules.claim("the module", &version.ident, owner, ());
            versions.push(version);
        }
        modules.report(errors, |_, _| "rename one of them".to_owned());
        versions.sort_by_cached_key(|version| api::version_order(version.name));
        Self {
            name,
            ident,
            versions,
        }
    }

    /// Returns the gate that is open if any kind of the group exists.
    pub(crate) fn gate(&self) -> VersionGate {
        let kinds = self.versions.iter().flat_map(|version| &version.kinds);
        VersionGate::union(kinds.map(|kind| &kind.resource.gate))
    }
}

// === impl Version ===

impl<'a> Version<'a> {
    fn new(
        name: &'a str,
        mut members: Vec<&'a Resource>,
        options: &Options<'_>,
        errors: &mut Errors,
    ) -> Self {
        members.sort_by_key(|member| &member.gvk.kind);
        let mut kinds: Vec<Kind<'a>> = Vec::new();
        let mut accessors = Claims::new();
        let mut types = Claims::new();
        let mut modules = Claims::new();
        for member in members {
            let kind = Kind::new(member, options, errors);
            let owner = party(member);
            let key = member.gvk.to_string();
            accessors.claim("the accessor", &kind.accessor, owner.clone(), key.clone());
            // The names of all wrappers differ if their prefixes do.
            types.claim("the type", &kind.informer(), owner.clone(), key.clone());
            if member.manifest.types.is_some() {
                let types_module = kopium::module(&member.gvk.kind);
                modules.claim("the module", &types_module, owner, key);
            }
            kinds.push(kind);
        }
        accessors.report(errors, |name, keys| {
            let declarations = proposals::numbered("accessor", name, keys, "_");
            apart(&options.tool.kinds(&declarations))
        });
        types.report(errors, |name, keys| {
            let named = kinds.iter().find(|kind| kind.informer() == *name);
            let stem = named.map_or("", |kind| &kind.stem);
            let declarations = proposals::numbered("prefix", stem, keys, "");
            apart(&options.tool.kinds(&declarations))
        });
        modules.report(errors, |_, keys| {
            let untyped = format!("of = {DYNAMIC}");
            let mut declarations = Vec::new();
            for kind in keys.iter().skip(1) {
                declarations.push(KindOf::new(kind, &untyped));
            }
            apart(&options.tool.kinds(&declarations))
        });
        import_types(&mut kinds);
        Self {
            name,
            ident: names::version(name),
            kinds,
        }
    }

    /// Returns the gate that is open if any kind of the version exists.
    pub(crate) fn gate(&self) -> VersionGate {
        VersionGate::union(self.kinds.iter().map(|kind| &kind.resource.gate))
    }
}

// === impl Kind ===

impl<'a> Kind<'a> {
    fn new(resource: &'a Resource, options: &Options<'_>, errors: &mut Errors) -> Self {
        let members = Members::new(resource, options, &party(resource), errors);
        let default_accessor =
            || names::accessor(&resource.gvk.kind, &resource.plural, Span::call_site());
        Self {
            resource,
            accessor: members.accessor.unwrap_or_else(default_accessor),
            stem: members.prefix.unwrap_or_else(|| default_stem(resource)),
            selectable: members.selectable,
            indices: members.indices,
            relations: members.relations,
            import: None,
        }
    }

    /// Returns the name of the informer.
    pub(crate) fn informer(&self) -> Ident {
        WrapperNames::of(&self.stem).informer
    }

    pub(crate) fn rust_type(&self) -> String {
        paths::display(&self.resource.rust_type)
    }
}

/// Imports the types of the objects whose names no other item of the module of a version has.
fn import_types(kinds: &mut [Kind<'_>]) {
    let mut uses: HashMap<Ident, usize> = HashMap::new();
    for kind in &*kinds {
        let wrappers = WrapperNames::of(&kind.stem);
        let last = kind.resource.rust_type.segments.last();
        for name in wrappers
            .all()
            .into_iter()
            .chain(last.map(|last| &last.ident))
        {
            *uses.entry(name.clone()).or_default() += 1;
        }
    }
    for kind in kinds {
        let path = &kind.resource.rust_type;
        let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
            continue;
        };
        let is_absolute = path.leading_colon.is_some() || first.ident == "crate";
        let is_free = uses.get(&last.ident) == Some(&1) && last.ident != INTERFACE;
        if is_absolute && is_free && !kind.resource.dynamic {
            kind.import = Some(last.ident.clone());
        }
    }
}

/// Returns the prefix of the wrappers of a kind: the name of its type, or the kind.
fn default_stem(resource: &Resource) -> String {
    match resource.rust_type.segments.last() {
        Some(last) if !resource.dynamic => names::stem(&last.ident.to_string()),
        _ => names::stem(&resource.gvk.kind.replace('-', "_")),
    }
}

/// Formats a kind and its origin for messages.
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

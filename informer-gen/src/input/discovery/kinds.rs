//! Adds kinds from discovery documents.

use std::collections::{BTreeMap, BTreeSet};

use super::{Entry, served};
use crate::config::{Config, Manifests};
use crate::error::{Error, Location, OptionName};
use crate::input::types::{Held, Module, Types};
use crate::input::{Loaded, builtin, rules};
use crate::ir::{Gate, Gvk, Manifest, Origin, Resource, Skipped};
use crate::paths;

/// Converts served kinds into resources.
pub(super) struct Kinds<'a> {
    config: &'a Config,
    types: &'a Types,
    k8s_openapi: syn::Path,
    /// Groups to include. Empty means all.
    groups: BTreeSet<&'a str>,
    /// Groups of `groups` that are served.
    seen: BTreeSet<&'a str>,
}

// === impl Kinds ===

impl<'a> Kinds<'a> {
    pub(super) fn new(config: &'a Config, types: &'a Types) -> Result<Self, Error> {
        let groups = config.discovery_group.iter().map(String::as_str);
        Ok(Self {
            config,
            types,
            k8s_openapi: paths::absolute(config.k8s_openapi(), OptionName::K8sOpenapiPath)?,
            groups: groups
                .map(|group| if group == "core" { "" } else { group })
                .collect(),
            seen: BTreeSet::new(),
        })
    }

    /// Adds the kinds among `entries` that no other input defines. The entries are from `source`.
    pub(super) fn add(
        &mut self,
        source: &Manifests,
        entries: &[Entry],
        loaded: &mut Loaded,
    ) -> Result<(), Error> {
        let module = Module::new(source.module.as_deref(), OptionName::DiscoveryKinds)?;
        let mut any = false;
        let mut defaulted: BTreeMap<(&str, &str), Vec<&Entry>> = BTreeMap::new();
        let mut missing = Missing::default();
        for entry in entries {
            if !self.takes(entry) {
                continue;
            }
            check_names(entry)?;
            if let Some(reason) = self.types.selection.leaves_out(&entry.gvk) {
                any = true;
                if loaded.resources.iter().all(|known| known.gvk != entry.gvk) {
                    loaded.skip(entry, reason);
                }
                continue;
            }
            let known = loaded.resources.iter().find(|known| known.gvk == entry.gvk);
            if let Some(known) = known {
                any = true;
                served::compare(known, entry)?;
            } else if let Some(reason) = entry.unwatchable() {
                loaded.skip(entry, reason);
            } else if let Some(resource) = self.built_in(entry, loaded) {
                any = true;
                loaded.resources.push(resource);
            } else if !loaded.skipped.iter().any(|known| known.gvk == entry.gvk) {
                any = true;
                match (self.types.get(&entry.gvk), module.type_of(&entry.gvk.kind)) {
                    (Some(Held::Written), _) | (None, Ok(Held::Written)) => {
                        let why = ", because a discovery document has no schema to generate a type from; \
                                   pass the manifest of the kind";
                        missing.add(entry, why.to_owned());
                    }
                    (Some(held), _) | (None, Ok(held @ Held::Dynamically)) => {
                        loaded.resources.push(self.resource(entry, &held));
                    }
                    (None, Ok(held)) => {
                        let kind = (entry.gvk.group.as_str(), entry.gvk.kind.as_str());
                        defaulted.entry(kind).or_default().push(entry);
                        loaded.resources.push(self.resource(entry, &held));
                    }
                    (None, Err(why)) => missing.add(entry, why),
                }
            }
        }
        for versions in defaulted.values().filter(|versions| versions.len() > 1) {
            for entry in versions {
                let why = ", because each served version needs its own type";
                missing.add(entry, why.to_owned());
            }
        }
        if any {
            return missing.report();
        }
        let groups: Vec<&str> = self.groups.iter().copied().collect();
        Err(Error::NothingDiscovered {
            pattern: source.pattern.clone(),
            groups: match groups.as_slice() {
                [] => String::new(),
                groups => format!(" in the groups `{}`", groups.join("`, `")),
            },
        })
    }

    /// Returns an error for a configured group that no document contains.
    pub(super) fn finish(self) -> Result<(), Error> {
        let mut unseen = self.groups.difference(&self.seen);
        match unseen.next() {
            None => Ok(()),
            Some(&group) => {
                let name = if group.is_empty() { "core" } else { group };
                let reason = "is not a group of the discovered kinds";
                Err(OptionName::DiscoveryGroup.refuse(name, reason))
            }
        }
    }

    fn takes(&mut self, entry: &Entry) -> bool {
        let wanted = self.groups.get(entry.gvk.group.as_str());
        self.seen.extend(wanted);
        self.groups.is_empty() || wanted.is_some()
    }

    /// Returns the kind with its own type, if it is built in, and removes it from the skipped
    /// kinds.
    fn built_in(&self, entry: &Entry, loaded: &mut Loaded) -> Option<Resource> {
        let feature = self.config.feature_of(&entry.gvk.version);
        let resource = builtin::find(&entry.gvk, &self.k8s_openapi, feature)?;
        loaded.skipped.retain(|skipped| skipped.gvk != entry.gvk);
        Some(resource)
    }

    fn resource(&self, entry: &Entry, held: &Held) -> Resource {
        Resource {
            gvk: entry.gvk.clone(),
            plural: entry.plural.clone(),
            scope: entry.scope,
            dynamic: held.is_dynamic(),
            rust_type: self.types.path(held),
            gate: Gate::open(),
            deprecated: None,
            origin: Origin::Discovery(entry.at.clone()),
            manifest: Manifest::default(),
            schema: None,
        }
    }
}

/// Checks that names which become Rust names are valid in Kubernetes.
fn check_names(entry: &Entry) -> Result<(), Error> {
    let Gvk {
        group,
        version,
        kind,
    } = &entry.gvk;
    let is_group = group.is_empty() || rules::is_group(group) || rules::is_label(group);
    for (field, value, valid, rule) in [
        ("group", group, is_group, rules::GROUP),
        ("version", version, rules::is_label(version), rules::LABEL),
        ("kind", kind, rules::is_kind(kind), rules::KIND),
        (
            "resource",
            &entry.plural,
            rules::is_label(&entry.plural),
            rules::LABEL,
        ),
    ] {
        if !valid {
            return Err(Error::Field {
                at: entry.at.clone(),
                field: format!("`{field}`"),
                problem: rules::found(rule, value),
            });
        }
    }
    Ok(())
}

/// Kinds without a type, and the reason for the first of them.
#[derive(Default)]
struct Missing {
    first: Option<(Location, String)>,
    gvks: Vec<Gvk>,
}

// === impl Missing ===

impl Missing {
    fn add(&mut self, entry: &Entry, why: String) {
        self.first.get_or_insert_with(|| (entry.at.clone(), why));
        self.gvks.push(entry.gvk.clone());
    }

    fn report(self) -> Result<(), Error> {
        match self.first {
            None => Ok(()),
            Some((at, why)) => Err(Error::NoType {
                at,
                gvks: self.gvks,
                why,
            }),
        }
    }
}

// === impl Loaded ===

impl Loaded {
    /// Records a served kind as skipped, unless another input has recorded it.
    fn skip(&mut self, entry: &Entry, reason: String) {
        if self.skipped.iter().any(|known| known.gvk == entry.gvk) {
            return;
        }
        self.skipped.push(Skipped {
            gvk: entry.gvk.clone(),
            plural: Some(entry.plural.clone()),
            scope: Some(entry.scope),
            origin: Origin::Discovery(entry.at.clone()),
            reason,
        });
    }
}

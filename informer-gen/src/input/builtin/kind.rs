//! Kinds that `k8s-openapi` 0.29 can list, in all of its Kubernetes versions.
//!
//! Each block of `kinds.txt` has a group and version, its module in `k8s-openapi`, and its kinds: the
//! kind, the plural, the scope, and the minor versions of Kubernetes that have the kind, if not all
//! have it (`36-` from 1.36, `-34` up to 1.34), or the reason why it cannot be watched.
//!
//! `tests/catalogue.rs` checks the table against the sources of that crate.

use super::table::blocks;
use crate::gvk::{Gvk, Scope};
use crate::ir::{Manifest, NEWEST_MINOR, OLDEST_MINOR, Origin, Resource, VersionGate};
use crate::paths;
use crate::suggest::KnownKind;

const TABLE: &str = include_str!("kinds.txt");

/// Kind that can be listed.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(super) group: &'static str,
    version: &'static str,
    /// Module path below the root of `k8s-openapi`.
    pub(super) module: &'static str,
    name: &'static str,
    pub(super) plural: &'static str,
    pub(super) scope: Scope,
    pub(super) first_minor: u8,
    pub(super) last_minor: u8,
    /// Reason why the kind cannot be watched, if so.
    pub(super) unwatchable: Option<&'static str>,
}

/// Returns all kinds that can be watched.
pub(crate) fn watchable() -> impl Iterator<Item = Kind> {
    kinds().filter(|kind| kind.unwatchable.is_none())
}

pub(super) fn kinds() -> impl Iterator<Item = Kind> {
    blocks(TABLE).flat_map(|(heading, rows)| {
        let rows = rows.lines();
        rows.filter_map(move |row| Kind::parse(heading, row))
    })
}

// === impl Kind ===

impl Kind {
    /// Parses a row of the table below its heading.
    fn parse(heading: &'static str, row: &'static str) -> Option<Self> {
        let (group_version, module) = heading.split_once(' ')?;
        let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
        let mut words = row.splitn(4, ' ');
        let name = words.next()?;
        let plural = words.next()?;
        let scope = words.next()?;
        let mut kind = Self {
            group,
            version,
            module,
            name,
            plural,
            scope: Scope::new(scope == "namespaced"),
            first_minor: OLDEST_MINOR,
            last_minor: NEWEST_MINOR,
            unwatchable: None,
        };
        let rest = words.next().unwrap_or("-");
        if let Some((first, last)) = rest.split_once('-') {
            kind.first_minor = first.parse().unwrap_or(OLDEST_MINOR);
            kind.last_minor = last.parse().unwrap_or(NEWEST_MINOR);
        } else {
            kind.unwatchable = Some(rest);
        }
        Some(kind)
    }

    pub(crate) fn gvk(&self) -> Gvk {
        Gvk::new(self.group, self.version, self.name)
    }

    /// Returns the kind and its plural.
    pub(crate) fn names<'a>(self) -> KnownKind<'a> {
        (self.gvk(), Some(self.plural))
    }

    pub(super) fn resource(&self, root: &syn::Path, feature: Option<&str>) -> Resource {
        let mut rust_type = root.clone();
        for segment in self.module.split("::").chain([self.name]) {
            paths::push(&mut rust_type, segment);
        }
        Resource {
            gvk: self.gvk(),
            plural: self.plural.to_owned(),
            scope: self.scope,
            rust_type,
            gate: VersionGate::new(self.first_minor, self.last_minor, feature),
            deprecated: None,
            dynamic: false,
            origin: Origin::BuiltIn,
            manifest: Manifest::default(),
            schema: None,
        }
    }
}

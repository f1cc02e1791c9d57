//! What the inputs are turned into: one [`Resource`] per kind to generate for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::error::Location;
use crate::types::Types;
use crate::types::schema::Schema;

/// The oldest Kubernetes minor version that `k8s-openapi` 0.29 can be built for.
pub(crate) const OLDEST_MINOR: u8 = 33;
/// The newest one.
pub(crate) const NEWEST_MINOR: u8 = 37;

/// API group, version and kind: what identifies a kind.
///
/// Printed and parsed as `apps/v1/Deployment`; for the core group, whose name is empty, as
/// `v1/Pod`. `core/v1/Pod` is understood too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gvk {
    /// API group; empty for the core group.
    pub group: String,
    /// API version, such as `v1`.
    pub version: String,
    /// Kind, such as `Deployment`.
    pub kind: String,
}

/// Whether objects of a kind live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One object per cluster and name.
    Cluster,
    /// One object per namespace and name.
    Namespaced,
}

/// Where a resource was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    BuiltIn,
    Manifest(Location),
    /// Rust source.
    Source(Location),
    /// An answer of an API server to discovery.
    Discovery(Location),
}

/// When there is a type: the minor versions of Kubernetes for which `k8s-openapi` has it, each with
/// the Cargo features of which one must be enabled; no feature means that none is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gate(BTreeMap<u8, BTreeSet<String>>);

/// A part of a [`Gate`] that one condition can express, next to what surrounds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The minor versions, if not all that there are here.
    pub(crate) minors: Minors,
    /// Features of which one must be enabled; empty if that is known already.
    pub(crate) features: BTreeSet<String>,
}

/// Minor versions of Kubernetes, as `k8s-openapi` has macros for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Minors {
    All,
    Only(u8),
    /// From the first to the last; `None` where there is no other version beyond.
    Range(Option<u8>, Option<u8>),
}

/// A kind to generate wrappers for.
pub(crate) struct Resource {
    pub(crate) gvk: Gvk,
    /// As in URLs. Never guessed from the kind.
    pub(crate) plural: String,
    pub(crate) scope: Scope,
    /// The type of the objects, absolute.
    pub(crate) rust_type: syn::Path,
    /// The kind has no Rust type of its own: the objects are `DynamicObject`s.
    pub(crate) dynamic: bool,
    pub(crate) gate: Gate,
    /// What the API warns of, if the version is deprecated; empty if it does not say.
    pub(crate) deprecated: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) manifest: Manifest,
    /// What a manifest says of the objects.
    pub(crate) schema: Option<Arc<Schema>>,
}

/// What a manifest says of a kind beyond its names; empty for kinds from elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    /// Prose, as it is.
    pub(crate) description: String,
    pub(crate) short_names: Vec<String>,
    /// The types to write.
    pub(crate) types: Option<Types>,
    /// Why the kind has no type although types are written.
    pub(crate) untyped: Option<String>,
}

/// A kind that gets no wrappers, and why.
pub(crate) struct Skipped {
    pub(crate) gvk: Gvk,
    pub(crate) plural: Option<String>,
    pub(crate) scope: Option<Scope>,
    pub(crate) origin: Origin,
    pub(crate) reason: String,
}

// === impl Gvk ===

impl Gvk {
    pub(crate) fn new(group: &str, version: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// Reads `group/version/Kind`, or `version/Kind` for the core group.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (group_version, kind) = text.rsplit_once('/')?;
        let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
        let group = if group == "core" { "" } else { group };
        let whole = [version, kind]
            .iter()
            .all(|part| !part.is_empty() && !part.contains('/'));
        whole.then(|| Self::new(group, version, kind))
    }

    /// `apps/v1`, or `v1` for the core group.
    pub(crate) fn group_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group_version(), self.kind)
    }
}

// === impl Resource ===

impl Resource {
    /// The kind as one that gets no wrappers.
    pub(crate) fn skipped(self, reason: String) -> Skipped {
        Skipped {
            gvk: self.gvk,
            plural: Some(self.plural),
            scope: Some(self.scope),
            origin: self.origin,
            reason,
        }
    }
}

// === impl Scope ===

impl Scope {
    pub(crate) const fn new(namespaced: bool) -> Self {
        if namespaced {
            Self::Namespaced
        } else {
            Self::Cluster
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cluster => "cluster",
            Self::Namespaced => "namespaced",
        })
    }
}

// === impl Origin ===

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.pad("built-in"),
            Self::Manifest(at) | Self::Source(at) | Self::Discovery(at) => f.pad(&at.to_string()),
        }
    }
}

// === impl Gate ===

impl Gate {
    /// The gate of types that depend on nothing.
    pub(crate) fn open() -> Self {
        Self::new(OLDEST_MINOR, NEWEST_MINOR, None)
    }

    /// From one minor version to another, with a feature or without.
    pub(crate) fn new(first: u8, last: u8, feature: Option<&str>) -> Self {
        let features: BTreeSet<String> = feature.map(str::to_owned).into_iter().collect();
        Self(
            (first..=last)
                .map(|minor| (minor, features.clone()))
                .collect(),
        )
    }

    /// Open where any of `parts` is.
    pub(crate) fn union<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all: BTreeMap<u8, BTreeSet<String>> = BTreeMap::new();
        for (minor, features) in parts.into_iter().flat_map(|part| &part.0) {
            all.entry(*minor)
                .and_modify(|before| {
                    if features.is_empty() {
                        before.clear();
                    } else if !before.is_empty() {
                        before.extend(features.iter().cloned());
                    }
                })
                .or_insert_with(|| features.clone());
        }
        Self(all)
    }

    /// What has to be asked in a place that is itself behind the gate `surrounding`.
    pub(crate) fn within(&self, surrounding: &Self) -> Vec<Run> {
        let mut runs: Vec<(u8, u8, BTreeSet<String>)> = Vec::new();
        for (&minor, features) in &self.0 {
            let known = surrounding.0.get(&minor) == Some(features);
            let asked = if known {
                BTreeSet::new()
            } else {
                features.clone()
            };
            match runs.last_mut() {
                Some((_, last, before)) if *last + 1 == minor && *before == asked => *last = minor,
                _ => runs.push((minor, minor, asked)),
            }
        }
        let lower = |first: u8| surrounding.0.keys().any(|&minor| minor < first);
        let upper = |last: u8| surrounding.0.keys().any(|&minor| minor > last);
        runs.into_iter()
            .map(|(first, last, features)| {
                let minors = match (lower(first), upper(last)) {
                    (false, false) => Minors::All,
                    _ if first == last => Minors::Only(first),
                    (lower, upper) => Minors::Range(lower.then_some(first), upper.then_some(last)),
                };
                Run { minors, features }
            })
            .collect()
    }

    /// Whether it is open in every version in which `other` is, features aside.
    pub(crate) fn has_versions_of(&self, other: &Self) -> bool {
        other.0.keys().all(|minor| self.0.contains_key(minor))
    }

    /// The minor versions in words; `None` if all have it.
    pub(crate) fn versions(&self) -> Option<String> {
        let all = (OLDEST_MINOR..=NEWEST_MINOR).eq(self.0.keys().copied());
        let (first, last) = (self.0.keys().next()?, self.0.keys().next_back()?);
        match (all, first == last) {
            (true, _) => None,
            (false, true) => Some(format!("1.{first}")),
            (false, false) => Some(format!("1.{first} to 1.{last}")),
        }
    }

    /// The feature that is needed.
    pub(crate) fn feature(&self) -> Option<&str> {
        let features = self.0.values().next()?;
        features.first().map(String::as_str)
    }
}

#[cfg(test)]
mod tests;

//! Intermediate representation: one [`Resource`] for each kind to generate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::error::Location;
use crate::gvk::{Gvk, Scope};
use crate::suggest::KnownKind;
use crate::types::Types;
use crate::types::schema::Schema;

/// Oldest Kubernetes minor version that `k8s-openapi` 0.29 supports.
pub(crate) const OLDEST_MINOR: u8 = 33;
/// Newest Kubernetes minor version that `k8s-openapi` 0.29 supports.
pub(crate) const NEWEST_MINOR: u8 = 37;

/// Source of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    BuiltIn,
    Manifest(Location),
    /// Rust source.
    Source(Location),
}

/// Condition of a type: the Kubernetes minor versions for which `k8s-openapi` has it. Each version
/// lists the Cargo features of which one must be enabled. An empty list requires no feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VersionGate(BTreeMap<u8, BTreeSet<String>>);

/// Part of a [`VersionGate`] that one condition can express, relative to the surrounding gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GateRun {
    /// Tests of minor versions, as the macros of `k8s-openapi` spell them: `1_36`, or `ge_1_34` and
    /// `le_1_36`. The surrounding gate implies all others.
    pub(crate) minors: Vec<String>,
    /// Features of which one must be enabled. Empty if the surrounding gate implies them.
    pub(crate) features: BTreeSet<String>,
}

/// Successive minor versions that require the same features.
struct MinorRun {
    first: u8,
    last: u8,
    features: BTreeSet<String>,
}

/// Kind to generate wrappers for.
pub(crate) struct Resource {
    pub(crate) gvk: Gvk,
    /// Plural, as in URLs. Never guessed from the kind.
    pub(crate) plural: String,
    pub(crate) scope: Scope,
    /// Absolute path of the type of the objects.
    pub(crate) rust_type: syn::Path,
    /// `true` if the kind has no Rust type, so that its objects are `DynamicObject`s.
    pub(crate) dynamic: bool,
    pub(crate) gate: VersionGate,
    /// Deprecation warning of the API, if the version is deprecated. May be empty.
    pub(crate) deprecated: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) manifest: Manifest,
    /// Schema of the objects, from a manifest.
    pub(crate) schema: Option<Arc<Schema>>,
}

/// Data of a manifest beyond the names. Empty for kinds from other inputs.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    /// Unprocessed description.
    pub(crate) description: String,
    pub(crate) short_names: Vec<String>,
    /// Types to generate.
    pub(crate) types: Option<Types>,
    /// Reason why the kind has no type although types are generated.
    pub(crate) untyped: Option<String>,
}

/// Kind without wrappers, and the reason.
pub(crate) struct Skipped {
    pub(crate) gvk: Gvk,
    pub(crate) plural: Option<String>,
    pub(crate) scope: Option<Scope>,
    pub(crate) origin: Origin,
    pub(crate) reason: String,
}

// === impl Resource ===

impl Resource {
    /// Reports whether the kind gets a struct with all its relations. Built-in kinds have too many
    /// relations for a struct that starts an informer for each of them.
    pub(crate) fn has_related(&self) -> bool {
        self.origin != Origin::BuiltIn
    }

    /// Returns the kind and its plural.
    pub(crate) fn names(&self) -> KnownKind<'_> {
        (self.gvk.clone(), Some(&self.plural))
    }

    /// Converts the kind into a skipped kind.
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

// === impl Origin ===

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.pad("built-in"),
            Self::Manifest(at) | Self::Source(at) => f.pad(&at.to_string()),
        }
    }
}

// === impl VersionGate ===

impl VersionGate {
    /// Returns the gate that is open in every version, without features.
    pub(crate) fn open() -> Self {
        Self::new(OLDEST_MINOR, NEWEST_MINOR, None)
    }

    /// Returns the gate that is open from one minor version to another, with an optional feature.
    pub(crate) fn new(first: u8, last: u8, feature: Option<&str>) -> Self {
        let mut features = BTreeSet::new();
        if let Some(name) = feature {
            features.insert(name.to_owned());
        }
        let mut minors = BTreeMap::new();
        for minor in first..=last {
            minors.insert(minor, features.clone());
        }
        Self(minors)
    }

    /// Returns the gate that is open if any of `parts` is.
    pub(crate) fn union<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all: BTreeMap<u8, BTreeSet<String>> = BTreeMap::new();
        for (minor, features) in parts.into_iter().flat_map(|part| &part.0) {
            let Some(before) = all.get_mut(minor) else {
                all.insert(*minor, features.clone());
                continue;
            };
            // An empty set requires no feature.
            if features.is_empty() {
                before.clear();
            } else if !before.is_empty() {
                before.extend(features.iter().cloned());
            }
        }
        Self(all)
    }

    /// Returns the conditions to test inside the gate `surrounding`.
    pub(crate) fn within(&self, surrounding: &Self) -> Vec<GateRun> {
        let mut runs: Vec<MinorRun> = Vec::new();
        for (&minor, features) in &self.0 {
            let is_implied = surrounding.0.get(&minor) == Some(features);
            let required = if is_implied {
                BTreeSet::new()
            } else {
                features.clone()
            };
            match runs.last_mut() {
                Some(run) if run.last + 1 == minor && run.features == required => {
                    run.last = minor;
                }
                _ => runs.push(MinorRun {
                    first: minor,
                    last: minor,
                    features: required,
                }),
            }
        }
        let mut gates = Vec::new();
        for run in runs {
            gates.push(GateRun {
                minors: surrounding.tests(run.first, run.last),
                features: run.features,
            });
        }
        gates
    }

    /// Returns the tests of a minor version from `first` to `last` inside this gate.
    fn tests(&self, first: u8, last: u8) -> Vec<String> {
        let mut tests = Vec::new();
        if self.0.keys().any(|&minor| minor < first) {
            tests.push(format!("ge_1_{first}"));
        }
        if self.0.keys().any(|&minor| minor > last) {
            tests.push(format!("le_1_{last}"));
        }
        if first == last && !tests.is_empty() {
            return vec![format!("1_{first}")];
        }
        tests
    }

    /// Reports whether the gate has every version of `other`, ignoring features.
    pub(crate) fn has_versions_of(&self, other: &Self) -> bool {
        other.0.keys().all(|minor| self.0.contains_key(minor))
    }

    /// Formats the minor versions, or returns `None` if all have the kind.
    pub(crate) fn versions(&self) -> Option<String> {
        if (OLDEST_MINOR..=NEWEST_MINOR).eq(self.0.keys().copied()) {
            return None;
        }
        let first = self.0.keys().next()?;
        let last = self.0.keys().next_back()?;
        if first == last {
            return Some(format!("1.{first}"));
        }
        Some(format!("1.{first} to 1.{last}"))
    }

    /// Returns the required feature.
    pub(crate) fn feature(&self) -> Option<&str> {
        let features = self.0.values().next()?;
        features.first().map(String::as_str)
    }
}

#[cfg(test)]
mod tests;

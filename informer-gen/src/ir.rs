//! What the inputs are turned into: one [`Resource`] per kind to generate for.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use crate::error::Location;

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
}

/// The minor versions of Kubernetes for which `k8s-openapi` has a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Minors(BTreeSet<u8>);

/// A kind to generate wrappers for.
pub(crate) struct Resource {
    pub(crate) gvk: Gvk,
    /// As in URLs. Never guessed from the kind.
    pub(crate) plural: String,
    pub(crate) scope: Scope,
    /// The type of the objects, absolute.
    pub(crate) rust_type: syn::Path,
    /// `None` for types that do not depend on the version of `k8s-openapi`.
    pub(crate) minors: Option<Minors>,
    pub(crate) deprecated: bool,
    pub(crate) origin: Origin,
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

// === impl Scope ===

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
            Self::Manifest(at) => f.pad(&at.to_string()),
        }
    }
}

// === impl Minors ===

impl Minors {
    pub(crate) fn range(first: u8, last: u8) -> Self {
        Self((first..=last).collect())
    }

    /// The versions that any of `parts` has; `None` if one of them does not depend on the version.
    pub(crate) fn union<'a>(parts: impl IntoIterator<Item = Option<&'a Self>>) -> Option<Self> {
        let mut all = BTreeSet::new();
        for part in parts {
            all.extend(&part?.0);
        }
        Some(Self(all))
    }

    /// First and last of each gapless run; nothing if every version has the type.
    pub(crate) fn runs(&self) -> Vec<(u8, u8)> {
        let mut runs: Vec<(u8, u8)> = Vec::new();
        for &minor in &self.0 {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == minor => *last = minor,
                _ => runs.push((minor, minor)),
            }
        }
        runs.retain(|&run| run != (OLDEST_MINOR, NEWEST_MINOR));
        runs
    }
}

impl fmt::Display for Minors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) if first == last => write!(f, "1.{first}"),
            (Some(first), Some(last)) => write!(f, "1.{first} to 1.{last}"),
            _ => f.write_str("never"),
        }
    }
}

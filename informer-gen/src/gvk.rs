//! Kinds by their group and version, and their scope.

use std::fmt;

pub use informer_codegen::ir::Scope;

/// API group, version and kind, which identify a kind.
///
/// Displays and parses as `apps/v1/Deployment`, or as `v1/Pod` for the core group, whose name is
/// empty. `core/v1/Pod` parses too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Gvk {
    /// API group. Empty for the core group.
    pub(crate) group: String,
    /// API version, such as `v1`.
    pub(crate) version: String,
    /// Kind, such as `Deployment`.
    pub(crate) kind: String,
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

    /// Parses `group/version/Kind`, or `version/Kind` for the core group.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (group_version, kind) = text.rsplit_once('/')?;
        let (group, version) = match group_version.split_once('/') {
            Some(("core", version)) => ("", version),
            Some(parts) => parts,
            None => ("", group_version),
        };
        if version.is_empty() || version.contains('/') || kind.is_empty() {
            return None;
        }
        Some(Self::new(group, version, kind))
    }

    /// Reports whether `name` is the kind alone, or the kind with its group and version.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        if self.kind == name {
            return true;
        }
        match Self::parse(name) {
            Some(parsed) => parsed == *self,
            None => false,
        }
    }

    /// Returns `apps/v1`, or `v1` for the core group.
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

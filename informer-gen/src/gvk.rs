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
        let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
        let group = if group == "core" { "" } else { group };
        let whole = [version, kind]
            .iter()
            .all(|part| !part.is_empty() && !part.contains('/'));
        whole.then(|| Self::new(group, version, kind))
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

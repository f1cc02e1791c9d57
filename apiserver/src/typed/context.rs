//! Context of a write.

use super::managers::Owned;
use super::set::Set;
use super::types::Types;

/// Context of a write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) types: &'a Types,
    pub(crate) manager: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) api_version: &'a str,
    /// Versions in which the resource is served; entries of other versions are dropped.
    pub(crate) served: &'a [String],
    /// Fields that this endpoint ignores.
    pub(crate) ignored: &'a Set,
    /// Current time, as Kubernetes writes it.
    pub(crate) now: &'a str,
}

// === impl Context ===

impl Context<'_> {
    /// Returns the time of a new entry. The real server loses the time of a `Scale`'s entry when it
    /// converts the entry to the object's.
    pub(super) fn time(&self) -> Option<String> {
        (self.subresource != "scale").then(|| self.now.to_owned())
    }

    pub(super) fn serves(&self, owned: &Owned) -> bool {
        self.served.contains(&owned.api_version)
    }
}

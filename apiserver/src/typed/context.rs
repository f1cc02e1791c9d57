//! Under what a write is made.

use super::managers::Owned;
use super::set::Set;
use super::types::Types;

/// Under what a write is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) types: &'a Types,
    pub(crate) manager: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) api_version: &'a str,
    /// The versions that the resource is served in: entries of others are dropped.
    pub(crate) served: &'a [String],
    /// Fields that this endpoint leaves alone.
    pub(crate) ignored: &'a Set,
    /// The time, as Kubernetes writes it.
    pub(crate) now: &'a str,
}

// === impl Context ===

impl Context<'_> {
    pub(super) fn serves(&self, owned: &Owned) -> bool {
        self.served.contains(&owned.api_version)
    }
}

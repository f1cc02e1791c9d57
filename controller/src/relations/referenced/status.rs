//! [`ReferencedStatus`]: numbers of a cache of referenced objects.

/// Numbers of names, watches and objects of a [`ReferencedCache`](super::ReferencedCache) at one
/// moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReferencedStatus {
    /// `true` once each name that was mentioned at the start was found, missing, forbidden or over
    /// the limit. Never becomes `false` again.
    pub has_synced: bool,
    /// Number of names that are mentioned, or were mentioned within the grace period.
    pub names: usize,
    /// Number of names without a watch, because all single watches are in use.
    pub unwatched_names: usize,
    /// Number of watches of one object.
    pub single_watches: usize,
    /// Number of watches of several objects of one namespace. A cluster-scoped type counts as one
    /// namespace.
    pub namespace_watches: usize,
    /// Number of cached objects.
    pub objects: usize,
}

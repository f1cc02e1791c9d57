//! [`ShardsError`]: reason for which a replica cannot join.

use crate::reconcile::leader_election::LeaderElectionError;

/// Error of [`ShardsBuilder::join`](super::ShardsBuilder::join).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardsError {
    /// A setting is invalid.
    #[error("the {field} {value:?} of the shards is invalid: {reason}")]
    Invalid {
        /// Name of the method that sets it.
        field: &'static str,
        /// The setting.
        value: String,
        /// Violated rule.
        reason: &'static str,
    },
    /// A duration is invalid.
    #[error("cannot join the replicas of \"{name}\"")]
    Lease {
        /// Name of the group of replicas.
        name: String,
        /// Error of acquiring the member lease.
        source: Box<LeaderElectionError>,
    },
    /// The API server rejects the list of the leases.
    #[error(
        "cannot list the leases of \"{name}\" in the namespace {namespace}: allow `list` of leases.coordination.k8s.io"
    )]
    List {
        /// Name of the group of replicas.
        name: String,
        /// Namespace of the leases.
        namespace: String,
        /// Response of the API server.
        source: kube::Error,
    },
}

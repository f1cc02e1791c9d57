//! [`Names`]: the leases of one group of replicas.

use std::collections::BTreeMap;

use k8s_openapi::api::coordination::v1::Lease;

use super::slices::ShardBy;
use crate::reconcile::leader_election::Terms;

/// Label of all leases of a group; the value is the group's name.
const GROUP: &str = "informer/shards";
/// Label of a member lease: number and kind of the slices that the replica assumes.
const LAYOUT: &str = "informer/layout";
/// Label of the member lease of a replica that gives its slices away.
pub(super) const LEAVING: &str = "informer/leaving";

/// Name of a group, and the slices that its replicas agree on.
#[derive(Debug, Clone)]
pub(super) struct Names {
    group: String,
    layout: String,
    count: u16,
}

// === impl Names ===

impl Names {
    pub(super) fn new(group: &str, by: ShardBy, count: u16) -> Self {
        let field = match by {
            ShardBy::Namespace => "namespace",
            ShardBy::Uid => "uid",
        };
        Self {
            group: group.to_owned(),
            layout: format!("{count}-by-{field}"),
            count,
        }
    }

    pub(super) fn group(&self) -> &str {
        &self.group
    }

    pub(super) fn count(&self) -> u16 {
        self.count
    }

    /// Returns the selector of the group's leases.
    pub(super) fn selector(&self) -> String {
        format!("{GROUP}={}", self.group)
    }

    pub(super) fn member(&self, identity: &str) -> String {
        format!("{}-member-{identity}", self.group)
    }

    pub(super) fn slice(&self, slice: u16) -> String {
        format!("{}-slice-{slice:03}", self.group)
    }

    /// Returns the labels of a member lease.
    pub(super) fn member_labels(&self) -> BTreeMap<String, String> {
        let mut labels = self.slice_labels();
        labels.insert(LAYOUT.to_owned(), self.layout.clone());
        labels
    }

    /// Returns the terms of a slice's lease, of the replica whose member lease has these.
    pub(super) fn slice_terms(&self, member: &Terms, slice: u16) -> Terms {
        Terms {
            name: self.slice(slice),
            labels: self.slice_labels(),
            ..member.clone()
        }
    }

    /// Returns the slice of a lease; `None` for a member lease and for a number that is not in use.
    pub(super) fn slice_of(&self, lease: &Lease) -> Option<u16> {
        let slice = self.rest(lease, "slice")?.parse().ok()?;
        (slice < self.count).then_some(slice)
    }

    /// Returns the identity of the replica whose member lease this is.
    pub(super) fn member_of<'l>(&self, lease: &'l Lease) -> Option<&'l str> {
        self.rest(lease, "member")
    }

    /// Reports whether the replica of a member lease cuts the hashes as this one does.
    pub(super) fn has_layout(&self, lease: &Lease) -> bool {
        label(lease, LAYOUT) == Some(&self.layout)
    }

    pub(super) fn is_leaving(lease: &Lease) -> bool {
        label(lease, LEAVING).is_some()
    }

    fn slice_labels(&self) -> BTreeMap<String, String> {
        BTreeMap::from([(GROUP.to_owned(), self.group.clone())])
    }

    fn rest<'l>(&self, lease: &'l Lease, kind: &str) -> Option<&'l str> {
        let name = lease.metadata.name.as_deref()?;
        let rest = name.strip_prefix(&self.group)?.strip_prefix('-')?;
        rest.strip_prefix(kind)?.strip_prefix('-')
    }
}

fn label<'l>(lease: &'l Lease, key: &str) -> Option<&'l String> {
    lease.metadata.labels.as_ref()?.get(key)
}

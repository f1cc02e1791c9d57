//! The versions that the store has reached when deltas overtake each other. Pure.
//!
//! With [`Order::PerKey`](crate::delta_fifo::Order::PerKey) all deltas of a key leave at the place of the first
//! one, so the version of a popped delta says nothing about the deltas that still wait. A version
//! is reached when all deltas up to it were popped.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::delta_fifo::Delta;
use crate::object::{ObjectKey, ResourceVersion};

/// Versions of one queue, by the namespace of the lists; `None` if lists are of all that is cached.
#[derive(Debug, Default)]
pub(super) struct Reached(BTreeMap<Option<Arc<str>>, Versions>);

#[derive(Debug, Default)]
struct Versions {
    /// Version that was pushed last.
    pushed: ResourceVersion,
    /// Last version up to which everything was popped.
    popped: ResourceVersion,
}

// === impl Reached ===

impl Reached {
    pub(super) fn push(&mut self, delta: &Delta) {
        let (namespace, version) = match delta {
            Delta::Added(entry) | Delta::Updated(entry) => {
                (self.namespace_of(&entry.key), &entry.resource_version)
            }
            Delta::Deleted(removed) => (self.namespace_of(&removed.key), &removed.resource_version),
            Delta::Undecodable(object) => {
                (self.namespace_of(&object.key), &object.resource_version)
            }
            Delta::ReplacedAll(list) => (list.namespace.clone(), &list.resource_version),
            Delta::Bookmark {
                namespace,
                resource_version,
                ..
            } => (namespace.clone(), resource_version),
            // Either part of a list, which pushes its version at the end, or for handlers only.
            Delta::Replaced(_) | Delta::Sync(_) => return,
        };
        if !version.is_unset() {
            self.0.entry(namespace).or_default().pushed = version.clone();
        }
    }

    /// Returns the versions that the store reaches with `batch`. `is_drained` is `true` if no delta
    /// with a version waits.
    pub(super) fn pop(
        &mut self,
        batch: &[Delta],
        is_drained: bool,
    ) -> Vec<(Option<Arc<str>>, ResourceVersion)> {
        if is_drained {
            for versions in self.0.values_mut() {
                versions.popped = versions.pushed.clone();
            }
        } else if let Some(Delta::Bookmark {
            namespace,
            resource_version,
            ..
        }) = batch.last()
        {
            // A bookmark keeps its place, after all deltas that were pushed before it.
            self.0.entry(namespace.clone()).or_default().popped = resource_version.clone();
        }
        let popped = self
            .0
            .iter()
            .filter(|(_, versions)| !versions.popped.is_unset());
        popped
            .map(|(namespace, versions)| (namespace.clone(), versions.popped.clone()))
            .collect()
    }

    /// Returns the namespace whose lists have this key. A list precedes the events that follow it.
    pub(super) fn namespace_of(&self, key: &ObjectKey) -> Option<Arc<str>> {
        let mut known = self.0.keys().flatten();
        known.find(|known| key.namespace() == Some(known)).cloned()
    }
}

//! [`Mentions`]: the keys that each referrer mentions. Pure.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use informer_runtime::ObjectKey;

/// Keys that each referrer mentions. A referrer without mentions is not stored.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    of: HashMap<ObjectKey, BTreeSet<ObjectKey>>,
    /// Referrers of each mentioned key: the same pairs in the other direction.
    by: HashMap<ObjectKey, BTreeSet<ObjectKey>>,
}

/// Difference between the previous and the current mentions of a referrer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) gained: Vec<ObjectKey>,
    pub(super) lost: Vec<ObjectKey>,
}

// === impl Mentions ===

impl Mentions {
    /// Replaces the mentions of a referrer.
    pub(super) fn set(&mut self, referrer: &ObjectKey, keys: BTreeSet<ObjectKey>) -> Difference {
        let previous = self.of.remove(referrer).unwrap_or_default();
        let difference = Difference {
            gained: keys.difference(&previous).cloned().collect(),
            lost: previous.difference(&keys).cloned().collect(),
        };
        for key in &difference.gained {
            let referrers = self.by.entry(key.clone()).or_default();
            referrers.insert(referrer.clone());
        }
        for key in &difference.lost {
            if let Entry::Occupied(mut referrers) = self.by.entry(key.clone()) {
                referrers.get_mut().remove(referrer);
                if referrers.get().is_empty() {
                    referrers.remove();
                }
            }
        }
        if !keys.is_empty() {
            self.of.insert(referrer.clone(), keys);
        }
        difference
    }

    /// Returns the referrers that mention `key`, in order.
    pub(super) fn referrers(&self, key: &ObjectKey) -> Vec<ObjectKey> {
        let referrers = self.by.get(key);
        referrers.into_iter().flatten().cloned().collect()
    }
}

//! [`HeldKeys`]: keys that wait outside of their queue.

use std::collections::HashMap;

use informer_runtime::object::ObjectKey;

use super::reason::Reasons;

/// Keys that a gate of a controller holds back.
#[derive(Default)]
pub(crate) struct HeldKeys(HashMap<ObjectKey, HeldKey>);

/// Key that is held back, as it will return to its queue.
pub(crate) struct HeldKey {
    pub(crate) priority: i32,
    pub(crate) reasons: Reasons,
}

// === impl HeldKeys ===

impl HeldKeys {
    /// Holds the key of the current call back. Returns `true` unless it is held already: then the
    /// greater priority counts, and the reasons of the first call.
    pub(crate) fn hold(&mut self, key: &ObjectKey, priority: i32) -> bool {
        if let Some(known) = self.0.get_mut(key) {
            known.priority = known.priority.max(priority);
            return false;
        }
        let reasons = Reasons::current();
        self.0.insert(key.clone(), HeldKey { priority, reasons });
        true
    }

    pub(crate) fn remove(&mut self, key: &ObjectKey) -> Option<HeldKey> {
        self.0.remove(key)
    }

    /// Removes the keys that satisfy a condition.
    pub(crate) fn take(
        &mut self,
        condition: impl Fn(&ObjectKey) -> bool,
    ) -> Vec<(ObjectKey, HeldKey)> {
        self.0.extract_if(|key, _| condition(key)).collect()
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &ObjectKey> {
        self.0.keys()
    }
}

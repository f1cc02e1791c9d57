//! [`AttemptCounts`]: the numbers of consecutive attempts at keys.

use std::collections::HashMap;

use informer_runtime::object::ObjectKey;

use crate::base::sync::Mutex;

/// Number of consecutive attempts per key: of the keys that are in work, and of those in the queue
/// whose last attempt failed.
#[derive(Default)]
pub(super) struct AttemptCounts(Mutex<HashMap<ObjectKey, u32>>);

// === impl AttemptCounts ===

impl AttemptCounts {
    /// Counts an attempt. Returns its number, from 1.
    pub(super) fn begin(&self, key: &ObjectKey) -> u32 {
        let mut counts = self.0.lock();
        let count = counts.entry(key.clone()).or_insert(0);
        *count = count.saturating_add(1);
        *count
    }

    pub(super) fn forget(&self, key: &ObjectKey) {
        self.0.lock().remove(key);
    }
}

//! [`Fallback`]: the way back from an object to its source.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a source is told that objects cannot be read in protobuf, and may be in JSON.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fallback(Arc<AtomicBool>);

// === impl Fallback ===

impl Fallback {
    pub(crate) fn want_json(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_json_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

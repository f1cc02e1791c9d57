//! [`Room`]: bound on the bytes of lists that the reflectors of a factory have received and not
//! decoded yet.
//!
//! # Invariants
//!
//! 1. A list that waits for room holds none, except for objects that are being decoded.
//! 2. A list that waits for the server holds none either, unless half of the room was free when it
//!    began to wait. All such lists together hold at most half of the room.
//! 3. An object takes at most half of the room. So each wait for room ends.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Room for undecoded objects of lists. Clones are the same room.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    free: Arc<Semaphore>,
    /// Half of the whole room.
    half: usize,
}

/// Part of the room that one list, or a task that decodes its objects, holds until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Room,
    bytes: usize,
}

// === impl Room ===

impl Room {
    pub(crate) const DEFAULT_BYTES: usize = 64 << 20;

    /// Creates room for this many bytes; without a bound for 0.
    pub(crate) fn new(bytes: usize) -> Self {
        let half = if bytes == 0 { usize::MAX } else { bytes / 2 };
        let half = half.clamp(1, Semaphore::MAX_PERMITS / 2);
        Self {
            free: Arc::new(Semaphore::new(2 * half)),
            half,
        }
    }

    /// Returns the size of the objects in the room.
    pub(crate) fn used(&self) -> usize {
        (2 * self.half).saturating_sub(self.free.available_permits())
    }

    /// Returns an empty share.
    pub(super) fn share(&self) -> Share {
        Share {
            room: self.clone(),
            bytes: 0,
        }
    }

    /// Returns the size of an object in the room.
    fn size_of(&self, bytes: usize) -> u32 {
        bytes.min(self.half).try_into().unwrap_or(u32::MAX)
    }
}

impl Default for Room {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
    }
}

// === impl Share ===

impl Share {
    /// Adds an object. Returns `false` if there is no room for it.
    pub(super) fn try_add(&mut self, bytes: usize) -> bool {
        let size = self.room.size_of(bytes);
        let Ok(added) = self.room.free.try_acquire_many(size) else {
            return false;
        };
        added.forget();
        self.bytes += size as usize;
        true
    }

    /// Adds an object when there is room for it, in the order of the calls.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes has added nothing.
    pub(super) async fn add(&mut self, bytes: usize) {
        let size = self.room.size_of(bytes);
        // The semaphore is never closed.
        if let Ok(added) = self.room.free.acquire_many(size).await {
            added.forget();
            self.bytes += size as usize;
        }
    }

    /// Returns `true` if objects should not wait here, because less than half of the room is free.
    pub(super) fn is_wanted(&self) -> bool {
        self.bytes > 0 && self.room.free.available_permits() < self.room.half
    }

    /// Moves all that this share holds to another one.
    pub(super) fn take(&mut self) -> Self {
        Self {
            room: self.room.clone(),
            bytes: std::mem::take(&mut self.bytes),
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.free.add_permits(self.bytes);
    }
}

//! [`Footprint`]: memory of an object.

use super::home::Home;

/// Memory of an object: its size, and where it was allocated.
///
/// The bounds of queues and mailboxes count the bytes. The default is an unknown size, which counts
/// as 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Footprint {
    bytes: u32,
    home: Home,
}

// === impl Footprint ===

impl Footprint {
    /// Creates the footprint of an object of this size that the calling thread has just decoded.
    /// Sizes from 4 GiB on count as 4 GiB.
    #[must_use]
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes: bytes.try_into().unwrap_or(u32::MAX),
            home: Home::current(),
        }
    }

    /// Returns the size of the object as the API server sent it, after field cuts, in bytes; 0 if
    /// unknown.
    #[must_use]
    pub(crate) fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// Returns the thread that allocated the object.
    pub(crate) fn home(self) -> Home {
        self.home
    }
}

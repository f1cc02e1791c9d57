//! [`Ledger`]: counts the memory of a storage, in bytes.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::storage::PackedMemory;

/// Running counts.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    objects: AtomicUsize,
    evicted: AtomicUsize,
    packed: AtomicUsize,
    unpacked: AtomicUsize,
    headers: AtomicUsize,
    dictionaries: AtomicUsize,
    dictionary_bytes: AtomicUsize,
    /// Never decreases.
    decodings: AtomicU64,
}

/// Contribution of an object or of its body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    objects: usize,
    pub(super) packed: usize,
    unpacked: usize,
    header: usize,
    evicted: usize,
}

// === impl Share ===

impl Share {
    /// Returns the share of an object without its body.
    pub(super) fn of_header(bytes: usize) -> Self {
        Self {
            objects: 1,
            header: bytes,
            ..Self::default()
        }
    }

    /// Returns the share of a body with these sizes.
    pub(super) fn of_body(packed: usize, unpacked: usize) -> Self {
        Self {
            packed,
            unpacked,
            ..Self::default()
        }
    }

    /// Returns the share of a body that was evicted.
    pub(super) fn of_evicted() -> Self {
        Self {
            evicted: 1,
            ..Self::default()
        }
    }
}

// === impl Ledger ===

impl Ledger {
    pub(super) fn add(&self, share: Share) {
        for (count, bytes) in self.parts(share) {
            count.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    pub(super) fn remove(&self, share: Share) {
        for (count, bytes) in self.parts(share) {
            count.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    pub(super) fn add_template(&self, packed: usize) {
        self.packed.fetch_add(packed, Ordering::Relaxed);
    }

    pub(super) fn remove_template(&self, packed: usize) {
        self.packed.fetch_sub(packed, Ordering::Relaxed);
    }

    pub(super) fn add_dictionary(&self, bytes: usize) {
        self.dictionaries.fetch_add(1, Ordering::Relaxed);
        self.dictionary_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn remove_dictionary(&self, bytes: usize) {
        self.dictionaries.fetch_sub(1, Ordering::Relaxed);
        self.dictionary_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts one decoding attempt.
    pub(super) fn count_decoding(&self) {
        self.decodings.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn decodings(&self) -> u64 {
        self.decodings.load(Ordering::Relaxed)
    }

    pub(super) fn memory(&self, interned_bytes: usize, sample_bytes: usize) -> PackedMemory {
        let read = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        PackedMemory {
            objects: read(&self.objects),
            evicted: read(&self.evicted),
            decoded_bytes: 0,
            packed_bytes: read(&self.packed),
            unpacked_bytes: read(&self.unpacked),
            header_bytes: read(&self.headers),
            interned_bytes,
            sample_bytes,
            dictionaries: read(&self.dictionaries),
            dictionary_bytes: read(&self.dictionary_bytes),
        }
    }

    fn parts(&self, share: Share) -> [(&AtomicUsize, usize); 5] {
        [
            (&self.objects, share.objects),
            (&self.evicted, share.evicted),
            (&self.packed, share.packed),
            (&self.unpacked, share.unpacked),
            (&self.headers, share.header),
        ]
    }
}

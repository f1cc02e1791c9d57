//! [`Ledger`]: counts the memory of a storage, in bytes.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::storage::PackedMemory;

/// Running counts.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    objects: AtomicUsize,
    packed: AtomicUsize,
    unpacked: AtomicUsize,
    headers: AtomicUsize,
    dictionaries: AtomicUsize,
    dictionary_bytes: AtomicUsize,
    /// Never decreases.
    decodings: AtomicU64,
}

/// Contribution of one object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) packed: usize,
    pub(super) unpacked: usize,
    pub(super) header: usize,
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
            packed_bytes: read(&self.packed),
            unpacked_bytes: read(&self.unpacked),
            header_bytes: read(&self.headers),
            interned_bytes,
            sample_bytes,
            dictionaries: read(&self.dictionaries),
            dictionary_bytes: read(&self.dictionary_bytes),
        }
    }

    fn parts(&self, share: Share) -> [(&AtomicUsize, usize); 4] {
        [
            (&self.objects, 1),
            (&self.packed, share.packed),
            (&self.unpacked, share.unpacked),
            (&self.headers, share.header),
        ]
    }
}

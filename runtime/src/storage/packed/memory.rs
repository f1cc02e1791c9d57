//! [`PackedMemory`]: what a storage holds, in bytes.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What the objects of one [`Packed`](super::Packed) storage hold, in bytes. Goes down as objects
/// go away.
///
/// Counts what the storage allocates, not the allocator's own overhead, and neither keys nor what
/// the store and its indices keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PackedMemory {
    /// Objects held, by the cache or by readers.
    pub objects: usize,
    /// Their bytes, packed.
    pub packed_bytes: usize,
    /// What the same bytes are unpacked; not held.
    pub unpacked_bytes: usize,
    /// What stands beside the bytes of each object: its header and references.
    pub header_bytes: usize,
    /// Distinct label sets, labels and owners.
    pub interned_bytes: usize,
    /// Objects that wait to become the next dictionary.
    pub sample_bytes: usize,
    /// Dictionaries in use: one for each encoding, and those that objects were packed with before.
    pub dictionaries: usize,
    /// What dictionaries hold, prepared for packing and unpacking.
    pub dictionary_bytes: usize,
}

/// The running counts.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    objects: AtomicUsize,
    packed: AtomicUsize,
    unpacked: AtomicUsize,
    headers: AtomicUsize,
    dictionaries: AtomicUsize,
    dictionary_bytes: AtomicUsize,
    /// Never goes down.
    decodings: AtomicU64,
}

/// What one object adds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) packed: usize,
    pub(super) unpacked: usize,
    pub(super) header: usize,
}

// === impl PackedMemory ===

impl PackedMemory {
    /// All that is held.
    #[must_use]
    pub fn total(&self) -> usize {
        let objects = self.packed_bytes + self.header_bytes + self.interned_bytes;
        objects + self.sample_bytes + self.dictionary_bytes
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

    pub(super) fn add_dictionary(&self, bytes: usize) {
        self.dictionaries.fetch_add(1, Ordering::Relaxed);
        self.dictionary_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn remove_dictionary(&self, bytes: usize) {
        self.dictionaries.fetch_sub(1, Ordering::Relaxed);
        self.dictionary_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Somebody decodes an object.
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

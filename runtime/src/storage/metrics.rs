//! [`StorageMetrics`]: what a storage measures of itself.

/// What a [`Storage`](super::Storage) measures of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StorageMetrics {
    /// How often an object was decoded, or did not decode. `None` for a storage that decodes each
    /// version as it takes it in, and later none, as [`Typed`](super::Typed) does: the informer counts those.
    pub decoded_objects: Option<u64>,
    /// What is held packed, by a storage that does that.
    pub packed: Option<PackedMemory>,
}

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

// === impl PackedMemory ===

impl PackedMemory {
    /// All that is held.
    #[must_use]
    pub fn total(&self) -> usize {
        let objects = self.packed_bytes + self.header_bytes + self.interned_bytes;
        objects + self.sample_bytes + self.dictionary_bytes
    }
}

//! [`StorageMetrics`]: measurements of a storage.

/// Measurements of a [`Storage`](super::Storage).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StorageMetrics {
    /// Number of decoding attempts, including failed ones. `None` for a storage that decodes each
    /// version on arrival only, such as [`Typed`](super::Typed): the informer counts those.
    pub decoded_objects: Option<u64>,
    /// Memory of packed objects, for a storage that packs.
    pub packed: Option<PackedMemory>,
    /// Part of that memory that the storage itself reports to the budget of its factory.
    pub reported_bytes: usize,
}

/// Memory of the objects of one [`Packed`](super::Packed) storage, in bytes. Shrinks as objects are
/// freed.
///
/// Counts the allocations of the storage. Excludes the allocator's overhead, keys, and the memory
/// of the store and its indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PackedMemory {
    /// Number of objects held by the cache or by readers.
    pub objects: usize,
    /// Number of those objects whose body was evicted. 0 for [`Packed`](super::Packed).
    pub evicted: usize,
    /// Estimated size of the objects that stay decoded. 0 for [`Packed`](super::Packed).
    pub decoded_bytes: usize,
    /// Packed size of those objects, and of others that some of them are stored as differences
    /// to.
    pub packed_bytes: usize,
    /// Unpacked size of those objects. This memory is not held.
    pub unpacked_bytes: usize,
    /// Headers and references beside the packed bytes.
    pub header_bytes: usize,
    /// Distinct label sets, labels and owners.
    pub interned_bytes: usize,
    /// Copies of objects: those that wait to become the next dictionary, and for each encoding up
    /// to 8 that other objects are stored as differences to.
    pub sample_bytes: usize,
    /// Number of dictionaries in use: one per encoding, and older ones that packed objects still
    /// need.
    pub dictionaries: usize,
    /// Dictionaries, prepared for compression and decompression.
    pub dictionary_bytes: usize,
}

// === impl PackedMemory ===

impl PackedMemory {
    /// Returns the sum of the held bytes.
    #[must_use]
    pub fn total(&self) -> usize {
        let objects = self.packed_bytes + self.header_bytes + self.interned_bytes;
        objects + self.decoded_bytes + self.sample_bytes + self.dictionary_bytes
    }
}

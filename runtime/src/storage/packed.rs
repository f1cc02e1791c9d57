//! [`Packed`]: objects as compressed bytes that are decoded on demand.
//!
//! ```text
//!  RawObject ── related ──► labels, owner ── Interner ──┐
//!      └────── bytes ──► Packer ─┬─ dictionary ─► Body ─┴─► PackedObject ── decode ──► Arc<K>
//!                          │     └─ template of the owner, for what the dictionary does not fit
//!                          └─► Trainer: takes samples, and requests a new dictionary when needed
//! ```
//!
//! # Invariants
//!
//! 1. Unpacking returns exactly the bytes that were packed.
//! 2. `Ledger` counts each object, template and dictionary for as long as anything holds it.
//! 3. No lock is held while another lock is taken, but that a tiered object locks its state first.
//!    The only user code that runs under a lock is the decoding of one object, under that object's
//!    own lock: other readers of the object wait for the result.

mod body;
mod context;
mod decoded;
mod dictionary;
mod frame;
mod intern;
mod memory;
mod object;
mod shared;
mod template;
mod trainer;

use std::fmt;
use std::sync::{Arc, OnceLock};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use self::body::Packer;
pub(in crate::storage) use self::decoded::Clear;
use self::decoded::RecentlyDecoded;
use self::intern::Names;
use self::memory::{Ledger, TemplateLimit};
pub use self::object::PackedObject;
use self::shared::PackedShared;
use super::budget::Account;
use super::{ObjectError, PackedMemory, PathStorage, Storage, StorageMetrics, Transform};
use crate::object::Object;
use crate::storage::IndexFunctionError;
use crate::wire::{FieldPath, RawObject};

/// Keeps objects as compressed bytes, and decodes an object when a reader asks for it.
///
/// # When to choose it
///
/// When memory matters and few objects are read in full: a controller that takes keys off a queue
/// and reads one object at a time; a cache of every Pod of a large cluster that serves labels,
/// owners and indices; dynamic and metadata caches of many types. A packed Pod takes a small
/// fraction of the memory of a decoded Pod.
///
/// Choose [`Typed`](super::Typed), the default, when most objects are read in full and often: each
/// [`decode`](PackedObject::decode) of an object that no reader holds decoded costs CPU time and a
/// fresh copy. Handlers that decode each object cost one decoding per change, as with `Typed`, and
/// so do function indices. [`decode_as`](PackedObject::decode_as) and
/// [`add_index_as`](crate::SharedInformer::add_index_as) decode fewer fields. Path indices
/// ([`add_path_index`](crate::SharedInformer::add_path_index)) do not decode.
///
/// # Design
///
/// zstd compresses the objects with a dictionary. The first dictionary is the concatenation of the
/// type's first objects, which costs nothing to build. If objects are too different for that, a
/// dictionary is trained on many objects. When a dictionary no longer fits new objects, another one
/// replaces it. If an object packs badly with the dictionary, the next objects of its controller
/// are stored as differences to it.
///
/// Labels and the controlling owner are kept uncompressed beside the bytes; repeated label sets and
/// owners are stored once. Reading header, labels and owner is free, and neither label selectors
/// nor indices decode. All readers of an object share its decoded form while any of them holds it.
///
/// An object that is not a valid `K` is cached like any other; each attempt to decode it fails.
/// With a transform, which needs a `K`, the failure is reported on arrival, as with `Typed`. A
/// transform has to be [`serializable`](Transform::serializable).
///
/// # Examples
///
/// ```
/// # use informer_runtime::{Packed, SharedInformer};
/// # use informer_runtime::source::ListerWatcher;
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(source: impl ListerWatcher) -> Result<(), Box<dyn std::error::Error>> {
/// let pods = SharedInformer::<Pod, Packed>::builder(source).build()?;
/// let by_node = pods.add_path_index("spec.nodeName".parse()?)?;
/// for pod in by_node.get("node-1") {
///     println!("{} {:?}", pod.key(), pod.label("app"));
///     let decoded: std::sync::Arc<Pod> = pod.decode()?;
/// }
/// println!("{} bytes", pods.storage().memory().total());
/// # Ok(())
/// # }
/// ```
pub struct Packed {
    level: i32,
    dictionary_bytes: usize,
    shared: Arc<PackedShared>,
}

/// Settings of a [`Packed`] storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PackedSettings {
    /// zstd compression level.
    pub level: i32,
    /// Maximum size of a dictionary, in bytes.
    pub dictionary_bytes: usize,
}

/// Default compression level. A negative zstd level searches for fewer repetitions and does not
/// compress the remaining bytes. That is faster than level 1, and the dictionary already removes
/// most of the redundancy. `docs/performance.md` has measurements.
const LEVEL: i32 = -3;
/// Default maximum size of a dictionary.
const DICTIONARY_BYTES: usize = 32 << 10;

// === impl Packed ===

impl Packed {
    /// Creates the storage of one informer, with default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::with(LEVEL, DICTIONARY_BYTES)
    }

    /// Sets the zstd compression level, from -7 (fastest) to 19 (smallest); 0 means zstd's default
    /// of 3. Values outside that range are clamped. Default: -3. Level 1 packs objects noticeably
    /// smaller and takes longer to pack them.
    #[must_use]
    pub fn level(self, level: i32) -> Self {
        Self::with(level.clamp(-7, 19), self.dictionary_bytes)
    }

    /// Sets the maximum size of a dictionary, in bytes; at least 1 KiB. Default: 32 KiB, above
    /// which larger dictionaries hardly improve compression.
    #[must_use]
    pub fn dictionary_bytes(self, bytes: usize) -> Self {
        Self::with(self.level, bytes.max(1 << 10))
    }

    /// Returns the memory that objects of this storage hold, including objects that left the cache
    /// but are still held by readers. O(distinct labels and owners).
    #[must_use]
    pub fn memory(&self) -> PackedMemory {
        let shared = &*self.shared;
        let samples = shared.json.sample_bytes() + shared.protobuf.sample_bytes();
        let header = PackedObject::<()>::HEADER_BYTES;
        let names = shared.names.bytes();
        shared.ledger.memory(header, names, samples)
    }

    /// Returns the size of the bodies that an eviction frees.
    pub(super) fn bodies(&self) -> usize {
        self.shared.ledger.bodies()
    }

    /// Limits templates, which are not evicted, to a share of the account, and to objects of this
    /// size.
    pub(super) fn limit_templates(&self, account: Arc<Account>, max_object: usize) {
        let limit = TemplateLimit {
            account,
            max_object,
        };
        self.shared.ledger.limit_templates(limit);
    }

    fn with(level: i32, dictionary_bytes: usize) -> Self {
        let ledger = Arc::new(Ledger::default());
        let packer = || Packer::new(level, dictionary_bytes, Arc::clone(&ledger));
        Self {
            level,
            dictionary_bytes,
            shared: Arc::new(PackedShared {
                json: packer(),
                protobuf: packer(),
                names: Names::default(),
                decoded: RecentlyDecoded::default(),
                ledger,
                dropped: OnceLock::new(),
            }),
        }
    }
}

impl Default for Packed {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows the settings that differ from the defaults, for the names of informers.
#[expect(clippy::missing_fields_in_debug, reason = "not for the state")]
impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut settings = f.debug_struct("Packed");
        if self.level != LEVEL {
            settings.field("level", &self.level);
        }
        if self.dictionary_bytes != DICTIONARY_BYTES {
            settings.field("dictionary_bytes", &self.dictionary_bytes);
        }
        settings.finish()
    }
}

impl<K: Object> Storage<K> for Packed {
    type Object = PackedObject<K>;
    type Settings = PackedSettings;

    fn settings(&self) -> PackedSettings {
        PackedSettings {
            level: self.level,
            dictionary_bytes: self.dictionary_bytes,
        }
    }

    fn make(
        &self,
        raw: &RawObject,
        transform: Option<&Transform<K>>,
    ) -> Result<PackedObject<K>, ObjectError> {
        match transform {
            None => Ok(PackedObject::new(raw, &self.shared)),
            Some(transform) => {
                self.shared.ledger.count_decoding();
                let transformed = transform.apply_to_bytes(raw)?;
                Ok(PackedObject::new(&transformed, &self.shared))
            }
        }
    }

    fn decode(object: &Arc<PackedObject<K>>) -> Result<Arc<K>, ObjectError> {
        object.decode()
    }

    fn label<'o>(object: &'o PackedObject<K>, key: &str) -> Option<&'o str> {
        object.label(key)
    }

    fn labels(object: &PackedObject<K>) -> impl Iterator<Item = (&str, &str)> {
        object.labels()
    }

    fn controller(object: &PackedObject<K>) -> Option<&OwnerReference> {
        object.controller()
    }

    fn accepts(&self, transform: &Transform<K>) -> bool {
        transform.is_serializable()
    }

    fn texts_at(
        object: &PackedObject<K>,
        path: &FieldPath,
    ) -> Option<Result<Vec<String>, IndexFunctionError>> {
        Some(object.values_at(path))
    }

    fn metrics(&self) -> StorageMetrics {
        StorageMetrics {
            decoded_objects: Some(self.shared.ledger.decodings()),
            packed: Some(self.memory()),
            reported_bytes: 0,
        }
    }
}

impl<K: Object> PathStorage<K> for Packed {}

#[cfg(test)]
mod tests;

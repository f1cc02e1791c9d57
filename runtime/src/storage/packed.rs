//! [`Packed`]: compressed bytes, decoded when somebody asks.
//!
//! ```text
//!  RawObject ── related ──► labels, owner ── Interner ──┐
//!      └────── bytes ──► Packer ── dictionary ──► Body ─┴─► PackedObject ── decode ──► Arc<K>
//!                          └─► Trainer: samples in, now and then an order for a new dictionary out
//! ```
//!
//! # Invariants
//!
//! 1. What the bytes of an object were before they were packed, they are again after.
//! 2. `Ledger` counts each object and each dictionary while it is held by anybody, and no longer.
//! 3. No lock is held while another one is taken. The only user code that runs under one is the
//!    decoding of one object, under that object's own lock: it is what its other readers wait for.

mod body;
mod context;
mod decoded;
mod dictionary;
mod intern;
mod memory;
mod object;
mod shared;
mod trainer;

use std::fmt;
use std::sync::Arc;

use self::body::Packer;
use self::decoded::Decoded;
use self::intern::Names;
use self::memory::Ledger;
pub use self::object::PackedObject;
use self::shared::Shared;
use super::{ObjectError, PackedMemory, PathStorage, Storage, StorageMetrics, Transform};
use crate::object::Object;
use crate::storage::{Entry, IndexFunctionError};
use crate::wire::{FieldPath, RawObject};

/// Keeps objects as compressed bytes, and decodes one when somebody asks for it.
///
/// # When to choose it
///
/// When memory matters and few objects are looked into: a controller that takes keys off a queue
/// and reads one object at a time, a cache of every Pod of a large cluster of which labels, owners
/// and indices are asked, dynamic and metadata caches of many types. A Pod of 5.6 KB takes some
/// hundred bytes in here, and 27 KB or more decoded.
///
/// Choose [`Typed`](super::Typed), the default, when most objects are looked into often: each
/// [`decode`](PackedObject::decode) of an object that nobody holds decoded costs tens of
/// microseconds and a fresh copy. Handlers that look into each object they are shown cost one
/// decoding per change, as with `Typed`, and so do indices by function; indices over a path
/// ([`add_path_index`](crate::SharedInformer::add_path_index)) do not.
///
/// # What it does
///
/// Objects are compressed by zstd against a dictionary: the type's first objects as they are, which
/// costs nothing to make, or what is found in many of them where they are too unlike each other for
/// that. It is made anew when it no longer fits what comes. Labels and the controlling owner are
/// readable beside the bytes, label sets and owners that repeat are stored once. Header, labels and
/// owner cost nothing to read, and neither label selectors nor indices decode. A decoded object is
/// shared while anyone holds it.
///
/// An object that is no `K` is in the cache like any other; decoding it is an error each time. With
/// a transform, which sees a `K`, it is reported when it arrives, as with `Typed`. A transform has
/// to be [`serializable`](Transform::serializable).
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
    shared: Arc<Shared>,
}

/// The settings of a [`Packed`], as it was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PackedSettings {
    /// zstd's level.
    pub level: i32,
    /// The largest dictionary.
    pub dictionary_bytes: usize,
}

/// Below zero zstd looks for repetitions in fewer places, and leaves what does not repeat as it is.
/// A Pod of 2.4 KB in protobuf is packed into 276 bytes in 1.8 µs at 1, into 366 in 1.5 µs at -1,
/// into 404 in 1.2 µs at -3 and into 430 in 1.1 µs at -5, of some 9 µs that it takes until it is in
/// the store, where it takes 1.4 KB in all; one of 4.6 KB in JSON into 272 in 2.0 µs at 1, and into
/// 388 in 1.6 µs at -3.
const LEVEL: i32 = -3;
/// Size of a dictionary, unless set.
const DICTIONARY_BYTES: usize = 32 << 10;

// === impl Packed ===

impl Packed {
    /// The storage of one informer, with default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::with(LEVEL, DICTIONARY_BYTES)
    }

    /// How hard to compress: zstd's levels, from -7, the fastest, to 19; 0 stands for 3. Default:
    /// -3. At 1 an object has a quarter to a third fewer bytes beside its header and takes half as
    /// long again to be packed.
    #[must_use]
    pub fn level(self, level: i32) -> Self {
        Self::with(level.clamp(-7, 19), self.shared.json.dictionary_bytes())
    }

    /// The largest dictionary, in bytes, from 1 KiB on. Default: 32 KiB; larger ones packed hardly
    /// better when they were measured.
    #[must_use]
    pub fn dictionary_bytes(self, bytes: usize) -> Self {
        Self::with(self.shared.json.level(), bytes.max(1 << 10))
    }

    /// The memory that objects of this storage hold, those included that left the cache and are
    /// held by readers. O(distinct labels and owners).
    #[must_use]
    pub fn memory(&self) -> PackedMemory {
        let Shared {
            json,
            protobuf,
            names,
            ledger,
            ..
        } = &*self.shared;
        ledger.memory(names.bytes(), json.sample_bytes() + protobuf.sample_bytes())
    }

    fn with(level: i32, dictionary_bytes: usize) -> Self {
        let ledger = Arc::new(Ledger::default());
        Self {
            shared: Arc::new(Shared {
                json: Packer::new(level, dictionary_bytes, Arc::clone(&ledger)),
                protobuf: Packer::new(level, dictionary_bytes, Arc::clone(&ledger)),
                names: Names::default(),
                decoded: Decoded::default(),
                ledger,
            }),
        }
    }
}

impl Default for Packed {
    fn default() -> Self {
        Self::new()
    }
}

/// The settings that are not the default ones, for the names of informers.
impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (level, bytes) = (
            self.shared.json.level(),
            self.shared.json.dictionary_bytes(),
        );
        let mut settings = f.debug_struct("Packed");
        if level != LEVEL {
            settings.field("level", &level);
        }
        if bytes != DICTIONARY_BYTES {
            settings.field("dictionary_bytes", &bytes);
        }
        settings.finish()
    }
}

impl<K: Object> Storage<K> for Packed {
    type Handle = PackedObject<K>;
    type Settings = PackedSettings;

    fn settings(&self) -> PackedSettings {
        PackedSettings {
            level: self.shared.json.level(),
            dictionary_bytes: self.shared.json.dictionary_bytes(),
        }
    }

    fn make_handle(
        &self,
        raw: &RawObject,
        transform: Option<&Transform<K>>,
    ) -> Result<Self::Handle, ObjectError> {
        match transform {
            None => Ok(PackedObject::new(raw, &self.shared)),
            Some(transform) => {
                self.shared.ledger.count_decoding();
                let transformed = transform.apply_to_bytes(raw)?;
                Ok(PackedObject::new(&transformed, &self.shared))
            }
        }
    }

    fn object(handle: &Self::Handle) -> Result<Arc<K>, ObjectError> {
        handle.decode()
    }

    fn label<'h>(handle: &'h Self::Handle, key: &str) -> Option<&'h str> {
        handle.label(key)
    }

    fn accepts(&self, transform: &Transform<K>) -> bool {
        transform.is_serializable()
    }

    fn texts_at(
        entry: &Entry<Self::Handle>,
        path: &FieldPath,
    ) -> Option<Result<Vec<String>, IndexFunctionError>> {
        Some(entry.handle.values_at(path))
    }

    fn metrics(&self) -> StorageMetrics {
        StorageMetrics {
            decoded_objects: Some(self.shared.ledger.decodings()),
            packed: Some(self.memory()),
        }
    }
}

impl<K: Object> PathStorage<K> for Packed {
    fn values_at(
        entry: &Entry<Self::Handle>,
        path: &FieldPath,
    ) -> Result<Vec<String>, IndexFunctionError> {
        entry.handle.values_at(path)
    }
}

#[cfg(test)]
mod tests;

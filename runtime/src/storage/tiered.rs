//! [`Tiered`]: packed objects whose bodies leave the memory under a [`Budget`](super::Budget), and
//! are loaded again when a reader asks for them.
//!
//! ```text
//!  RawObject ──► TieredObject: header, labels, owner ── always in memory
//!                    ├─ body, packed ◄── evicted: the largest and least read ── Account
//!                    ├─ decoded ◄─────── kept while it is read often             (one a factory)
//!                    └─ load ──► memory, or Loads ──► GET of that version or a later one
//! ```
//!
//! # Invariants
//!
//! 1. An object is evicted only after the values of all indices are known. For an index that is added
//!    later, a list brings a copy of the object, from which the values are computed.
//! 2. All concurrent loads of one version of an object share a request.

mod loads;
mod object;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use self::loads::Loads;
pub use self::object::TieredObject;
use super::budget::Part;
use super::packed::Packed;
use super::{
    Entry, IndexFunctionError, Link, ObjectError, PackedMemory, PathStorage, Storage,
    StorageMetrics, Transform,
};
use crate::object::Object;
use crate::wire::{FieldPath, RawObject};

/// Keeps objects packed, as [`Packed`] does, within the [`Budget`](super::Budget) of the factory.
///
/// # When to choose it
///
/// When the cluster decides how large the objects are, and the process must not die of them: a cache
/// of every `ConfigMap`, Secret or custom resource of all tenants. Without a budget, `Tiered` evicts
/// only bodies that exceed [`max_object`](Self::max_object).
///
/// # Design
///
/// Key, uid, version, labels, controlling owner and the values of indices always stay in memory. So
/// lists, selectors, owners and indices are exact. When the factory's informers hold more than 80 %
/// of the budget, bodies are evicted: of the sizes that hold most of the memory, the body that was
/// not read for the longest time. Objects that are read often stay decoded, in at most 20 % of the
/// budget. Nothing is written to disk.
///
/// [`TieredObject::load`] returns an object from memory or from the API server, which requires the
/// verb `get`. Handlers receive handles, too: the body of an event's object may be evicted before
/// the handler runs.
///
/// Declare indices before the factory starts. An index by path or function that is added later, when
/// bodies were evicted, makes the informer list once more;
/// [`Index::wait_complete`](crate::Index::wait_complete) waits for the values.
///
/// # Examples
///
/// ```
/// # use informer_runtime::{SharedInformerFactory, Tiered};
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # async fn doc(factory: SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
/// let tiered = factory.stored_as_with(|| Tiered::new().max_object(256 << 10));
/// let configs = tiered.informer::<ConfigMap>();
/// if let Some(object) = configs.lister().namespace("a").get("big") {
///     let config: std::sync::Arc<ConfigMap> = object.load().await?;
/// }
/// # Ok(())
/// # }
/// ```
pub struct Tiered {
    packed: Packed,
    max_object: usize,
    loads: Arc<Loads>,
}

// === impl Tiered ===

impl Tiered {
    /// Creates the storage of one informer, with default settings.
    #[must_use]
    pub fn new() -> Self {
        Self {
            packed: Packed::new(),
            max_object: usize::MAX,
            loads: Arc::default(),
        }
    }

    /// Sets the maximum size of a body that is kept, in bytes as the API server sent it, after field
    /// cuts. Larger bodies are loaded for each reader. Default: no maximum.
    #[must_use]
    pub fn max_object(mut self, bytes: usize) -> Self {
        self.max_object = bytes;
        self
    }

    /// Returns the memory that objects of this storage hold; see [`Packed::memory`].
    #[must_use]
    pub fn memory(&self) -> PackedMemory {
        let packed = self.packed.memory();
        PackedMemory {
            decoded_bytes: self.loads.decoded.load(Ordering::Relaxed),
            header_bytes: packed.objects * TieredObject::<()>::HEADER_BYTES,
            ..packed
        }
    }
}

impl Default for Tiered {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows the settings that differ from the defaults, for the names of informers.
impl fmt::Debug for Tiered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max_object {
            usize::MAX => f.write_str("Tiered"),
            bytes => write!(f, "Tiered {{ max_object: {bytes} }}"),
        }
    }
}

impl<K: Object> Storage<K> for Tiered {
    type Object = TieredObject<K>;
    /// Value of [`max_object`](Tiered::max_object).
    type Settings = usize;

    fn settings(&self) -> usize {
        self.max_object
    }

    fn make(
        &self,
        raw: &RawObject,
        transform: Option<&Transform<K>>,
    ) -> Result<TieredObject<K>, ObjectError> {
        let packed = Storage::<K>::make(&self.packed, raw, transform)?;
        Ok(TieredObject::new(packed, &self.loads, self.max_object))
    }

    fn decode(object: &Arc<TieredObject<K>>) -> Result<Arc<K>, ObjectError> {
        object.in_memory()
    }

    fn label<'o>(object: &'o TieredObject<K>, key: &str) -> Option<&'o str> {
        object.label(key)
    }

    fn labels(object: &TieredObject<K>) -> impl Iterator<Item = (&str, &str)> {
        object.labels()
    }

    fn controller(object: &TieredObject<K>) -> Option<&OwnerReference> {
        object.controller()
    }

    fn accepts(&self, transform: &Transform<K>) -> bool {
        transform.is_serializable()
    }

    fn texts_at(
        object: &TieredObject<K>,
        path: &FieldPath,
    ) -> Option<Result<Vec<String>, IndexFunctionError>> {
        Some(object.values_at(path))
    }

    fn metrics(&self) -> StorageMetrics {
        let memory = self.memory();
        StorageMetrics {
            reported_bytes: self.packed.bodies() + memory.decoded_bytes,
            packed: Some(memory),
            ..<Packed as Storage<K>>::metrics(&self.packed)
        }
    }

    fn attach(&self, link: Link) {
        self.packed
            .limit_templates(Arc::clone(&link.account), self.max_object);
        self.loads.attach(link);
    }

    fn settle(&self, entries: &mut dyn Iterator<Item = &Entry>) {
        let bodies = entries
            .filter_map(|entry| entry.object::<TieredObject<K>>()?.settle())
            .collect();
        self.loads.keep(Part::Body, bodies);
    }
}

impl<K: Object> PathStorage<K> for Tiered {}

#[cfg(test)]
mod tests;

//! [`EntryMaker`]: from an object of the source to its entry.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::coverage::Coverage;
use crate::indexer::{Indexed, Store};
use crate::object::{Footprint, Object};
use crate::storage::{
    Entry, Filter, ObjectError, Storage, StorageMetrics, Transform, Undecodable, decoded_bytes,
};
use crate::wire::{DropFields, Header, RawObject};

/// Cuts fields, decodes and transforms each object once. A panic of user code affects only its
/// object.
pub(crate) struct EntryMaker {
    objects: Box<dyn MakeObject>,
    /// Store whose indices the entries get values of.
    store: Option<Store>,
    drop_fields: Option<DropFields>,
    coverage: Arc<Coverage>,
    /// Estimates the memory of a number of objects of an encoded size.
    pub(crate) decoded_bytes: fn(usize, usize) -> usize,
    /// Size of the new objects of the lists that are being made, in bytes.
    pub(crate) listed: AtomicUsize,
}

/// Object that was made.
#[derive(Debug)]
pub(super) enum Made<E = Arc<Entry>> {
    /// Entry to store.
    Kept(Indexed<E>),
    /// Version that the filter leaves out.
    Filtered(E),
    Undecodable(Undecodable),
}

/// Makes objects for a storage, without their type.
trait MakeObject: Send + Sync {
    /// Makes the stored form of an object, and reports whether the filter keeps it.
    fn make(&self, raw: &RawObject) -> Result<(Arc<dyn Any + Send + Sync>, bool), ObjectError>;
    /// Tells the storage that these entries are complete.
    fn settle(&self, entries: &mut dyn Iterator<Item = &Entry>);
    fn metrics(&self) -> StorageMetrics;
}

/// Storage of an informer, with what changes or leaves out its objects.
struct Stored<K, S> {
    storage: Arc<S>,
    transform: Option<Transform<K>>,
    filter: Option<Filter<K>>,
}

impl<K: Object, S: Storage<K>> MakeObject for Stored<K, S> {
    fn make(&self, raw: &RawObject) -> Result<(Arc<dyn Any + Send + Sync>, bool), ObjectError> {
        let object = Arc::new(self.storage.make(raw, self.transform.as_ref())?);
        let is_kept = match &self.filter {
            Some(filter) => filter.keeps(&*S::decode(&object)?),
            None => true,
        };
        Ok((object, is_kept))
    }

    fn settle(&self, entries: &mut dyn Iterator<Item = &Entry>) {
        self.storage.settle(entries);
    }

    fn metrics(&self) -> StorageMetrics {
        self.storage.metrics()
    }
}

// === impl EntryMaker ===

impl EntryMaker {
    /// Creates a maker of the objects of a storage.
    pub(crate) fn new<K: Object, S: Storage<K>>(
        storage: &Arc<S>,
        transform: Option<Transform<K>>,
        filter: Option<Filter<K>>,
    ) -> Self {
        let stored = Stored {
            storage: Arc::clone(storage),
            transform,
            filter,
        };
        Self {
            objects: Box::new(stored),
            store: None,
            drop_fields: None,
            coverage: Arc::default(),
            decoded_bytes: decoded_bytes::<S::Object>,
            listed: AtomicUsize::new(0),
        }
    }

    /// Drops these fields of each object.
    pub(crate) fn drop_fields(mut self, fields: Option<&DropFields>) -> Self {
        self.drop_fields = fields.filter(|fields| !fields.is_empty()).cloned();
        self
    }

    /// Sets the objects that the informer caches. Default: all.
    pub(crate) fn covering(mut self, coverage: &Arc<Coverage>) -> Self {
        self.coverage = Arc::clone(coverage);
        self
    }

    /// Makes entries for this store.
    pub(crate) fn for_store(mut self, store: &Store) -> Self {
        self.store = Some(store.clone());
        self
    }

    /// Returns `true` if the informer caches this object. Other objects are dropped undecoded.
    pub(super) fn covers(&self, raw: &RawObject) -> bool {
        self.coverage.covers(raw.key(), raw.uid())
    }

    /// Decodes, transforms and filters an object, without the fields that are not cached. The entry of
    /// one that is kept has to be [completed](Self::complete).
    pub(super) fn make(&self, raw: &RawObject) -> Made<Entry> {
        let Header {
            key,
            uid,
            resource_version,
        } = raw.header().clone();
        let cut = self.drop_fields.as_ref().map(|fields| raw.without(fields));
        let raw = cut.as_ref().unwrap_or(raw);
        // An uncaught panic would fail the whole list, and every list after it.
        let made = ObjectError::contain(raw.header(), || {
            raw.check_size()?;
            self.objects.make(raw)
        });
        match made {
            Ok((object, is_kept)) => {
                let entry = Entry {
                    key,
                    uid,
                    resource_version,
                    footprint: Footprint::new(raw.bytes().len()),
                    object,
                };
                if !is_kept {
                    return Made::Filtered(entry);
                }
                Made::Kept(entry.into())
            }
            Err(error) => Made::Undecodable(Undecodable {
                key,
                uid,
                resource_version,
                error: Arc::new(error),
            }),
        }
    }

    /// Computes the values of the indices for the kept entries. Their objects can be evicted from now
    /// on.
    ///
    /// Holds the state of the store only here, and not while objects are decoded: with a reader, each
    /// write copies what it changes, and whoever reads last frees the objects that were replaced.
    pub(super) fn complete<T>(&self, made: &mut [(T, Option<Made<Entry>>)]) {
        if let Some(store) = &self.store {
            let state = store.state();
            for (_, made) in made.iter_mut() {
                if let Some(Made::Kept(indexed)) = made {
                    indexed.compute(&state);
                }
            }
        }
        let mut kept = made.iter().filter_map(|(_, made)| match made {
            Some(Made::Kept(indexed)) => Some(&**indexed),
            Some(Made::Filtered(_) | Made::Undecodable(_)) | None => None,
        });
        self.objects.settle(&mut kept);
    }

    /// Returns measurements of the storage.
    pub(crate) fn storage_metrics(&self) -> StorageMetrics {
        self.objects.metrics()
    }
}

impl fmt::Debug for EntryMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntryMaker").finish_non_exhaustive()
    }
}

// === impl Made ===

impl Made<Entry> {
    pub(super) fn shared(self) -> Made {
        match self {
            Self::Kept(indexed) => Made::Kept(indexed.map(Arc::new)),
            Self::Filtered(entry) => Made::Filtered(Arc::new(entry)),
            Self::Undecodable(undecodable) => Made::Undecodable(undecodable),
        }
    }
}

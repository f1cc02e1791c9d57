//! [`EntryMaker`]: from an object of the source to its entry.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::indexer::Store;
use crate::object::{Footprint, Object, ObjectKey, Uid};
use crate::storage::{
    Covers, Entry, Filter, IndexValues, ObjectError, Storage, StorageMetrics, Transform,
    Undecodable, decoded_bytes,
};
use crate::wire::{DropFields, Header, RawObject};

/// Cuts fields, decodes and transforms each object once. A panic of user code affects only its
/// object.
pub(crate) struct EntryMaker {
    make: Box<MakeObject>,
    settle: Box<Settle>,
    /// Store whose indices the entries get values of.
    store: Option<Store>,
    metrics: Box<dyn Fn() -> StorageMetrics + Send + Sync>,
    drop_fields: Option<DropFields>,
    /// Objects to keep; `None` keeps all.
    pub(crate) kept: Option<Covers>,
    /// Estimates the memory of a number of objects of an encoded size.
    pub(crate) decoded_bytes: fn(usize, usize) -> usize,
    /// Size of the new objects of the lists that are being made, in bytes.
    pub(crate) listed: AtomicUsize,
}

/// Object that was made.
#[derive(Debug)]
pub(super) enum Made<E = Arc<Entry>> {
    /// Entry to store.
    Kept(E),
    /// Version that the filter leaves out.
    Filtered(E),
    Undecodable(Undecodable),
}

/// Makes the stored form of an object, and reports whether the filter keeps it.
type MakeObject = dyn Fn(&RawObject) -> Result<MadeObject, ObjectError> + Send + Sync;

type MadeObject = (Arc<dyn Any + Send + Sync>, bool);

/// Notifies the storage of complete entries.
type Settle = dyn Fn(&mut dyn Iterator<Item = (&Entry, Vec<IndexValues>)>) + Send + Sync;

// === impl EntryMaker ===

impl EntryMaker {
    /// Creates a maker of the objects of a storage.
    pub(crate) fn new<K: Object, S: Storage<K>>(
        storage: &Arc<S>,
        transform: Option<Transform<K>>,
        filter: Option<Filter<K>>,
    ) -> Self {
        let maker = Arc::clone(storage);
        let make = move |raw: &RawObject| -> Result<MadeObject, ObjectError> {
            let object = Arc::new(maker.make(raw, transform.as_ref())?);
            let is_kept = match &filter {
                Some(filter) => filter.keeps(&*S::decode(&object)?),
                None => true,
            };
            Ok((object, is_kept))
        };
        let settler = Arc::clone(storage);
        let measured = Arc::clone(storage);
        Self {
            make: Box::new(make),
            settle: Box::new(move |entries| settler.settle(entries)),
            store: None,
            metrics: Box::new(move || measured.metrics()),
            drop_fields: None,
            kept: None,
            decoded_bytes: decoded_bytes::<S::Object>,
            listed: AtomicUsize::new(0),
        }
    }

    /// Drops these fields of each object.
    pub(crate) fn drop_fields(mut self, fields: Option<&DropFields>) -> Self {
        self.drop_fields = fields.filter(|fields| !fields.is_empty()).cloned();
        self
    }

    /// Keeps only these objects, if there is a condition.
    pub(crate) fn only(mut self, kept: Option<Covers>) -> Self {
        self.kept = kept;
        self
    }

    /// Makes entries for this store.
    pub(crate) fn for_store(mut self, store: &Store) -> Self {
        self.store = Some(store.clone());
        self
    }

    /// Returns `true` if the informer caches this object. Other objects are dropped undecoded.
    pub(crate) fn keeps(&self, key: &ObjectKey, uid: Option<&Uid>) -> bool {
        self.kept.iter().all(|kept| kept(key, uid))
    }

    /// Decodes, transforms and filters an object, without the fields that are not cached. The entry of
    /// one that is kept has to be [settled](Self::settle).
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
            (self.make)(raw)
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
                if is_kept {
                    Made::Kept(entry)
                } else {
                    Made::Filtered(entry)
                }
            }
            Err(error) => Made::Undecodable(Undecodable {
                key,
                uid,
                resource_version,
                error: Arc::new(error),
            }),
        }
    }

    /// Completes entries. Their objects can be evicted from now on.
    pub(super) fn settle<'e>(&self, entries: impl Iterator<Item = &'e Entry>) {
        let state = self.store.as_ref().map(Store::state);
        let values = |entry| Some(state.as_ref()?.index_values(entry));
        (self.settle)(&mut entries.map(|entry| (entry, values(entry).unwrap_or_default())));
    }

    /// Returns measurements of the storage.
    pub(crate) fn storage_metrics(&self) -> StorageMetrics {
        (self.metrics)()
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
            Self::Kept(entry) => Made::Kept(Arc::new(entry)),
            Self::Filtered(entry) => Made::Filtered(Arc::new(entry)),
            Self::Undecodable(undecodable) => Made::Undecodable(undecodable),
        }
    }
}

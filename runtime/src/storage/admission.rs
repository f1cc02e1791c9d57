//! The way of an object into the store.

use std::sync::Arc;

use super::{ObjectError, Storage, Transform};
use crate::base::panic::{Panicked, catch};
use crate::object::Object;
use crate::storage::{Entry, Undecodable};
use crate::wire::{DropFields, RawObject};

/// The way of an object into the store: cut, decoded and transformed once. User code that panics on the
/// way costs its object only.
#[derive(Debug)]
pub(crate) struct Admission<K: Object, S> {
    pub(crate) storage: S,
    pub(crate) transform: Option<Transform<K>>,
    pub(crate) drop_fields: Option<DropFields>,
}

// === impl Admission ===

/// What the reflector knows of a storage: how to take an object in.
pub(crate) trait Admit<H>: Send + Sync {
    /// Decodes and transforms an object, once.
    ///
    /// # Errors
    ///
    /// The version that could not be taken in, and why.
    fn admit(&self, raw: &RawObject) -> Result<Entry<H>, Undecodable>;

    /// Whether what is kept are decoded objects: many allocations each, which stay.
    fn keeps_decoded(&self) -> bool;
}

impl<K: Object, S: Storage<K>> Admit<S::Handle> for Admission<K, S> {
    fn admit(&self, raw: &RawObject) -> Result<Entry<S::Handle>, Undecodable> {
        let header = raw.header();
        let cut = self.drop_fields.as_ref().map(|fields| raw.without(fields));
        let raw = cut.as_ref().unwrap_or(raw);
        let admit = || {
            raw.check_size()?;
            self.storage.admit(raw, self.transform.as_ref())
        };
        // A panic in here would fail the whole list, and every one after it.
        let admitted = catch(admit).unwrap_or_else(|Panicked| {
            Err(ObjectError::Panicked {
                key: header.key.clone(),
                resource_version: header.resource_version.clone(),
            })
        });
        match admitted {
            Ok(handle) => Ok(Entry {
                key: header.key.clone(),
                uid: header.uid.clone(),
                resource_version: header.resource_version.clone(),
                handle,
            }),
            Err(error) => Err(Undecodable {
                key: header.key.clone(),
                resource_version: header.resource_version.clone(),
                error: Arc::new(error),
            }),
        }
    }

    fn keeps_decoded(&self) -> bool {
        S::KEEPS_DECODED
    }
}

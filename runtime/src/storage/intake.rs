//! [`Intake`]: makes the entry of an object that arrived.

use std::sync::Arc;

use super::{ObjectError, Storage, Transform};
use crate::base::panic::{Panicked, catch};
use crate::object::Object;
use crate::storage::{Entry, Undecodable};
use crate::wire::{DropFields, RawObject};

/// Cuts, decodes and transforms each object once. User code that panics meanwhile costs its object
/// only.
#[derive(Debug)]
pub(crate) struct Intake<K: Object, S> {
    pub(crate) storage: S,
    pub(crate) transform: Option<Transform<K>>,
    pub(crate) drop_fields: Option<DropFields>,
}

/// [`Intake`], of which the reflector knows only the handles.
pub(crate) trait MakeEntry<H>: Send + Sync {
    /// Decodes and transforms an object, once.
    ///
    /// # Errors
    ///
    /// The object does not decode, or the transform refused it.
    fn make_entry(&self, raw: &RawObject) -> Result<Entry<H>, Undecodable>;

    /// Whether what is kept are decoded objects: many allocations each, which stay.
    fn keeps_decoded(&self) -> bool;
}

// === impl Intake ===

impl<K: Object, S: Storage<K>> MakeEntry<S::Handle> for Intake<K, S> {
    fn make_entry(&self, raw: &RawObject) -> Result<Entry<S::Handle>, Undecodable> {
        let header = raw.header();
        let cut = self.drop_fields.as_ref().map(|fields| raw.without(fields));
        let raw = cut.as_ref().unwrap_or(raw);
        let make = || {
            raw.check_size()?;
            self.storage.make_handle(raw, self.transform.as_ref())
        };
        // A panic in here would fail the whole list, and every one after it.
        let handle = catch(make).unwrap_or_else(|Panicked| {
            Err(ObjectError::Panicked {
                key: header.key.clone(),
                resource_version: header.resource_version.clone(),
            })
        });
        match handle {
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

//! [`PackedObject`]: a packed object, with the parts that are readable without decoding.

use std::fmt;
use std::sync::{Arc, Weak};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;

use super::body::Body;
use super::decoded::{Cell, Clear};
use super::intern::{Label, Owner};
use super::memory::Share;
use super::shared::Shared;
use crate::base::panic::{Panicked, catch};
use crate::object::{Object, ObjectKey, ResourceVersion, Uid};
use crate::storage::{IndexFunctionError, ObjectError};
use crate::wire::{DecodeError, DropFields, FieldPath, Header, RawEncoding, RawObject};

/// Object of a [`Packed`](super::Packed) storage.
///
/// Key, uid, version, labels and controlling owner are readable without decoding; everything else
/// needs [`decode`](Self::decode). `Debug` prints the header and sizes, never the content.
pub struct PackedObject<K> {
    header: Header,
    spelling: RawEncoding,
    body: Body,
    labels: Option<Arc<[Label]>>,
    controller: Option<Arc<Owner>>,
    dropped: Option<DropFields>,
    decoded: Mutex<Cell<K>>,
    shared: Arc<Shared>,
}

// === impl PackedObject ===

impl<K> PackedObject<K> {
    pub(super) fn new(raw: &RawObject, shared: &Arc<Shared>) -> Self {
        let related = raw.related();
        let labels = shared.names.labels(&related);
        let controller = related.controller.map(|owner| shared.names.owner(owner));
        let templates = controller.as_deref().map(|owner| &owner.templates);
        let packer = shared.packer(raw.encoding());
        let object = Self {
            header: raw.header().clone(),
            spelling: raw.spelling(),
            body: packer.pack(raw.bytes(), templates),
            labels,
            controller,
            dropped: raw.dropped().cloned(),
            decoded: Mutex::new(Cell::new()),
            shared: Arc::clone(shared),
        };
        shared.ledger.add(object.share());
        shared.decoded.sweep();
        object
    }

    /// Returns namespace and name.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        &self.header.key
    }

    /// Returns `metadata.uid`.
    #[must_use]
    pub fn uid(&self) -> Option<&Uid> {
        self.header.uid.as_ref()
    }

    /// Returns `metadata.resourceVersion`; unset if the object has none.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.header.resource_version
    }

    /// Returns the labels, ascending by key.
    #[must_use]
    pub fn labels(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let labels = self.labels.as_deref().unwrap_or_default();
        labels.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Returns the value of one label.
    #[must_use]
    pub fn label(&self, key: &str) -> Option<&str> {
        let labels = self.labels.as_deref()?;
        let at = labels.binary_search_by(|(other, _)| (**other).cmp(key));
        labels.get(at.ok()?).map(|(_, value)| &**value)
    }

    /// Returns the owner reference of the controller. Go's counterpart is `metav1.GetControllerOf`.
    #[must_use]
    pub fn controller(&self) -> Option<&OwnerReference> {
        let owner = self.controller.as_deref()?;
        Some(&owner.reference)
    }

    /// Returns the packed size of the object, in bytes.
    #[must_use]
    pub fn packed_bytes(&self) -> usize {
        self.body.len()
    }

    /// Unpacks the object and returns its bytes as they arrived.
    ///
    /// # Errors
    ///
    /// Fails if memory is exhausted or the packed bytes are damaged.
    pub fn to_raw(&self) -> Result<RawObject, ObjectError> {
        let Self {
            header,
            spelling,
            body,
            dropped,
            ..
        } = self;
        let bytes = body.unpack().map_err(|_| DecodeError {
            key: header.key.clone(),
            resource_version: header.resource_version.clone(),
            path: ".".to_owned(),
            message: "packed bytes are damaged".to_owned(),
            needs_json: false,
        })?;
        let raw = RawObject::new(header.clone(), *spelling, bytes.into());
        Ok(raw.with_dropped(dropped.clone()))
    }

    /// Decodes the object into another type of the same resource, usually one with few fields. The
    /// decoder skips fields that the type does not have.
    ///
    /// Each call decodes, and readers of [`decode`](Self::decode) are not affected. Whether `T`
    /// belongs to the resource is not checked.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a valid `T`, as [`decode`](Self::decode) does.
    ///
    /// # Examples
    ///
    /// A reconciler of Pods pays for the fields that it reads:
    ///
    /// ```
    /// # use informer_runtime::{Lister, ObjectKey, Packed};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct PodSummary {
    ///     #[serde(default)]
    ///     status: PodPhase,
    /// }
    ///
    /// #[derive(Deserialize, Default)]
    /// struct PodPhase {
    ///     phase: Option<String>,
    /// }
    ///
    /// # fn doc(pods: Lister<Pod, Packed>, key: &ObjectKey) -> Result<(), Box<dyn std::error::Error>> {
    /// if let Some(pod) = pods.get_by_key(key) {
    ///     let summary: PodSummary = pod.decode_as()?;
    ///     println!("{} is {:?}", pod.key(), summary.status.phase);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn decode_as<T: DeserializeOwned>(&self) -> Result<T, ObjectError> {
        self.decode_by(RawObject::decode_few)
    }

    fn decode_by<T>(
        &self,
        decode: impl FnOnce(&RawObject) -> Result<T, DecodeError>,
    ) -> Result<T, ObjectError> {
        self.shared.ledger.count_decoding();
        let raw = self.to_raw()?;
        // User code of the type: a panic in it must not reach the reader.
        match catch(|| decode(&raw)) {
            Ok(decoded) => Ok(decoded?),
            Err(Panicked) => Err(ObjectError::Panicked {
                key: self.key().clone(),
                resource_version: self.resource_version().clone(),
            }),
        }
    }

    /// Returns the scalars at `path`; see [`RawObject::values_at`].
    pub(super) fn values_at(&self, path: &FieldPath) -> Result<Vec<String>, IndexFunctionError> {
        match path.as_label() {
            // Labels are readable without unpacking.
            Some(key) => Ok(self.label(key).map(str::to_owned).into_iter().collect()),
            None => Ok(self.to_raw()?.values_at(path)?),
        }
    }
}

impl<K: Object> PackedObject<K> {
    /// Returns the decoded object. All readers share one decoded object while any of them holds it.
    /// Of several concurrent callers, one decodes and the others wait for the result.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a valid `K`. The error names key, version and the path in the
    /// document. A failure is not cached: the next call tries again.
    pub fn decode(self: &Arc<Self>) -> Result<Arc<K>, ObjectError> {
        let (value, is_new) = {
            let mut cell = self.decoded.lock();
            if let Some(value) = cell.get() {
                return Ok(value);
            }
            let value = Arc::new(self.decode_by(RawObject::decode)?);
            let is_new = cell.set(&value);
            (value, is_new)
        };
        if is_new {
            let weak: Weak<Self> = Arc::downgrade(self);
            self.shared.decoded.add(weak);
        }
        Ok(value)
    }
}

impl<K> fmt::Debug for PackedObject<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedObject")
            .field("header", &self.header)
            .field("packed_bytes", &self.body.len())
            .field("unpacked_bytes", &self.body.unpacked_len())
            .finish_non_exhaustive()
    }
}

impl<K> PackedObject<K> {
    /// Returns the memory that the object counts for.
    fn share(&self) -> Share {
        Share {
            packed: self.body.own_len(),
            unpacked: self.body.unpacked_len(),
            // Includes the two counters of the `Arc`.
            header: size_of::<Self>() + 2 * size_of::<usize>(),
        }
    }
}

impl<K> Drop for PackedObject<K> {
    fn drop(&mut self) {
        self.shared.ledger.remove(self.share());
    }
}

impl<K: Send + Sync> Clear for PackedObject<K> {
    fn clear(&self) -> bool {
        // The lock is taken while another thread decodes, so the value is in use.
        let Some(mut cell) = self.decoded.try_lock() else {
            return false;
        };
        let cleared = cell.clear();
        drop(cell);
        cleared.is_some()
    }
}

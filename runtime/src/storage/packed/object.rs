//! [`PackedObject`]: a packed object, with the parts that are readable without decoding.

use std::fmt;
use std::sync::{Arc, Weak};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;

use super::body::Body;
use super::decoded::{Cell, Clear};
#[cfg(test)]
use super::frame::Template;
use super::intern::{Label, Owner};
use super::memory::Size;
use super::shared::PackedShared;
use crate::object::{Object, ObjectKey, ResourceVersion, Uid};
use crate::storage::{IndexFunctionError, ObjectError};
use crate::wire::{DecodeError, FieldPath, Header, RawEncoding, RawObject};

/// Object of a [`Packed`](super::Packed) storage.
///
/// Key, uid, version, labels and controlling owner are readable without decoding; everything else
/// needs [`decode`](Self::decode). `Debug` prints the header and the size, never the content.
pub struct PackedObject<K> {
    header: Header,
    labels: Option<Arc<[Label]>>,
    controller: Option<Arc<Owner>>,
    content: Mutex<Content<K>>,
    shared: Arc<PackedShared>,
}

/// Body of an object, and a reference to its decoded form.
struct Content<K> {
    /// `None` after an eviction.
    body: Option<(RawEncoding, Body)>,
    decoded: Cell<K>,
}

// === impl PackedObject ===

impl<K> PackedObject<K> {
    pub(super) fn new(raw: &RawObject, shared: &Arc<PackedShared>) -> Self {
        let related = raw.related();
        let labels = shared.names.labels(&related);
        let controller = related.controller.map(|owner| shared.names.owner(owner));
        let body = pack(raw, controller.as_deref(), shared);
        shared.ledger.add_object(body.size());
        if let Some(dropped) = raw.dropped() {
            shared.dropped.get_or_init(|| dropped.clone());
        }
        let object = Self {
            header: raw.header().clone(),
            labels,
            controller,
            content: Mutex::new(Content {
                body: Some((raw.spelling(), body)),
                decoded: Cell::new(),
            }),
            shared: Arc::clone(shared),
        };
        shared.decoded.sweep();
        object
    }

    /// Memory of an object without its body. Includes the two counters of the `Arc`.
    pub(in crate::storage) const HEADER_BYTES: usize = size_of::<Self>() + 2 * size_of::<usize>();

    /// Returns the memory of the body, and its unpacked size; zeros after an eviction.
    pub(in crate::storage) fn sizes(&self) -> (usize, usize) {
        let content = self.content.lock();
        let size = content.body.as_ref().map(|(_, body)| body.size());
        size.map_or((0, 0), |Size { packed, unpacked }| (packed, unpacked))
    }

    /// Packs the bytes of this version, to [restore](Self::restore) them.
    pub(in crate::storage) fn pack(&self, raw: &RawObject) -> (RawEncoding, Body) {
        let body = pack(raw, self.controller.as_deref(), &self.shared);
        (raw.spelling(), body)
    }

    /// Adds the body of this version, unless the object has it. Returns the memory of the body if the
    /// object has not had it.
    pub(in crate::storage) fn restore(&self, body: (RawEncoding, Body)) -> Option<usize> {
        let size = body.1.size();
        let mut content = self.content.lock();
        if content.body.is_some() {
            return None;
        }
        self.shared.ledger.restore(size);
        content.body = Some(body);
        Some(size.packed)
    }

    /// Drops the body.
    pub(in crate::storage) fn evict(&self) {
        let body = self.content.lock().body.take();
        if let Some((_, body)) = body {
            self.shared.ledger.evict(body.size());
        }
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
        let content = self.content.lock();
        content.body.as_ref().map_or(0, |(_, body)| body.len())
    }

    /// Unpacks the object and returns its bytes as they arrived.
    ///
    /// # Errors
    ///
    /// Fails if memory is exhausted, the packed bytes are damaged, or the object was evicted.
    pub fn to_raw(&self) -> Result<RawObject, ObjectError> {
        self.unpack(&self.content.lock())
    }

    fn unpack(&self, content: &Content<K>) -> Result<RawObject, ObjectError> {
        let header = &self.header;
        let Some((spelling, body)) = &content.body else {
            return Err(ObjectError::Evicted {
                key: header.key.clone(),
                resource_version: header.resource_version.clone(),
            });
        };
        let bytes = body.unpack().map_err(|_| DecodeError {
            key: header.key.clone(),
            resource_version: header.resource_version.clone(),
            path: ".".to_owned(),
            message: "packed bytes are damaged".to_owned(),
            needs_json: false,
        })?;
        let raw = RawObject::new(header.clone(), *spelling, bytes.into());
        Ok(raw.with_dropped(self.shared.dropped.get().cloned()))
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
        self.decode_by(&self.to_raw()?, RawObject::decode_few)
    }

    pub(in crate::storage) fn decode_by<T>(
        &self,
        raw: &RawObject,
        decode: impl FnOnce(&RawObject) -> Result<T, DecodeError>,
    ) -> Result<T, ObjectError> {
        self.shared.ledger.count_decoding();
        ObjectError::contain(&self.header, || decode(raw))
    }

    /// Returns the scalars at `path`; see [`RawObject::values_at`].
    pub(in crate::storage) fn values_at(
        &self,
        path: &FieldPath,
    ) -> Result<Vec<String>, IndexFunctionError> {
        match path.as_label() {
            // Labels are readable without unpacking.
            Some(key) => Ok(self.label(key).map(str::to_owned).into_iter().collect()),
            None => Ok(self.to_raw()?.values_at(path)?),
        }
    }
}

#[cfg(test)]
impl<K> PackedObject<K> {
    /// Returns the templates that this object keeps alive: that of its body, and that of its owner.
    pub(in crate::storage) fn templates(&self) -> Vec<Arc<Template>> {
        let content = self.content.lock();
        let of_body = content.body.as_ref().and_then(|(_, body)| body.template());
        let owner = self.controller.as_deref();
        let of_owner = owner.and_then(|owner| owner.templates.current());
        of_body.into_iter().chain(of_owner).collect()
    }
}

fn pack(raw: &RawObject, controller: Option<&Owner>, shared: &PackedShared) -> Body {
    let templates = controller.map(|owner| &owner.templates);
    shared.packer(raw.encoding()).pack(raw.bytes(), templates)
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
        self.decode_shared(None, || Arc::<Self>::downgrade(self))
    }

    /// Returns the decoded object, which all readers share, from `raw` or else from the body.
    /// `owner` returns the allocation that the object is part of.
    pub(in crate::storage) fn decode_shared(
        &self,
        raw: Option<&RawObject>,
        owner: impl FnOnce() -> Weak<dyn Clear>,
    ) -> Result<Arc<K>, ObjectError> {
        let (value, is_new) = {
            let mut content = self.content.lock();
            if let Some(value) = content.decoded.get() {
                return Ok(value);
            }
            let value = match raw {
                Some(raw) => self.decode_by(raw, RawObject::decode)?,
                None => self.decode_by(&self.unpack(&content)?, RawObject::decode)?,
            };
            let value = Arc::new(value);
            let is_new = content.decoded.set(&value);
            (value, is_new)
        };
        if is_new {
            self.shared.decoded.add(owner());
        }
        Ok(value)
    }
}

impl<K> fmt::Debug for PackedObject<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedObject")
            .field("header", &self.header)
            .field("packed_bytes", &self.packed_bytes())
            .finish_non_exhaustive()
    }
}

impl<K> Drop for PackedObject<K> {
    fn drop(&mut self) {
        self.evict();
        self.shared.ledger.remove_object();
    }
}

impl<K: Send + Sync> Clear for PackedObject<K> {
    fn clear(&self) -> bool {
        // The lock is taken while another thread decodes, so the value is in use.
        let Some(mut content) = self.content.try_lock() else {
            return false;
        };
        let cleared = content.decoded.clear();
        drop(content);
        cleared.is_some()
    }
}

//! [`Transform`]: a modification of every object before it is stored.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use derive_where::derive_where;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;

use super::ObjectError;
use crate::base::panic::{Panicked, catch};
use crate::object::{Object, ObjectKey};
use crate::wire::{RawEncoding, RawObject};

/// Modifies every object before it is stored, indexed or passed to a handler.
///
/// A transform runs exactly once for each version of an object. client-go's counterpart is
/// `SetTransform`.
///
/// A storage that keeps bytes, such as [`Packed`](crate::Packed), has to serialize the transformed
/// object: allow that with [`serializable`](Self::serializable). If a transform would only remove
/// fields, use [`DropFields`](crate::wire::DropFields) instead, which is much cheaper in any
/// storage.
#[derive_where(Clone)]
pub struct Transform<K> {
    name: Arc<str>,
    apply: Arc<TransformFn<K>>,
    /// Serializer for storages that keep bytes. A function pointer, not a bound, because other
    /// storages do not need `K: Serialize`.
    serialize: Option<SerializeFn<K>>,
}

type TransformFn<K> = dyn Fn(&mut K) -> Result<(), Box<dyn Error + Send + Sync>> + Send + Sync;

type SerializeFn<K> = fn(&K) -> serde_json::Result<Vec<u8>>;

/// [`Transform`] of objects of any type.
pub(crate) trait AnyTransform: Any + fmt::Debug + Send + Sync {
    fn name(&self) -> &Arc<str>;
}

impl<K: Object> AnyTransform for Transform<K> {
    fn name(&self) -> &Arc<str> {
        &self.name
    }
}

// === impl Transform ===

impl<K: Object> Transform<K> {
    /// Returns a transform of some type, if it is one of objects `K`.
    pub(crate) fn of(transform: &dyn AnyTransform) -> Option<&Self> {
        (transform as &dyn Any).downcast_ref()
    }

    /// Creates a transform with a name. Two informers share a cache only if the names of their
    /// transforms are equal.
    ///
    /// An error that `apply` returns appears in logs and in the informer's status, so it must not
    /// contain content of the object. A panic message does not appear there.
    pub fn new<F>(name: impl Into<Arc<str>>, apply: F) -> Self
    where
        F: Fn(&mut K) -> Result<(), Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    {
        Self {
            name: name.into(),
            apply: Arc::new(apply),
            serialize: None,
        }
    }

    /// Allows storages that keep bytes to use the transform.
    ///
    /// The transform then loses the fields of an object that `K` does not have, as typed storage
    /// does.
    #[must_use]
    pub fn serializable(mut self) -> Self
    where
        K: Serialize,
    {
        self.serialize = Some(serde_json::to_vec::<K>);
        self
    }

    /// Returns `true` if storages that keep bytes can use the transform.
    #[must_use]
    pub fn is_serializable(&self) -> bool {
        self.serialize.is_some()
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Applies the transform to `object`, which was decoded from `raw`.
    ///
    /// # Errors
    ///
    /// Fails if the function fails or panics, or if it changes the namespace or name of the object.
    pub fn apply(&self, raw: &RawObject, object: &mut K) -> Result<(), ObjectError> {
        let applied = catch(|| (self.apply)(object));
        let outcome = outcome(applied, raw, object.meta());
        outcome.map_err(|source| failed(&self.name, raw, source))
    }

    /// Decodes `raw`, applies the transform, and serializes the result as JSON.
    ///
    /// # Errors
    ///
    /// Fails if `raw` does not decode, the transform fails, or the result does not serialize.
    pub fn apply_to_bytes(&self, raw: &RawObject) -> Result<RawObject, ObjectError> {
        let mut object = raw.decode::<K>()?;
        self.apply(raw, &mut object)?;
        let failed = |source| failed(&self.name, raw, source);
        let unmarked = || failed("transform is not marked as serializable".into());
        let serialize = self.serialize.ok_or_else(unmarked)?;
        let bytes = serialize(&object).map_err(|error| failed(error.into()))?;
        Ok(RawObject::new(
            raw.header().clone(),
            RawEncoding::Json,
            bytes.into(),
        ))
    }
}

type BoxError = Box<dyn Error + Send + Sync>;

/// Returns the outcome of a transform of `raw`, after which the object has the metadata `meta`.
fn outcome(
    applied: Result<Result<(), BoxError>, Panicked>,
    raw: &RawObject,
    meta: &ObjectMeta,
) -> Result<(), BoxError> {
    applied??;
    if raw.key().is_of(meta) {
        return Ok(());
    }
    let key = ObjectKey::of_meta(meta);
    Err(format!("transform changed the key of the object to {key}").into())
}

fn failed(name: &Arc<str>, raw: &RawObject, source: BoxError) -> ObjectError {
    ObjectError::Transform {
        key: raw.key().clone(),
        resource_version: raw.resource_version().clone(),
        transform: Arc::clone(name),
        source: source.into(),
    }
}

impl<K> fmt::Debug for Transform<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Transform").field(&self.name).finish()
    }
}

//! [`Transform`]: a change of every object before it is stored.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::ObjectError;
use crate::base::panic::catch;
use crate::object::{Object, ObjectKey};
use crate::wire::{RawEncoding, RawObject};

/// Changes every object before it is stored, indexed or shown to a handler.
///
/// It sees each version of an object exactly once. client-go's counterpart is `SetTransform`.
///
/// A storage that keeps bytes, as [`Packed`](crate::Packed) does, has to serialize what a transform
/// made: say that it can, with [`serializable`](Self::serializable). To remove fields only,
/// [`DropFields`](crate::wire::DropFields) costs far less in any storage.
pub struct Transform<K> {
    name: Arc<str>,
    apply: Arc<TransformFn<K>>,
    /// What storages of bytes need. A function and not a bound: `K` need not serialize otherwise.
    serialize: Option<SerializeFn<K>>,
}

type TransformFn<K> = dyn Fn(&mut K) -> Result<(), Box<dyn Error + Send + Sync>> + Send + Sync;

type SerializeFn<K> = fn(&K) -> serde_json::Result<Vec<u8>>;

// === impl Transform ===

impl<K: Object> Transform<K> {
    /// A transform under a name; two informers share a cache only if their names agree.
    ///
    /// An error that it returns is shown in logs and in the informer's status: leave the object's
    /// content out of it. What a panic says is not shown there.
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

    /// Lets storages that keep bytes use the transform.
    ///
    /// What `K` does not know of an object is lost by it, as it is in a typed storage.
    #[must_use]
    pub fn serializable(mut self) -> Self
    where
        K: Serialize,
    {
        self.serialize = Some(serde_json::to_vec::<K>);
        self
    }

    /// Whether storages that keep bytes can use it.
    #[must_use]
    pub fn is_serializable(&self) -> bool {
        self.serialize.is_some()
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Applies it to the object that `raw` decoded to.
    ///
    /// # Errors
    ///
    /// The function failed or panicked, or it moved the object to another key.
    pub fn apply(&self, raw: &RawObject, object: &mut K) -> Result<(), ObjectError> {
        let source: Box<dyn Error + Send + Sync> = match catch(|| (self.apply)(object)) {
            Ok(Ok(())) if raw.key().is_of(object) => return Ok(()),
            Ok(Ok(())) => format!("it moved the object to {}", ObjectKey::of(object)).into(),
            Ok(Err(error)) => error,
            Err(panicked) => panicked.into(),
        };
        Err(self.failed(raw, source))
    }

    /// Decodes `raw`, applies the transform, and makes bytes of the outcome.
    ///
    /// # Errors
    ///
    /// `raw` does not decode, the transform fails, or its outcome does not serialize.
    pub fn apply_to_bytes(&self, raw: &RawObject) -> Result<RawObject, ObjectError> {
        let mut object = raw.decode::<K>()?;
        self.apply(raw, &mut object)?;
        let Some(serialize) = self.serialize else {
            return Err(self.failed(raw, "its outcome cannot be made bytes of".into()));
        };
        let bytes = serialize(&object).map_err(|error| self.failed(raw, error.into()))?;
        Ok(RawObject::new(
            raw.header().clone(),
            RawEncoding::Json,
            bytes.into(),
        ))
    }

    fn failed(&self, raw: &RawObject, source: Box<dyn Error + Send + Sync>) -> ObjectError {
        ObjectError::Transform {
            key: raw.key().clone(),
            resource_version: raw.resource_version().clone(),
            transform: Arc::clone(&self.name),
            source: source.into(),
        }
    }
}

impl<K> Clone for Transform<K> {
    fn clone(&self) -> Self {
        Self {
            name: Arc::clone(&self.name),
            apply: Arc::clone(&self.apply),
            serialize: self.serialize,
        }
    }
}

impl<K> fmt::Debug for Transform<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Transform").field(&self.name).finish()
    }
}

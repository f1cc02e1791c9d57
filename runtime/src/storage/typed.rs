//! [`Typed`]: storage of decoded objects.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde::Serialize;

use super::{HasController, ObjectError, PathStorage, Storage, Transform};
use crate::object::{Object, TypeForm};
use crate::storage::IndexFunctionError;
use crate::wire::{Encoding, FieldPath, RawObject};

/// Keeps decoded objects. The default storage of an informer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Typed;

// === impl Typed ===

impl<K: Object> Storage<K> for Typed {
    type Object = K;
    type Settings = ();

    const IS_DEFAULT: bool = true;

    fn settings(&self) {}

    fn make(&self, raw: &RawObject, transform: Option<&Transform<K>>) -> Result<K, ObjectError> {
        let mut object = raw.decode().map_err(ObjectError::from);
        if let (Ok(object), Some(transform)) = (&mut object, transform) {
            transform.apply(raw, object)?;
        }
        object
    }

    fn decode(object: &Arc<K>) -> Result<Arc<K>, ObjectError> {
        Ok(Arc::clone(object))
    }

    fn label<'o>(object: &'o K, key: &str) -> Option<&'o str> {
        let labels = object.meta().labels.as_ref()?;
        labels.get(key).map(String::as_str)
    }

    fn labels(object: &K) -> impl Iterator<Item = (&str, &str)> {
        let labels = object.meta().labels.iter().flatten();
        labels.map(|(key, value)| (key.as_str(), value.as_str()))
    }

    fn controller(object: &K) -> Option<&OwnerReference> {
        HasController::controller(object)
    }

    /// Prefers JSON for dynamic objects, because it contains fields that only newer servers know,
    /// and decodes faster into a dynamic object. Prefers protobuf for all other types.
    fn preferred_encoding(&self) -> Encoding {
        match TypeForm::of::<K>() {
            TypeForm::Dynamic => Encoding::Json,
            TypeForm::Typed | TypeForm::Metadata => Encoding::Protobuf,
        }
    }
}

/// Serializes the object once per index and version. A function over `K`, as
/// [`add_index`](crate::SharedInformer::add_index) takes, is cheaper. Fields that `K` does not have
/// are not found.
impl<K: Object + Serialize> PathStorage<K> for Typed {
    fn values_at(object: &K, path: &FieldPath) -> Result<Vec<String>, IndexFunctionError> {
        let raw = RawObject::from_value(object)?;
        Ok(raw.values_at(path)?)
    }
}

//! [`HasController`]: the controlling owner and the metadata of a stored object.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource;
#[cfg(feature = "packed")]
use serde::Deserialize;

use super::ObjectError;

#[cfg(feature = "packed")]
use super::packed::PackedObject;
#[cfg(feature = "packed")]
use super::tiered::TieredObject;
#[cfg(feature = "packed")]
use crate::object::Object;

/// Stored object that provides its controlling owner and its metadata without being decoded whole.
pub trait HasController: Send + Sync + 'static {
    /// Returns the owner reference of the object's controller. Go's counterpart is
    /// `metav1.GetControllerOf`.
    fn controller(&self) -> Option<&OwnerReference>;

    /// Returns the metadata. A packed object decodes it.
    ///
    /// # Errors
    ///
    /// Fails if the metadata does not decode, or if the object's body was evicted.
    fn metadata(&self) -> Result<Cow<'_, ObjectMeta>, ObjectError>;
}

/// Part of an object that is decoded.
#[cfg(feature = "packed")]
#[derive(Deserialize)]
struct OnlyMetadata {
    #[serde(default)]
    metadata: ObjectMeta,
}

// === impl HasController ===

#[cfg(feature = "packed")]
impl<K: Object> HasController for PackedObject<K> {
    fn controller(&self) -> Option<&OwnerReference> {
        Self::controller(self)
    }

    fn metadata(&self) -> Result<Cow<'_, ObjectMeta>, ObjectError> {
        let OnlyMetadata { metadata } = self.decode_as()?;
        Ok(Cow::Owned(metadata))
    }
}

#[cfg(feature = "packed")]
impl<K: Object> HasController for TieredObject<K> {
    fn controller(&self) -> Option<&OwnerReference> {
        (**self).controller()
    }

    fn metadata(&self) -> Result<Cow<'_, ObjectMeta>, ObjectError> {
        (**self).metadata()
    }
}

impl<K: Resource + Send + Sync + 'static> HasController for K {
    fn controller(&self) -> Option<&OwnerReference> {
        let owners = self.meta().owner_references.as_deref().unwrap_or_default();
        owners.iter().find(|owner| owner.controller == Some(true))
    }

    fn metadata(&self) -> Result<Cow<'_, ObjectMeta>, ObjectError> {
        Ok(Cow::Borrowed(self.meta()))
    }
}

//! [`HasController`]: the controlling owner of a stored object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;

#[cfg(feature = "packed")]
use super::packed::PackedObject;
#[cfg(feature = "packed")]
use super::tiered::TieredObject;
#[cfg(feature = "packed")]
use crate::object::Object;

/// Stored object that provides its controlling owner without being decoded.
pub trait HasController: Send + Sync + 'static {
    /// Returns the owner reference of the object's controller. Go's counterpart is
    /// `metav1.GetControllerOf`.
    fn controller(&self) -> Option<&OwnerReference>;
}

// === impl HasController ===

#[cfg(feature = "packed")]
impl<K: Object> HasController for PackedObject<K> {
    fn controller(&self) -> Option<&OwnerReference> {
        Self::controller(self)
    }
}

#[cfg(feature = "packed")]
impl<K: Object> HasController for TieredObject<K> {
    fn controller(&self) -> Option<&OwnerReference> {
        (**self).controller()
    }
}

impl<K: Resource + Send + Sync + 'static> HasController for K {
    fn controller(&self) -> Option<&OwnerReference> {
        let owners = self.meta().owner_references.as_deref().unwrap_or_default();
        owners.iter().find(|owner| owner.controller == Some(true))
    }
}

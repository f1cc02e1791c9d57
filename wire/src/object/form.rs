//! [`TypeForm`]: the form in which a Rust type represents a resource.

use std::any::TypeId;

use kube::core::{DynamicObject, PartialObjectMeta};

/// Form in which a Rust type represents a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeForm {
    /// The resource's own type, or a projection of it.
    Typed,
    /// All fields, without a static type: [`DynamicObject`].
    Dynamic,
    /// The metadata only, of any resource.
    Metadata,
}

// === impl TypeForm ===

impl TypeForm {
    /// Returns the form of `K`. The function compares type ids, because [`Object`](super::Object)
    /// is implemented for all types that qualify and cannot be specialized for one of them.
    #[must_use]
    pub fn of<K: 'static>() -> Self {
        let form = TypeId::of::<K>();
        if form == TypeId::of::<DynamicObject>() {
            Self::Dynamic
        } else if form == TypeId::of::<PartialObjectMeta<DynamicObject>>() {
            Self::Metadata
        } else {
            Self::Typed
        }
    }

    /// Returns the name of the form in metrics, names and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Dynamic => "dynamic",
            Self::Metadata => "metadata",
        }
    }
}

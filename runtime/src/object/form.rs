//! [`TypeForm`]: how much a Rust type knows of its resource.

use std::any::TypeId;

use kube::core::{DynamicObject, PartialObjectMeta};

/// How much a Rust type knows of its resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeForm {
    /// The resource's own type, or a part of it.
    Typed,
    /// Everything, without a type: [`DynamicObject`].
    Dynamic,
    /// The metadata of any resource.
    Metadata,
}

// === impl TypeForm ===

impl TypeForm {
    /// Returns the form of `K`. Compared by type, since [`Object`](super::Object) is implemented for
    /// all types that qualify, and can say nothing of one of them.
    pub(crate) fn of<K: 'static>() -> Self {
        let form = TypeId::of::<K>();
        if form == TypeId::of::<DynamicObject>() {
            Self::Dynamic
        } else if form == TypeId::of::<PartialObjectMeta<DynamicObject>>() {
            Self::Metadata
        } else {
            Self::Typed
        }
    }

    /// The word for it in metrics, names and logs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Dynamic => "dynamic",
            Self::Metadata => "metadata",
        }
    }
}

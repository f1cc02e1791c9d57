//! [`Storage`]: what a way to hold objects has to do.

use std::any::Any;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use super::entry::Entry;
use super::error::{IndexFunctionError, ObjectError};
use super::metrics::StorageMetrics;
use super::transform::Transform;
use crate::object::Object;
use crate::wire::{Encoding, FieldPath, RawObject};

/// How the objects of an informer are held, and handed to listers and handlers.
///
/// [`Typed`](crate::Typed) keeps decoded objects. A storage that keeps bytes, as [`Packed`](crate::Packed) does, decodes in
/// [`object`](Self::object) instead. Listers, handlers and indices are the same for all.
pub trait Storage<K: Object>: Send + Sync + fmt::Debug + 'static {
    /// What the store holds and readers get. Cloning it copies no object.
    type Handle: Clone + Send + Sync + 'static;

    /// What distinguishes two storages of this type, `()` where nothing does: informers of a factory
    /// whose storages have different settings are different informers.
    type Settings: Any + fmt::Debug + Eq + Hash + Send + Sync;

    /// Whether handles are decoded objects, of many allocations each, as [`Typed`](crate::Typed)'s are.
    const KEEPS_DECODED: bool = false;

    /// Whether an informer has this storage unless it names one, so that its name need not say so.
    /// `true` for [`Typed`](crate::Typed) alone.
    const IS_DEFAULT: bool = false;

    /// Returns the settings that this storage was made with. They do not change.
    fn settings(&self) -> Self::Settings;

    /// Takes in an object as it came over the wire, after `transform` has seen it.
    ///
    /// # Errors
    ///
    /// The object does not decode, or the transform refused it.
    fn make_handle(
        &self,
        raw: &RawObject,
        transform: Option<&Transform<K>>,
    ) -> Result<Self::Handle, ObjectError>;

    /// The object behind a handle. Free for [`Typed`](crate::Typed).
    ///
    /// # Errors
    ///
    /// A storage that decodes late reports here what it could not decode.
    fn object(handle: &Self::Handle) -> Result<Arc<K>, ObjectError>;

    /// The value of one label, without decoding the object: label selectors are judged by it, for
    /// each object that a list looks at.
    fn label<'h>(handle: &'h Self::Handle, key: &str) -> Option<&'h str>;

    /// Reads the scalars at `path` from what is stored, as text, without decoding the object; `None` if that cannot be
    /// done, as by default. Generated indices over a path of JSON ask so, and otherwise the
    /// [`object`](Self::object).
    fn texts_at(
        _entry: &Entry<Self::Handle>,
        _path: &FieldPath,
    ) -> Option<Result<Vec<String>, IndexFunctionError>> {
        None
    }

    /// In which encoding a factory asks for built-in types, unless that is set. Default: protobuf,
    /// which has fewer bytes, whose header and labels are read in a fraction of the time. [`Typed`](crate::Typed)
    /// prefers JSON for [`DynamicObject`](kube::core::DynamicObject)s alone.
    fn preferred_encoding(&self) -> Encoding {
        Encoding::Protobuf
    }

    /// Whether the storage can keep what a transform makes. Default: it can. An informer with one that it cannot
    /// keep is not built.
    fn accepts(&self, _transform: &Transform<K>) -> bool {
        true
    }

    /// What the storage measures of itself, for
    /// [`InformerMetrics`](crate::InformerMetrics). Default: nothing.
    fn metrics(&self) -> StorageMetrics {
        StorageMetrics::default()
    }
}

/// A storage whose objects can be asked for the values at a path, as an index over a path needs.
///
/// [`Packed`](crate::Packed) reads them from the bytes, without decoding.
#[diagnostic::on_unimplemented(
    message = "objects of `{K}` in `{Self}` cannot be asked for the values at a path",
    note = "`Typed` can if `{K}` implements `serde::Serialize`; `Packed` always can",
    note = "or add an index by a function: `informer.add_index(\"name\", |object: &{K}| ..)`"
)]
pub trait PathStorage<K: Object>: Storage<K> {
    /// The scalars at `path`, as text: those of all elements where the path leads through arrays.
    ///
    /// # Errors
    ///
    /// The path leads to something that is no scalar, or the object cannot be read.
    fn values_at(
        entry: &Entry<Self::Handle>,
        path: &FieldPath,
    ) -> Result<Vec<String>, IndexFunctionError>;
}

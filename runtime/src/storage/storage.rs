//! [`Storage`]: the form in which an informer holds its objects.

use std::any::Any;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::entry::Entry;
use super::error::{IndexFunctionError, ObjectError};
use super::load::Link;
use super::metrics::StorageMetrics;
use super::transform::Transform;
use crate::object::Object;
use crate::wire::{Encoding, FieldPath, RawObject};

/// Result of an index function, whose type the index knows.
pub type IndexValues = Box<dyn Any + Send + Sync>;

/// Form in which an informer holds its objects and passes them to listers and handlers.
///
/// [`Typed`](crate::Typed) keeps decoded objects. A storage that keeps bytes, such as
/// [`Packed`](crate::Packed), decodes in [`decode`](Self::decode) instead. Listers, handlers and
/// indices work with any storage.
pub trait Storage<K: Object>: Send + Sync + fmt::Debug + 'static {
    /// Form of an object that the store holds and that readers receive, behind an `Arc`.
    type Object: Send + Sync + 'static;

    /// Settings that distinguish two storages of this type; `()` if a storage has none. Informers
    /// of a factory whose storages have different settings are not shared.
    type Settings: Any + fmt::Debug + Eq + Hash + Send + Sync;

    /// `true` if informers use this storage by default, so that their names can omit it. `true` for
    /// [`Typed`](crate::Typed) alone.
    const IS_DEFAULT: bool = false;

    /// Returns the settings that this storage was created with. They do not change.
    fn settings(&self) -> Self::Settings;

    /// Makes the stored form of an object from the wire, after applying `transform`.
    ///
    /// # Errors
    ///
    /// Fails if the object does not decode, or if the transform rejects it.
    fn make(
        &self,
        raw: &RawObject,
        transform: Option<&Transform<K>>,
    ) -> Result<Self::Object, ObjectError>;

    /// Returns the decoded object. Free for [`Typed`](crate::Typed).
    ///
    /// # Errors
    ///
    /// A storage that decodes on demand reports decoding failures here.
    fn decode(object: &Arc<Self::Object>) -> Result<Arc<K>, ObjectError>;

    /// Returns the value of one label, without decoding the object. Label selectors call it for
    /// each object that a list examines.
    fn label<'o>(object: &'o Self::Object, key: &str) -> Option<&'o str>;

    /// Returns all labels, ascending by key, without decoding the object. Selector indices look
    /// each of them up.
    fn labels(object: &Self::Object) -> impl Iterator<Item = (&str, &str)>;

    /// Returns the owner reference of the object's controller, without decoding the object. Go's
    /// counterpart is `metav1.GetControllerOf`.
    fn controller(object: &Self::Object) -> Option<&OwnerReference>;

    /// Reads the scalars at `path` from the stored form, as text, without decoding the object.
    /// Returns `None`, the default, if the storage cannot do that. Generated indices over a JSON
    /// path try this method first, and fall back to [`decode`](Self::decode).
    fn texts_at(
        _object: &Self::Object,
        _path: &FieldPath,
    ) -> Option<Result<Vec<String>, IndexFunctionError>> {
        None
    }

    /// Returns the encoding that a factory requests for built-in types unless it is set explicitly.
    /// Default: protobuf, which is smaller and has headers and labels that are faster to read.
    /// [`Typed`](crate::Typed) prefers JSON for [`DynamicObject`](kube::core::DynamicObject)s
    /// alone.
    fn preferred_encoding(&self) -> Encoding {
        Encoding::Protobuf
    }

    /// Returns `true` if the storage can keep the result of a transform. Default: `true`. Building
    /// an informer fails if its storage does not accept its transform.
    fn accepts(&self, _transform: &Transform<K>) -> bool {
        true
    }

    /// Returns measurements of the storage, for [`InformerMetrics`](crate::InformerMetrics).
    /// Default: none.
    fn metrics(&self) -> StorageMetrics {
        StorageMetrics::default()
    }

    /// Connects the storage to its informer, before the first object is made. Default: no effect.
    #[doc(hidden)]
    fn attach(&self, _link: Link) {}

    /// Notifies the storage of objects for which the values of all indices were computed. They can be
    /// evicted from now on. Default: no effect.
    #[doc(hidden)]
    fn settle(&self, _entries: &mut dyn Iterator<Item = &Entry>) {}
}

/// Storage whose objects provide the values at a path, as a path index needs.
///
/// [`Packed`](crate::Packed) reads the values from the bytes, without decoding.
#[diagnostic::on_unimplemented(
    message = "objects of `{K}` in `{Self}` cannot be asked for the values at a path",
    note = "`Typed` can if `{K}` implements `serde::Serialize`; `Packed` always can",
    note = "or add an index by a function: `informer.add_index(\"name\", |object: &{K}| ..)`"
)]
pub trait PathStorage<K: Object>: Storage<K> {
    /// Returns the scalars at `path`, as text. Where the path passes through arrays, the result has
    /// the scalars of all elements. Default: those of [`texts_at`](Storage::texts_at), or none.
    ///
    /// # Errors
    ///
    /// Fails if the path leads to a value that is not a scalar, or if the object cannot be read.
    fn values_at(
        object: &Self::Object,
        path: &FieldPath,
    ) -> Result<Vec<String>, IndexFunctionError> {
        Self::texts_at(object, path).unwrap_or_else(|| Ok(Vec::new()))
    }
}

//! How an informer holds its objects: a type parameter.

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::wire::{DecodeError, RawObject};
use crate::{Entry, Object, ObjectKey, ResourceVersion, Undecodable};

/// How the objects of an informer are held, and handed to listers and handlers.
///
/// [`Typed`] keeps decoded objects. A storage that keeps bytes decodes in
/// [`object`](Self::object) instead. Listers, handlers and indices are the same for all.
pub trait Storage<K: Object>: Send + Sync + fmt::Debug + 'static {
    /// What the store holds and readers get. Cloning it copies no object.
    type Handle: Clone + Send + Sync + 'static;

    /// Takes in an object as it came over the wire, after `transform` has seen it.
    ///
    /// # Errors
    ///
    /// The object does not decode, or the transform refused it.
    fn admit(
        &self,
        raw: &RawObject,
        transform: Option<&Transform<K>>,
    ) -> Result<Self::Handle, ObjectError>;

    /// The object behind a handle. Free for [`Typed`].
    ///
    /// # Errors
    ///
    /// A storage that decodes late reports here what it could not decode.
    fn object(handle: &Self::Handle) -> Result<Arc<K>, ObjectError>;

    /// The value of one label, without decoding the object: label selectors are judged by it, for
    /// each object that a list looks at.
    fn label<'h>(handle: &'h Self::Handle, key: &str) -> Option<&'h str>;
}

/// Keeps decoded objects and hands out `Arc<K>`: the storage of an informer that names none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Typed;

/// Changes every object before it is stored, indexed or shown to a handler.
///
/// It sees each version of an object exactly once. client-go's counterpart is `SetTransform`.
pub struct Transform<K> {
    name: Arc<str>,
    apply: Arc<TransformFn<K>>,
}

type TransformFn<K> = dyn Fn(&mut K) -> Result<(), Box<dyn Error + Send + Sync>> + Send + Sync;

/// Why one version of one object could not be taken in. It costs that version only.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The object does not decode into its type.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The transform refused the object, or panicked.
    #[error("{key} at resourceVersion \"{resource_version}\": transform `{transform}` failed")]
    Transform {
        /// The object's key.
        key: ObjectKey,
        /// The version that was refused.
        resource_version: ResourceVersion,
        /// The transform's name.
        transform: Arc<str>,
        /// What it said.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
    },
    /// Decoding panicked. Says nothing more: a panic's message may quote the object.
    #[error("{key} at resourceVersion \"{resource_version}\": decoding panicked")]
    Panicked {
        /// The object's key.
        key: ObjectKey,
        /// The version that was not taken in.
        resource_version: ResourceVersion,
    },
}

/// The way of an object into the store: decoded and transformed once. User code that panics on the
/// way costs its object only.
#[derive(Debug)]
pub(crate) struct Admission<K: Object, S> {
    pub(crate) storage: S,
    pub(crate) transform: Option<Transform<K>>,
}

// === impl Typed ===

impl<K: Object> Storage<K> for Typed {
    type Handle = Arc<K>;

    fn admit(
        &self,
        raw: &RawObject,
        transform: Option<&Transform<K>>,
    ) -> Result<Self::Handle, ObjectError> {
        let mut object = raw.decode::<K>()?;
        if let Some(transform) = transform {
            transform.apply(raw, &mut object)?;
        }
        Ok(Arc::new(object))
    }

    fn object(handle: &Self::Handle) -> Result<Arc<K>, ObjectError> {
        Ok(Arc::clone(handle))
    }

    fn label<'h>(handle: &'h Self::Handle, key: &str) -> Option<&'h str> {
        let labels = handle.meta().labels.as_ref()?;
        labels.get(key).map(String::as_str)
    }
}

// === impl Transform ===

impl<K: Object> Transform<K> {
    /// A transform under a name; two informers share a cache only if their names agree.
    pub fn new<F>(name: impl Into<Arc<str>>, apply: F) -> Self
    where
        F: Fn(&mut K) -> Result<(), Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    {
        Self {
            name: name.into(),
            apply: Arc::new(apply),
        }
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
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.apply)(object)));
        let source: Box<dyn Error + Send + Sync> = match outcome {
            Ok(Ok(())) if raw.key().is_of(object) => return Ok(()),
            Ok(Ok(())) => format!("it moved the object to {}", ObjectKey::of(object)).into(),
            Ok(Err(error)) => error,
            Err(panic) => format!("it panicked: {}", crate::panic::message(&*panic)).into(),
        };
        Err(ObjectError::Transform {
            key: raw.key().clone(),
            resource_version: raw.resource_version().clone(),
            transform: Arc::clone(&self.name),
            source: source.into(),
        })
    }
}

impl<K> Clone for Transform<K> {
    fn clone(&self) -> Self {
        Self {
            name: Arc::clone(&self.name),
            apply: Arc::clone(&self.apply),
        }
    }
}

impl<K> fmt::Debug for Transform<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Transform").field(&self.name).finish()
    }
}

// === impl Admission ===

/// What the reflector knows of a storage: how to take an object in.
pub(crate) trait Admit<H>: Send + Sync {
    /// Decodes and transforms an object, once.
    ///
    /// # Errors
    ///
    /// The version that could not be taken in, and why.
    fn admit(&self, raw: &RawObject) -> Result<Entry<H>, Undecodable>;
}

impl<K: Object, S: Storage<K>> Admit<S::Handle> for Admission<K, S> {
    fn admit(&self, raw: &RawObject) -> Result<Entry<S::Handle>, Undecodable> {
        let header = raw.header();
        let admit = || self.storage.admit(raw, self.transform.as_ref());
        // A panic in here would fail the whole list, and every one after it.
        let admitted = catch_unwind(AssertUnwindSafe(admit)).unwrap_or_else(|_| {
            Err(ObjectError::Panicked {
                key: header.key.clone(),
                resource_version: header.resource_version.clone(),
            })
        });
        match admitted {
            Ok(handle) => Ok(Entry {
                key: header.key.clone(),
                uid: header.uid.clone(),
                resource_version: header.resource_version.clone(),
                handle,
            }),
            Err(error) => Err(Undecodable {
                key: header.key.clone(),
                resource_version: header.resource_version.clone(),
                error: Arc::new(error),
            }),
        }
    }
}

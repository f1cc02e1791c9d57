//! [`SharedObject`]: a cached object that kube's stores and controllers take without a copy.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use kube::Resource;
use kube::core::ObjectMeta;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The form in which kube's machinery gets a cached object.
///
/// `K` itself is a copy, for reconcilers that want an `Arc<K>`; [`SharedObject<K>`] is none.
pub trait FromCache<K>: Sized {
    /// Makes the form of a cached object.
    fn from_cache(object: Arc<K>) -> Self;
}

/// An object of the cache, shared with it: a `kube::Resource` that costs a reference count.
///
/// It derefs to `K`. Changing it, as [`meta_mut`](Resource::meta_mut) does, copies it first; the
/// cache never changes by it.
#[derive(PartialEq, Eq)]
pub struct SharedObject<K>(Arc<K>);

// === impl FromCache ===

impl<K: Clone> FromCache<K> for K {
    fn from_cache(object: Arc<K>) -> Self {
        Arc::unwrap_or_clone(object)
    }
}

impl<K> FromCache<K> for SharedObject<K> {
    fn from_cache(object: Arc<K>) -> Self {
        Self(object)
    }
}

// === impl SharedObject ===

impl<K> SharedObject<K> {
    /// The object itself, the very one that listers give.
    #[must_use]
    pub fn as_arc(&self) -> &Arc<K> {
        &self.0
    }

    /// The object itself, the very one that listers give.
    #[must_use]
    pub fn into_arc(self) -> Arc<K> {
        self.0
    }
}

impl<K> Deref for SharedObject<K> {
    type Target = K;

    fn deref(&self) -> &K {
        &self.0
    }
}

impl<K> AsRef<K> for SharedObject<K> {
    fn as_ref(&self) -> &K {
        &self.0
    }
}

impl<K> From<Arc<K>> for SharedObject<K> {
    fn from(object: Arc<K>) -> Self {
        Self(object)
    }
}

impl<K> Clone for SharedObject<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: fmt::Debug> fmt::Debug for SharedObject<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<K: Resource + Clone> Resource for SharedObject<K> {
    type DynamicType = K::DynamicType;
    type Scope = K::Scope;

    fn kind(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::kind(dt)
    }

    fn group(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::group(dt)
    }

    fn version(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::version(dt)
    }

    fn api_version(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::api_version(dt)
    }

    fn plural(dt: &Self::DynamicType) -> Cow<'_, str> {
        K::plural(dt)
    }

    fn metadata_api() -> bool {
        K::metadata_api()
    }

    fn url_path(dt: &Self::DynamicType, namespace: Option<&str>) -> String {
        K::url_path(dt, namespace)
    }

    fn meta(&self) -> &ObjectMeta {
        self.0.meta()
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        Arc::make_mut(&mut self.0).meta_mut()
    }
}

// A `Controller` asks for these of every type, if only one that watches by itself uses them.

impl<K: Serialize> Serialize for SharedObject<K> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        self.0.as_ref().serialize(serializer)
    }
}

impl<'de, K: Deserialize<'de>> Deserialize<'de> for SharedObject<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        K::deserialize(deserializer).map(|object| Self(Arc::new(object)))
    }
}

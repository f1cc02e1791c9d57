//! [`SharedObject`]: a cached object that kube's stores and controllers accept without a copy.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use kube::Resource;
use kube::core::ObjectMeta;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Form in which kube's machinery receives a cached object.
///
/// Use `K`, which is a copy, for reconcilers that take an `Arc<K>`. Use [`SharedObject<K>`] to
/// avoid the copy.
pub trait FromCache<K>: Sized {
    /// Converts a cached object.
    fn from_cache(object: Arc<K>) -> Self;
}

/// Object shared with the cache: a `kube::Resource` whose clone increments a reference count.
///
/// Dereferences to `K`. A mutation, such as through [`meta_mut`](Resource::meta_mut), copies the
/// object first, so it never changes the cache.
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
    /// Returns the object itself, shared with listers.
    #[must_use]
    pub fn as_arc(&self) -> &Arc<K> {
        &self.0
    }
}

impl<K> Deref for SharedObject<K> {
    type Target = K;

    fn deref(&self) -> &K {
        &self.0
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

// Every type of a `Controller` must implement these traits, although only its own watches use them.

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

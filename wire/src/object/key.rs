//! [`ObjectKey`]: the name of an object within its resource.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::io::Write;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use equivalent::{Comparable, Equivalent};
use foldhash::fast::RandomState;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

/// Maximum length of a key of an API server: a namespace has at most 63 bytes, a name 253.
const LONGEST: usize = 63 + 1 + 253;

/// Namespace and name of an object; the key of every store, queue and notification.
///
/// Prints as `namespace/name`, or `name` for cluster-scoped objects; the printed text parses back
/// to the same key. A clone only increments a reference count; clones share the text.
///
/// Keys are ordered by namespace, then name, with cluster-scoped keys first. client-go's
/// counterpart is `cache.ObjectName`.
///
/// # Examples
///
/// ```
/// # extern crate informer_wire as informer;
/// use informer::ObjectKey;
///
/// let key = ObjectKey::namespaced("default", "web");
/// assert_eq!(key.to_string(), "default/web");
/// assert_eq!("default/web".parse::<ObjectKey>(), Ok(key));
/// assert_eq!(ObjectKey::cluster("node-1").namespace(), None);
/// ```
#[derive(Clone)]
pub struct ObjectKey {
    /// `namespace/name`, or `name` alone.
    text: Arc<str>,
    /// Offset of the name in `text`; 0 if there is no namespace.
    name_start: u32,
    /// Hash of namespace and name, by [`hash`]: a lookup by hash does not read the text.
    hash: u32,
}

/// A key that a store finds by its hash, and otherwise by its order.
pub trait KeyLookup: Comparable<ObjectKey> {
    /// Returns the hash that an equal [`ObjectKey`] has.
    fn key_hash(&self) -> u32;
}

/// Key for lookups, without the allocation of an [`ObjectKey`].
#[derive(Debug, Clone, Copy)]
pub struct KeyRef<'a> {
    namespace: Option<&'a str>,
    name: &'a str,
}

/// Error of a text that is not an [`ObjectKey`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an object key: expected `namespace/name` or `name`")]
pub struct ParseKeyError {
    text: String,
}

#[cfg(feature = "test-util")]
thread_local! {
    /// Number of calls of [`ObjectKey::namespace`] on this thread.
    pub static NAMESPACE_READS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

// === impl ObjectKey ===

impl ObjectKey {
    /// Returns the key of `name` in `namespace`. A `None` or empty namespace means cluster scope.
    #[must_use]
    pub fn new(namespace: Option<&str>, name: &str) -> Self {
        match namespace {
            Some(namespace) if !namespace.is_empty() => Self::namespaced(namespace, name),
            _ => Self::cluster(name),
        }
    }

    /// Returns the key of a namespaced object.
    #[must_use]
    pub fn namespaced(namespace: &str, name: &str) -> Self {
        Self::from_text(join(namespace, name), Some(namespace), name)
    }

    /// Returns the key of a cluster-scoped object.
    #[must_use]
    pub fn cluster(name: &str) -> Self {
        Self::from_text(name.into(), None, name)
    }

    fn from_text(text: Arc<str>, namespace: Option<&str>, name: &str) -> Self {
        let name_start = namespace.map_or(0, |namespace| namespace.len() + 1);
        Self {
            text,
            name_start: u32::try_from(name_start).unwrap_or(u32::MAX),
            hash: hash(namespace, name),
        }
    }

    /// Returns the key of `object`. The name is empty if the object has none.
    #[must_use]
    pub fn of<K: Resource>(object: &K) -> Self {
        Self::of_meta(object.meta())
    }

    /// Returns the key of an object with this metadata.
    #[doc(hidden)]
    #[must_use]
    pub fn of_meta(meta: &ObjectMeta) -> Self {
        Self::new(
            meta.namespace.as_deref(),
            meta.name.as_deref().unwrap_or_default(),
        )
    }

    /// Reports whether an object with this metadata has this key, without building a key to
    /// compare.
    #[doc(hidden)]
    #[must_use]
    pub fn is_of(&self, meta: &ObjectMeta) -> bool {
        let namespace = meta.namespace.as_deref();
        self.namespace() == namespace.filter(|namespace| !namespace.is_empty())
            && self.name() == meta.name.as_deref().unwrap_or_default()
    }

    /// Returns the namespace; `None` for cluster-scoped objects.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        #[cfg(feature = "test-util")]
        NAMESPACE_READS.set(NAMESPACE_READS.get() + 1);
        let end = self.start().checked_sub(1)?;
        self.text.get(..end)
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text.get(self.start()..).unwrap_or_default()
    }

    fn start(&self) -> usize {
        self.name_start as usize
    }

    /// Returns the key as it prints: `namespace/name`, or `name`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

// === impl KeyRef ===

impl<'a> KeyRef<'a> {
    /// Refers to the key of a namespaced object.
    #[must_use]
    pub fn namespaced(namespace: &'a str, name: &'a str) -> Self {
        let namespace = Some(namespace);
        Self { namespace, name }
    }

    /// Refers to the key of a cluster-scoped object.
    #[must_use]
    pub fn cluster(name: &'a str) -> Self {
        let namespace = None;
        Self { namespace, name }
    }
}

impl From<KeyRef<'_>> for ObjectKey {
    fn from(key: KeyRef<'_>) -> Self {
        match key.namespace {
            Some(namespace) => Self::namespaced(namespace, key.name),
            None => Self::cluster(key.name),
        }
    }
}

impl Equivalent<ObjectKey> for KeyRef<'_> {
    /// Compares lengths first, and then bytes: a get makes this comparison once.
    fn equivalent(&self, key: &ObjectKey) -> bool {
        let start = self.namespace.map_or(0, |namespace| namespace.len() + 1);
        let text = key.text.as_bytes();
        key.start() == start
            && text.len() == start + self.name.len()
            && text.ends_with(self.name.as_bytes())
            && text.starts_with(self.namespace.unwrap_or_default().as_bytes())
    }
}

impl Comparable<ObjectKey> for KeyRef<'_> {
    fn compare(&self, key: &ObjectKey) -> Ordering {
        let namespace = self.namespace.cmp(&key.namespace());
        namespace.then_with(|| self.name.cmp(key.name()))
    }
}

impl KeyLookup for ObjectKey {
    fn key_hash(&self) -> u32 {
        self.hash
    }
}

impl KeyLookup for KeyRef<'_> {
    fn key_hash(&self) -> u32 {
        hash(self.namespace, self.name)
    }
}

/// Returns the hash that keys carry. Its seed is random, and one for the process.
fn hash(namespace: Option<&str>, name: &str) -> u32 {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    let mut hasher = SEED.build_hasher();
    if let Some(namespace) = namespace {
        hasher.write(namespace.as_bytes());
    }
    hasher.write(name.as_bytes());
    let hash = hasher.finish();
    #[expect(clippy::cast_possible_truncation, reason = "both halves count")]
    let folded = (hash ^ (hash >> 32)) as u32;
    folded
}

/// Joins `namespace/name` on the stack. A key is created for every object that arrives, and this
/// way it needs one allocation instead of two.
fn join(namespace: &str, name: &str) -> Arc<str> {
    let mut buffer = [0; LONGEST];
    let mut rest = buffer.as_mut_slice();
    let parts = [namespace.as_bytes(), b"/", name.as_bytes()];
    let fits = parts.iter().all(|part| rest.write_all(part).is_ok());
    let used = LONGEST - rest.len();
    let text = buffer.get(..used).filter(|_| fits);
    match text.and_then(|text| str::from_utf8(text).ok()) {
        Some(text) => text.into(),
        None => format!("{namespace}/{name}").into(),
    }
}

impl FromStr for ObjectKey {
    type Err = ParseKeyError;

    /// Parses `namespace/name` or `name`, as client-go's `ParseObjectName` does.
    ///
    /// # Errors
    ///
    /// Fails if the text is empty, has more than one `/`, or has an empty part.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseKeyError {
            text: text.to_owned(),
        };
        match text.split_once('/') {
            None if text.is_empty() => Err(error()),
            None => Ok(Self::cluster(text)),
            Some((namespace, name)) => {
                if namespace.is_empty() || name.is_empty() || name.contains('/') {
                    return Err(error());
                }
                Ok(Self::from_text(text.into(), Some(namespace), name))
            }
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text, f)
    }
}

impl PartialEq for ObjectKey {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.name_start == other.name_start && self.text == other.text
    }
}

impl Eq for ObjectKey {}

impl Hash for ObjectKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.hash);
    }
}

impl PartialOrd for ObjectKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ObjectKey {
    /// Compares bytes once: a reader makes many comparisons for each lookup.
    fn cmp(&self, other: &Self) -> Ordering {
        let text = self.text.as_bytes();
        let other_text = other.text.as_bytes();
        match (self.start(), other.start()) {
            // Equal name offsets: the bytes up to the slash compare the namespaces, the rest the
            // names.
            (start, other_start) if start == other_start => text.cmp(other_text),
            (0, _) => Ordering::Less,
            (_, 0) => Ordering::Greater,
            // The namespaces differ in length, so they are never equal.
            (start, other_start) => {
                let namespace = text.get(..start - 1);
                namespace.cmp(&other_text.get(..other_start - 1))
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Settings of a cache, of a type in it, and of a list.

use std::collections::{BTreeMap, BTreeSet};

use crate::object::{Object, Scope, Selector};
use crate::shared_informer::InformerOptions;

/// Behaviour of a read whose type has no informer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingInformer {
    /// Starts an informer, and waits for it.
    #[default]
    Start,
    /// Fails with [`CacheError::MissingInformer`](super::CacheError::MissingInformer), so that only
    /// the types that were requested explicitly, through the cache or its factory, are watched.
    /// controller-runtime's counterpart is `ReaderFailOnMissingInformer`.
    Refuse,
}

/// Settings that select the cached objects of a type. controller-runtime's counterpart is
/// `cache.ByObject`.
#[derive(Debug)]
pub struct TypeOptions<K: Object> {
    informer: InformerOptions<K>,
    /// `None` for the cache's default, empty for all namespaces.
    pub(super) namespaces: Option<BTreeMap<String, InformerOptions<K>>>,
}

/// Options of a list. The default selects every object.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct CacheListOptions {
    pub(super) namespace: Option<String>,
    pub(super) selector: Selector,
}

// === impl TypeOptions ===

impl<K: Object> TypeOptions<K> {
    /// Creates options without any setting: the cache's and the factory's settings apply.
    #[must_use]
    pub fn new() -> Self {
        Self {
            informer: InformerOptions::new(),
            namespaces: None,
        }
    }

    /// Sets the options of each informer of the type, such as selectors and a transform.
    #[must_use]
    pub fn informer(mut self, options: InformerOptions<K>) -> Self {
        self.informer = options;
        self
    }

    /// Caches only these namespaces, each by its own informer.
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        for namespace in namespaces {
            self = self.namespace_with(namespace, InformerOptions::new());
        }
        self
    }

    /// Adds a namespace to cache, with its own settings. Unset settings are taken from
    /// [`informer`](Self::informer).
    #[must_use]
    pub fn namespace_with(
        mut self,
        namespace: impl Into<String>,
        options: InformerOptions<K>,
    ) -> Self {
        let namespaces = self.namespaces.get_or_insert_default();
        namespaces.insert(namespace.into(), options);
        self
    }

    /// Caches all namespaces, regardless of the cache's default.
    #[must_use]
    pub fn all_namespaces(mut self) -> Self {
        self.namespaces = Some(BTreeMap::new());
        self
    }

    /// Returns the options of each informer that the type needs, ordered by namespace.
    pub(super) fn informers(
        &self,
        scope: Scope,
        defaults: &BTreeSet<String>,
    ) -> Vec<InformerOptions<K>> {
        let unset = InformerOptions::new();
        let namespaces: Vec<_> = match (scope, &self.namespaces) {
            (Scope::Cluster, _) => Vec::new(),
            (Scope::Namespaced, Some(own)) => own.iter().collect(),
            (Scope::Namespaced, None) => defaults.iter().map(|name| (name, &unset)).collect(),
        };
        if namespaces.is_empty() {
            return vec![self.informer.clone()];
        }
        let informers = namespaces.into_iter();
        informers
            .map(|(name, options)| options.clone().or(&self.informer).namespace(name))
            .collect()
    }
}

impl<K: Object> Default for TypeOptions<K> {
    fn default() -> Self {
        Self::new()
    }
}

// === impl CacheListOptions ===

impl CacheListOptions {
    /// Creates options that select every object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects only objects in this namespace. Ignored for cluster-scoped resources.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into()).filter(|namespace| !namespace.is_empty());
        self
    }

    /// Selects only objects with matching labels.
    pub fn selector(mut self, selector: Selector) -> Self {
        self.selector = selector;
        self
    }
}

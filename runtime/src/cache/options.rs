//! What can be set on a cache, a type of it, and a list.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::object::{Object, Scope, Selector};
use crate::shared_informer::InformerOptions;

/// What a read does if there is no informer of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingInformer {
    /// It starts one, and waits for it.
    #[default]
    Start,
    /// It fails with [`CacheError::MissingInformer`](super::CacheError::MissingInformer), so that
    /// what is watched is what was asked for explicitly, through the cache or its factory.
    /// controller-runtime's `ReaderFailOnMissingInformer`.
    Refuse,
}

/// What of a type is cached, and how. controller-runtime's counterpart is `cache.ByObject`.
pub struct TypeOptions<K: Object> {
    informer: InformerOptions<K>,
    /// `None`: as the cache's default says. Empty: all namespaces.
    pub(super) namespaces: Option<BTreeMap<String, InformerOptions<K>>>,
}

/// What to list. The default is everything.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct CacheListOptions {
    pub(super) namespace: Option<String>,
    pub(super) selector: Selector,
}

// === impl TypeOptions ===

impl<K: Object> TypeOptions<K> {
    /// Nothing set: all is the cache's and the factory's.
    #[must_use]
    pub fn new() -> Self {
        Self {
            informer: InformerOptions::new(),
            namespaces: None,
        }
    }

    /// Selectors, transform and so on, for each informer of the type.
    #[must_use]
    pub fn informer(mut self, options: InformerOptions<K>) -> Self {
        self.informer = options;
        self
    }

    /// Caches these namespaces only, each by an informer of its own.
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        for namespace in namespaces {
            self = self.namespace_with(namespace, InformerOptions::new());
        }
        self
    }

    /// Caches this namespace, besides others that are given, with settings of its own; what they
    /// leave open, [`informer`](Self::informer) says.
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

    /// Caches all namespaces, whatever the cache's default is.
    #[must_use]
    pub fn all_namespaces(mut self) -> Self {
        self.namespaces = Some(BTreeMap::new());
        self
    }

    /// The settings of each informer that the type needs, ordered by namespace.
    pub(super) fn informers(
        &self,
        scope: Scope,
        defaults: &BTreeSet<String>,
    ) -> Vec<InformerOptions<K>> {
        let of_namespace = |(namespace, options): (&String, InformerOptions<K>)| {
            options.or(&self.informer).namespace(namespace)
        };
        let of_namespaces: Vec<_> = match (scope, &self.namespaces) {
            (Scope::Cluster, _) => Vec::new(),
            (Scope::Namespaced, Some(own)) => own
                .iter()
                .map(|(namespace, options)| (namespace, options.clone()))
                .map(of_namespace)
                .collect(),
            (Scope::Namespaced, None) => defaults
                .iter()
                .map(|namespace| (namespace, InformerOptions::new()))
                .map(of_namespace)
                .collect(),
        };
        if of_namespaces.is_empty() {
            vec![self.informer.clone()]
        } else {
            of_namespaces
        }
    }
}

impl<K: Object> Default for TypeOptions<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Object> Clone for TypeOptions<K> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            namespaces: self.namespaces.clone(),
        }
    }
}

impl<K: Object> fmt::Debug for TypeOptions<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypeOptions")
            .field("informer", &self.informer)
            .field("namespaces", &self.namespaces)
            .finish()
    }
}

// === impl CacheListOptions ===

impl CacheListOptions {
    /// Everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only what is in this namespace. Ignored for cluster-scoped resources.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into()).filter(|namespace| !namespace.is_empty());
        self
    }

    /// Only what has these labels.
    pub fn selector(mut self, selector: Selector) -> Self {
        self.selector = selector;
        self
    }
}
